/* How actions are added one by one; private to predict/model. */
#ifndef BMF_ACTIONS_PRIVATE_H
#define BMF_ACTIONS_PRIVATE_H

#include "predict/model/actions.h"

/* Appends an action of the innermost open scope. */
void actions_add(bmf_actions *actions, bmf_action action);
/* Appends a message of the last round, whose number it gets, and links it to the last one to the same receiver. */
void actions_add_message(bmf_actions *actions, int64_t from, int64_t to, int64_t bytes);
/* The first message of a round: rounds are numbered in the order of their messages. */
int64_t actions_first_message(const bmf_actions *actions, int64_t round);

#endif

/* Groups of elements with equal keys; private to skeletons. */
#ifndef BMF_SORT_GROUP_H
#define BMF_SORT_GROUP_H

#include "runtime/data/list.h"

/* What bmf_group_by makes, from keys that are there: a list of keys like xs, whose elements have an order.
 * Collective. */
int group_by_keys(const bmf_list *xs, const bmf_list *keys, bmf_list **found, bmf_list **groups);

#endif

/* What the parts of online.h share. */
#ifndef BMF_REPLAY_ONLINE_PRIVATE_H
#define BMF_REPLAY_ONLINE_PRIVATE_H

#include "predict/replay/online.h"
#include "predict/replay/recorded_private.h"
#include "runtime/base/table.h"
#include "runtime/trace/virtual_clock.h"

/* What a request will finish; -1: nothing of that kind. */
typedef struct online_request {
    int64_t message, receive, collective; /* message: sent */
} online_request;

/* A rank that waits for an answer. */
typedef struct online_stop {
    bool asked;
    bmf_virtual_action action;
    int64_t rounds, capacity;
    uint32_t *round;
} online_stop;

/* What is going to be decided on a lane next. */
typedef struct online_decision {
    double time;     /* INFINITY: nothing, as far as is known */
    int64_t receive; /* from any source, that gets .. */
    int64_t message; /* .. this one; or the one that a probe finds; -1: a probe finds nothing */
    bool stop;       /* it is the rank's question */
} online_decision;

typedef struct online_rank {
    int socket; /* -1: not connected yet, or no more */
    bool connected, ended;
    char *input; /* that has not been taken yet */
    int64_t used, capacity;
    online_request *request; /* by round */
    int64_t requests, request_capacity;
    int64_t *open; /* receives without a message, in the order in which they were posted */
    int64_t opens, open_capacity;
    int64_t *unmatched; /* messages to it without a receive, those of one sender in their order */
    int64_t unmatcheds, unmatched_capacity;
    bmf_virtual_choice *choice; /* settled since the last answer */
    int64_t choices, choice_capacity;
    online_stop stop;
    int32_t readings; /* of the clock, since something else happened */
    bool stale;       /* the decision has to be found again */
    online_decision decision;
} online_rank;

typedef struct online_group {
    uint64_t id;
    int32_t members;
    int32_t *member;
    int64_t *collective, collectives, capacity; /* by number: + 1 */
} online_group;

typedef struct bmf_online {
    bmf_recorded_program program;
    online_rank *rank;
    int32_t ranks;
    online_group *group;
    int64_t groups, group_capacity;
    bmf_table group_table;
    char (*name)[VIRTUAL_NAME]; /* of calls */
    int64_t names, name_capacity;
    int status; /* of what went wrong */
} bmf_online;

/* online_actions.c: takes whole actions out of a rank's input. */
void online_take_input(bmf_online *o, int32_t rank);
uint16_t online_name(bmf_online *o, const char *name);
/* The steps that finish requests: those of receives together, at the place of the first. */
void online_add_finish(bmf_online *o, int32_t rank, const uint32_t *round, int64_t rounds, uint16_t call);

/* online_match.c: which message a receive gets. */
void online_new_message(bmf_online *o, int32_t rank, int64_t message);
void online_new_receive(bmf_online *o, int32_t rank, int64_t receive);
/* After a receive from any source got its message, those behind it may get theirs. */
void online_match_rest(bmf_online *o, int32_t rank);
void online_settle(bmf_online *o, int32_t rank, int64_t receive, int64_t message);
/* The message that a receive or probe would get first, by simulated time, and when; -1: not known. before: of open
 * receives how many come before it. */
int64_t online_first(const bmf_online *o, int32_t rank, const bmf_recorded_receive *wanted, int64_t before,
                     double *time);

/* online_decide.c: what the lane's decision is; and carrying it out. */
void online_find_decision(bmf_online *o, int32_t rank);
void online_decide(bmf_online *o, int32_t rank);
/* Answers what needs no decision. False: the rank asks something else, or nothing. */
bool online_answer_at_once(bmf_online *o, int32_t rank);

#endif

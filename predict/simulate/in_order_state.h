/* Runs in the order of their recording: a sample, pass by pass. Private to predict/simulate/in_order*.c. */
#ifndef BMF_IN_ORDER_STATE_H
#define BMF_IN_ORDER_STATE_H

#include "predict/simulate/in_order_private.h"
#include "predict/simulate/simulate_private.h"

/* How a message fares in a sample. */
typedef struct course {
    double sent, done, arrived;  /* handed over; its sender may use its memory; at its receiver */
    double key;                  /* when its head comes to the receiver's port */
    double left, come;           /* the two ports are free for the next one */
    int32_t before[2], after[2]; /* at the sender's (OUT) and the receiver's port; -1 */
} course;

enum { IN, OUT };

/* What the next pass has to do with a message, or has done. */
typedef enum news {
    NEWS_STALE = 1,   /* what its times follow from has changed */
    NEWS_DONE = 2,    /* its sender's wait does not know yet that `done` has changed */
    NEWS_ARRIVED = 4, /* the same of its receiver and `arrived` */
    NEWS_ORDER = 8,   /* the same of its neighbours at ports and what orders them */
} news;

/* Of a port: its messages are not in the order of their recording; it was passed in another order, or at other times,
 * than this pass has taken. */
typedef enum port_state { AS_RECORDED, REORDERED = 1, DISTURBED = 2 } port_state;

/* The ports of one direction. */
typedef struct port_list {
    uint8_t *state;                   /* by port */
    int32_t *message;                 /* in the order in which they pass; as port_messages */
    int64_t *reordered, reorders;     /* ports */
    int64_t *disturbed, disturbances; /* ports */
} port_list;

struct in_order_run_state {
    const bmf_in_order *o;
    double *clock;   /* by processor */
    double *last;    /* the same at the end of the last pass */
    double *leading; /* the same before anything was sent */
    double *seconds; /* by computation behind that, in the order of the parts */
    bmf_computation_factors factors;
    course *course; /* by message */
    double *ready;  /* by first message of those taken together: its receiver's clock before that */
    double *waits;  /* by first message of those waited for: its sender's clock before that */
    double *posted; /* by message: when its receiver is ready for it; NULL: none waits for that */
    double *pushed; /* by message: when it comes to its sender's port; NULL: when it is sent */
    uint8_t *news;  /* by message */
    port_list port[2];
    int32_t *some, *spare; /* working memory: the most messages at a port or to a processor */
    uint8_t *shifted; /* by processor, where only changes are followed: its clock is another one than it was there */
    int64_t shifts;   /* processors */
    bmf_chances chances;
};

/* ---- in_order_ports.c: messages at the ports at their two ends ---- */

int64_t in_order_ports_bytes(const bmf_in_order *o);
/* As recorded. */
void in_order_ports_create(in_order_run_state *r);
void in_order_ports_free(in_order_run_state *r);
/* A message passes a port of which it is known when it comes to it. */
void in_order_pass_port(in_order_run_state *r, int side, int32_t m);
/* Ports of which a pass has not taken what is true are passed again, in the order in which messages have come. True if
 * that changes a time: then messages have news, and another pass is to be made. */
bool in_order_settle(in_order_run_state *r);
/* Back to the order of recording. */
void in_order_forget_orders(in_order_run_state *r);
/* As they arrive, by sender; the others stay as they are. */
void in_order_sort_arrivals(in_order_run_state *r, int32_t *message, int64_t count);

/* ---- in_order_run.c: what processors do ---- */

/* A message whose `sent` is known, and when its receiver is ready for it. */
void in_order_depart(in_order_run_state *r, int32_t m);
/* The clock of a processor that has taken all messages of a round to it, or waited for all that it has sent. */
double in_order_take(in_order_run_state *r, int32_t first, double clock);
double in_order_wait(const in_order_run_state *r, int32_t first, double clock);

/* ---- in_order_changes.c ---- */

/* A pass over what has news, and what follows from that. False: processors whose clocks have changed come to a meeting
 * of all; then all is to be passed. */
bool in_order_follow_changes(in_order_run_state *r);

#endif

/* Choosing a machine and a number of processors: offers with their times and costs, and which of them to take.
 *
 * An offer is one program on one machine with so many processors, shared by ranks with so many threads each. Times are
 * those of all runs that are wanted, one after the other. A time has an interval (predict/simulate/simulate.h); between
 * its bounds it is taken to be log-normal, so that every offer has a chance of ending within any time. Nothing here is
 * collective. */
#ifndef BMF_CHOOSE_H
#define BMF_CHOOSE_H

#include <stdbool.h>
#include <stdint.h>

#include "predict/machine/machine.h"

/* Where the time goes, in seconds of the run without noise. */
typedef enum bmf_limit {
    BMF_LIMIT_COMPUTING, /* spread evenly over the processors */
    BMF_LIMIT_MEMORY,    /* the part of that in which the memory of the nodes is the bound */
    BMF_LIMIT_SINGLE,    /* work of one processor while the others have none */
    BMF_LIMIT_IMBALANCE, /* unequal work, and waiting for it */
    BMF_LIMIT_LATENCY,   /* messages, were they empty */
    BMF_LIMIT_BANDWIDTH, /* their bytes */
    BMF_LIMITS
} bmf_limit;

/* "computing", "memory bandwidth", "one processor's work", "imbalance", "latency", "network bandwidth". */
const char *limit_name(bmf_limit limit);

/* Why an offer is none. */
typedef enum bmf_refusal {
    BMF_OFFERED,
    BMF_REFUSED_PROCESSORS, /* the machine has fewer processors or nodes */
    BMF_REFUSED_MEMORY,     /* it does not fit into a node's memory */
    BMF_REFUSED_THREADS     /* ranks with so many threads do not share these processors, or those of a node */
} bmf_refusal;

typedef struct bmf_offer {
    int64_t machine;    /* number */
    int64_t processors; /* of the machine: ranks x threads */
    int64_t ranks, threads, nodes;
    double seconds, low, high; /* the median and the 95 % interval */
    double best;               /* without noise */
    double part[BMF_LIMITS];   /* seconds of `best`; NAN: not known */
    double memory;             /* bytes of a node; NAN: not known */
    bmf_refusal refusal;
    bool in_domain;
    /* what choose_complete adds: */
    double node_hours, cost, cost_high; /* cost NAN: no price is known; high: with the 95 % upper bound of the time */
    double seconds_high;                /* a run is no longer in 95 of 100 cases */
    double speed_up, efficiency;        /* against the machine's smallest number of processors that is offered, with the
                                         * fewest threads */
    bmf_limit limit;                    /* the largest part */
    bool pareto;                        /* no other offer is both faster and cheaper */
} bmf_offer;

/* Whether such an offer can be run: not whether it fits. */
static inline bool offer_exists(const bmf_offer *offer)
{
    return offer->refusal == BMF_OFFERED || offer->refusal == BMF_REFUSED_MEMORY;
}
/* Nodes that its ranks need. */
int64_t offer_nodes(const bmf_offer *offer, const bmf_node *node);
/* The chance that it ends within that time. */
double offer_chance(const bmf_offer *offer, double seconds);
/* The time within which it ends with that chance. */
double offer_quantile(const bmf_offer *offer, double chance);

/* Adds costs, efficiencies, limits and the front. machine[]: by number. */
void choose_complete(bmf_offer *offer, int64_t offers, bmf_machine *const *machine);

typedef struct bmf_wish {
    double deadline; /* seconds; INFINITY: none */
    double budget;   /* INFINITY: none */
    double chance;   /* with which both are kept, 0.95 */
} bmf_wish;

/* Numbers of offers, -1: there is none. Without any price costs are node-hours. */
typedef struct bmf_decision {
    int64_t cheapest;     /* of those that keep the deadline */
    int64_t fastest;      /* of those within the budget */
    int64_t knee;         /* the least time times cost */
    int64_t least_cost;   /* of all, whatever the deadline */
    int64_t least_time;   /* of all, whatever the budget */
    int64_t most_likely;  /* to keep the deadline */
    int64_t least_memory; /* among those that do not fit: the one that lacks least */
    bool has_prices;
} bmf_decision;

/* What an offer costs, or its node-hours where no price is known. */
double offer_cost(const bmf_offer *offer, bool has_prices);
void choose_decide(const bmf_offer *offer, int64_t offers, bmf_machine *const *machine, const bmf_wish *wish,
                   bmf_decision *choice);

#endif

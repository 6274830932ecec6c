/* The calls whose algorithms are measured. Private to predict/measure/. */
#ifndef BMF_SCHEDULE_CALLS_H
#define BMF_SCHEDULE_CALLS_H

#include "bmf.h"
#include "predict/measure/schedules.h"
#include "runtime/backend/backend.h"

/* One skeleton at one size. */
typedef struct schedule_site {
    bmf_context *ctx;
    int64_t count, bytes;
    int64_t words; /* of an element, where it is a block of them */
    bmf_operator combined_by;
    bmf_list *whole, *spread, *out;
    char *data, *target;
    bmf_permute_plan *plan[BMF_MEASURE_WAYS];
} schedule_site;

typedef struct schedule_call {
    const char *skeleton;
    bool by_count;           /* the smallest size has a word for every item */
    bool times_count;        /* every item has as many bytes */
    bool powers_of_two;      /* of items only */
    int64_t factor, largest; /* between sizes, and bytes at most */
    int (*open)(schedule_site *site);
    int (*run)(schedule_site *site, int way);
    void (*after)(schedule_site *site);           /* once for every run, not timed */
    int (*choose)(schedule_site *site, int *way); /* by the costs of the context */
} schedule_call;

/* NULL at the end. */
extern const schedule_call *const schedule_calls[];

/* The algorithms of a call; returns how many. */
int schedule_call_ways(const schedule_call *call, const char *way[BMF_MEASURE_WAYS]);
void schedule_site_close(schedule_site *site);

#endif

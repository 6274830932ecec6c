/* What the tests of schedules share: random groups and sizes, every generator by its algorithm, and which group sizes
 * to try. cmocka only. */
#ifndef BMF_TEST_SCHEDULES_H
#define BMF_TEST_SCHEDULES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/schedule/algorithms.h"

enum { ALL_COUNTS = 70, LARGER = 12, LARGEST = 400 };

static uint64_t seed = 20;

static inline int64_t random_below(int64_t limit)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((seed >> 20) % (uint64_t)limit);
}

static inline int log2_up(int64_t n)
{
    int log = 0;
    while ((int64_t)1 << log < n)
        log++;
    return log;
}

static inline bmf_group random_group(int64_t count)
{
    return (bmf_group){random_below(50), (int)random_below(4), count};
}

static inline int64_t machine_size(const bmf_group *group)
{
    return group_processor(group, group->count - 1) + 1;
}

/* The item of a processor of the group. */
static inline int64_t item_on(const bmf_group *group, int64_t processor)
{
    int64_t item = (processor - group->base) >> group->log2_stride;
    assert_true(item >= 0 && item < group->count);
    assert_int_equal(group_processor(group, item), processor);
    return item;
}

static inline int64_t *random_starts(int64_t parts, int64_t largest)
{
    int64_t *start = calloc((size_t)parts + 1, sizeof *start);
    start[0] = 0;
    for (int64_t k = 0; k < parts; k++)
        start[k + 1] = start[k] + random_below(largest + 1);
    return start;
}

/* Sizes that tell ranges of items apart. */
static inline int64_t range_bytes(const void *state, int64_t first, int64_t count)
{
    return *(const int64_t *)state * count + first;
}

static inline int64_t equal_bytes(const void *state, int64_t first, int64_t count)
{
    (void)first;
    (void)count;
    return *(const int64_t *)state;
}

/* ---- any schedule, by algorithm ---- */

typedef struct input {
    bmf_group group;
    const int64_t *start;                                              /* split, gather: items' sizes; or NULL */
    int64_t (*bytes)(const void *state, int64_t first, int64_t count); /* reduce, scan */
    int64_t value;                                                     /* bytes of one value, or the state of `bytes` */
    int64_t segments;                                                  /* pipeline */
} input;

static inline int64_t start_bytes(const void *state, int64_t first, int64_t count)
{
    const int64_t *start = state;
    return start[first + count] - start[first];
}

static inline void generate(bmf_schedule *schedule, const bmf_algorithm *algorithm, int first, const input *in)
{
    bmf_schedule_request request = {.group = &in->group};
    if (algorithm == &algorithm_distl_pipeline) {
        schedule_distl_pipeline(schedule, first, &in->group, in->value, in->segments);
        return;
    }
    if (strcmp(algorithm->skeleton, "split") == 0 || strcmp(algorithm->skeleton, "gather") == 0) {
        request.bytes = in->start ? start_bytes : NULL;
        request.state = in->start;
    } else {
        request.bytes = strcmp(algorithm->skeleton, "distl") == 0 ? equal_bytes : in->bytes;
        request.state = &in->value;
    }
    algorithm->generate(schedule, first, &request);
}

static inline bmf_schedule *complete(const bmf_algorithm *algorithm, const input *in)
{
    bmf_schedule *schedule = schedule_create(algorithm->name, 0, machine_size(&in->group));
    assert_non_null(schedule);
    generate(schedule, algorithm, 0, in);
    return schedule;
}

/* Calls check for all counts up to ALL_COUNTS and some larger ones. */
static inline void for_counts(void (*check)(int64_t count))
{
    for (int64_t count = 1; count <= ALL_COUNTS; count++)
        check(count);
    for (int k = 0; k < LARGER; k++)
        check(ALL_COUNTS + 1 + random_below(LARGEST - ALL_COUNTS));
}

#endif

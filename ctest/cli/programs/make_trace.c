/* Writes a trace of a made-up run: usage: make_trace OUT [SEED [LANES [STEPS [RUNS]]]].
 *
 * Every lane goes through the same regions, skeleton calls and kernels, with random durations; in every call lanes send
 * messages to others. Receives of one round begin together and end in the order of arrival, so some overlap only
 * partly. Some sends are never received. RUNS is 1 (measured), 2 (measured and predicted) or p (predicted only). The
 * seed is printed, and the same seed makes the same file.
 */
#include <stdlib.h>
#include <string.h>

#include "ctest/support/testing.h"
#include "runtime/trace/trace.h"
#include "skeletons/skeleton_types.h"

typedef struct maker {
    bmf_trace_run *run;
    uint64_t state;
    int64_t *clock;    /* by lane */
    int64_t *entered;  /* by lane */
    uint32_t instance; /* of the call */
} maker;

static int64_t draw(maker *m, int64_t bound)
{
    return test_below(&m->state, bound);
}

static void add(maker *m, bmf_event event)
{
    int64_t duration = event.end - event.begin;
    event.instance = m->instance;
    event.low = m->run->predicted ? duration - duration / 8 : duration;
    event.high = m->run->predicted ? duration + duration / 4 : duration;
    run_add(m->run, &event);
}

static void compute(maker *m, uint32_t node, uint16_t name)
{
    for (int32_t lane = 0; lane < m->run->lanes; lane++) {
        int64_t begin = m->clock[lane] += draw(m, 50);
        int64_t end = m->clock[lane] += draw(m, 5000);
        add(m, (bmf_event){.begin = begin,
                           .end = end,
                           .amount = draw(m, 1000),
                           .node = node,
                           .lane = lane,
                           .peer = -1,
                           .kind = BMF_EVENT_KERNEL,
                           .name = name});
    }
}

/* Lane l sends to l + 1 and l + 2; one message in 16 is lost. */
static void exchange(maker *m, uint32_t node, uint32_t round)
{
    int32_t lanes = m->run->lanes;
    int64_t *begin = malloc((size_t)lanes * sizeof *begin);
    for (int32_t lane = 0; lane < lanes; lane++)
        begin[lane] = m->clock[lane];
    for (int32_t lane = 0; lane < lanes; lane++) {
        for (int32_t hop = 1; hop <= 2; hop++) {
            int32_t to = (lane + hop) % lanes;
            int64_t bytes = draw(m, 100000), sent = m->clock[lane] += draw(m, 300),
                    arrival = sent + 200 + draw(m, 2000);
            int64_t waited = begin[to] + draw(m, 3);
            add(m, (bmf_event){.begin = sent - sent % 2,
                               .end = sent,
                               .amount = bytes,
                               .node = node,
                               .round = round,
                               .lane = lane,
                               .peer = to,
                               .kind = BMF_EVENT_SEND});
            if (to == lane || draw(m, 16) == 0)
                continue;
            add(m, (bmf_event){.begin = waited,
                               .end = arrival > waited ? arrival : waited,
                               .amount = bytes,
                               .node = node,
                               .round = round,
                               .lane = to,
                               .peer = lane,
                               .kind = BMF_EVENT_RECEIVE});
        }
    }
    for (int32_t lane = 0; lane < lanes; lane++)
        m->clock[lane] += 5000;
    free(begin);
}

static void enter(maker *m)
{
    memcpy(m->entered, m->clock, (size_t)m->run->lanes * sizeof *m->clock);
}

static void leave(maker *m, uint32_t node, bmf_event_kind kind)
{
    for (int32_t lane = 0; lane < m->run->lanes; lane++)
        add(m, (bmf_event){.begin = m->entered[lane],
                           .end = m->clock[lane],
                           .node = node,
                           .lane = lane,
                           .peer = -1,
                           .kind = (uint16_t)kind});
}

static void step(maker *m, uint32_t region, uint32_t number)
{
    static const char *const call[] = {"scan plus", "map \"square\", \\twice", "reduce max\xc3\xa9", "split"};
    const uint32_t skeleton[] = {skeleton_scan.id, skeleton_map.id, skeleton_reduce.id, skeleton_split.id};
    int which = (int)draw(m, 4);
    uint32_t node = run_call(m->run, region, call[which], skeleton[which]);
    uint16_t name = (uint16_t)run_name(m->run, which % 2 ? "square" : "plus");
    m->instance = number;
    enter(m);
    compute(m, node, name);
    for (uint32_t round = 0; round < 2; round++)
        exchange(m, node, round);
    for (int32_t lane = 0; lane < m->run->lanes; lane++)
        add(m, (bmf_event){.begin = m->clock[lane],
                           .end = m->clock[lane] + 10,
                           .node = node,
                           .lane = lane,
                           .peer = -1,
                           .kind = BMF_EVENT_WAIT});
    for (int32_t lane = 0; lane < m->run->lanes; lane++)
        m->clock[lane] += 10;
    leave(m, node, BMF_EVENT_SKELETON);
}

static bmf_trace_run *make_run(uint64_t seed, int32_t lanes, int64_t steps, int predicted)
{
    maker m = {.run = run_create("make_trace", predicted ? "model" : "here", lanes, lanes > 2 ? lanes / 2 : 1, 2)};
    m.run->predicted = predicted;
    m.state = seed;
    m.clock = calloc((size_t)lanes, sizeof *m.clock);
    m.entered = calloc((size_t)lanes, sizeof *m.entered);
    uint32_t region = run_node(m.run, 0, "steps", BMF_EVENT_REGION);
    for (int64_t k = 0; k < steps; k++) {
        /* The same path through the program in both runs, at other times. */
        m.state = seed + (uint64_t)k * 7919;
        step(&m, region, (uint32_t)k);
        for (int32_t lane = 0; predicted && lane < lanes; lane++)
            m.clock[lane] += draw(&m, 100);
    }
    m.instance = 0;
    memset(m.entered, 0, (size_t)lanes * sizeof *m.entered);
    leave(&m, region, BMF_EVENT_REGION);
    leave(&m, 0, BMF_EVENT_REGION);
    free(m.clock);
    free(m.entered);
    return m.run;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: make_trace OUT [SEED [LANES [STEPS [RUNS]]]]\n");
        return 2;
    }
    uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    int32_t lanes = argc > 3 ? atoi(argv[3]) : 4;
    int64_t steps = argc > 4 ? atoll(argv[4]) : 10;
    const char *runs = argc > 5 ? argv[5] : "2";
    bmf_trace trace = {0};
    printf("seed %llu\n", (unsigned long long)seed);
    if (*runs != 'p')
        trace.run[trace.runs++] = make_run(seed, lanes, steps, 0);
    if (*runs != '1')
        trace.run[trace.runs++] = make_run(seed, lanes, steps, 1);
    int status = trace_write(NULL, &trace, argv[1]);
    if (status != BMF_OK)
        fprintf(stderr, "make_trace: %s\n", bmf_error_text(NULL));
    for (int k = 0; k < trace.runs; k++)
        run_free(trace.run[k]);
    return bmf_exit_code(status);
}

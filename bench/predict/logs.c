/* Workloads of bmf-bench predict: logs of actions, made without running a program. */
#include <stdlib.h>

#include "bench/predict/predict.h"
#include "runtime/base/allocate.h"

static void add_round(bmf_actions *actions, uint32_t round, const bmf_message *message, int64_t count)
{
    actions_round_end(actions, round, actions_round_begin(actions, round, message, count));
}

bmf_actions *predict_binomial(int64_t processors, int repeats)
{
    bmf_actions *actions = actions_create(processors, NULL);
    bmf_message *message = allocate(processors * (int64_t)sizeof *message);
    for (int repeat = 0; repeat < repeats; repeat++)
        for (uint32_t level = 0; INT64_C(1) << level < processors; level++) {
            const int64_t half = INT64_C(1) << level;
            int64_t count = 0;
            for (int64_t p = 0; p + half < processors; p += 2 * half)
                message[count++] = (bmf_message){.from = p + half, .to = p, .bytes = 8};
            add_round(actions, level, message, count);
        }
    free(message);
    return actions;
}

/* One round in which p sends to partner(p, distance). */
static void add_shift(bmf_actions *actions, uint32_t round, bmf_message *message, int64_t distance, int64_t bytes)
{
    const int64_t processors = actions->processors;
    for (int64_t p = 0; p < processors; p++)
        message[p] = (bmf_message){.from = p, .to = (p + distance) % processors, .bytes = bytes};
    add_round(actions, round, message, processors);
}

bmf_actions *predict_dissemination(int64_t processors, int repeats)
{
    bmf_actions *actions = actions_create(processors, NULL);
    bmf_message *message = allocate(processors * (int64_t)sizeof *message);
    for (int repeat = 0; repeat < repeats; repeat++)
        for (uint32_t k = 0; INT64_C(1) << k < processors; k++)
            add_shift(actions, k, message, INT64_C(1) << k, 8);
    free(message);
    return actions;
}

bmf_actions *predict_all_to_all(int64_t processors, int repeats)
{
    bmf_actions *actions = actions_create(processors, NULL);
    bmf_message *message = allocate(processors * processors * (int64_t)sizeof *message);
    int64_t count = 0;
    for (int64_t p = 0; p < processors; p++)
        for (int64_t distance = 1; distance < processors; distance++)
            message[count++] = (bmf_message){.from = p, .to = (p + distance) % processors, .bytes = 8};
    for (int repeat = 0; repeat < repeats; repeat++)
        add_round(actions, 0, message, count);
    free(message);
    return actions;
}

bmf_actions *predict_ring(int64_t processors, int repeats, bool ring_only)
{
    bmf_actions *actions = actions_create(processors, NULL);
    bmf_message *message = allocate(processors * (int64_t)sizeof *message);
    for (int repeat = 0; repeat < repeats; repeat++) {
        add_shift(actions, 0, message, 1, 8192);
        for (uint32_t k = 0; !ring_only && INT64_C(1) << k < processors; k++) {
            for (int64_t p = 0; p < processors; p++)
                message[p] = (bmf_message){.from = p, .to = p ^ (INT64_C(1) << k), .bytes = 8};
            add_round(actions, k + 1, message, processors);
        }
    }
    free(message);
    return actions;
}

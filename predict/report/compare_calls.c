/* Comparison by operation. Source: document 001, 2.4.2, cmptrace and figure 2.10: levels A (event by event), B
 * (processor and state), C (state), each `STATE t1 t2 t2/t1`.
 *
 * Method: states get numbers by a hash table of their names; one pass over each run adds up. Cost: linear.
 */
#include "predict/report/compare_calls.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/base/hash.h"
#include "runtime/base/table.h"

static const double second = 1e-9;

/* The first word in capitals, without the language's P_ or B_ and without underscores: COMMSPLIT. */
static char *state_text(const char *from, char text[BMF_STATE_TEXT])
{
    size_t used = 0;
    if ((from[0] == 'P' || from[0] == 'B') && from[1] == '_')
        from += 2;
    for (; *from && *from != ' ' && used + 1 < BMF_STATE_TEXT; from++)
        if (*from != '_')
            text[used++] = (char)toupper((unsigned char)*from);
    text[used] = '\0';
    return text;
}

/* The innermost skeleton call around a place, or the program. */
static const char *skeleton_around(const bmf_trace_run *run, uint32_t node)
{
    while (node != 0 && run->node[node].kind != BMF_EVENT_SKELETON)
        node = run->node[node].parent;
    return node == 0 ? NULL : run->name[run->node[node].name];
}

char *event_state(const bmf_trace_run *run, const bmf_event *event, char text[BMF_STATE_TEXT])
{
    const bool recorded = run->groups > 0;
    if (recorded && event->name)
        return state_text(run->name[event->name], text);
    if (event->kind == BMF_EVENT_KERNEL)
        return state_text("compute", text);
    const char *skeleton = event->kind == BMF_EVENT_FILE ? NULL : skeleton_around(run, event->node);
    return state_text(skeleton ? skeleton : bmf_event_kind_name((bmf_event_kind)event->kind), text);
}

typedef struct states {
    bmf_call_comparison *calls;
    int64_t capacity;
    bmf_table table;
} states;

static bool is_state(const void *wanted, uint32_t number)
{
    const states *s = ((const void *const *)wanted)[0];
    return strcmp(s->calls->name[number], ((const void *const *)wanted)[1]) == 0;
}

static int64_t find_state(states *s, const bmf_trace_run *run, const bmf_event *event)
{
    char text[BMF_STATE_TEXT];
    const void *wanted[] = {s, event_state(run, event, text)};
    table_make_room(&s->table, s->calls->states + 1);
    const uint32_t number = table_find_or_add(&s->table, hash_text(text), is_state, wanted, (uint32_t)s->calls->states);
    if (number == s->calls->states)
        memcpy(ARRAY_APPEND(s->calls->name, s->calls->states, s->capacity), text, sizeof text);
    return number;
}

static bool is_leaf(const bmf_event *event)
{
    return event->kind > BMF_EVENT_SKELETON;
}

static void add_run(states *s, const bmf_trace_run *run, int which)
{
    bmf_call_comparison *calls = s->calls;
    for (int64_t k = 0; k < run->events; k++) {
        const bmf_event *event = &run->event[k];
        if (!is_leaf(event))
            continue;
        const int64_t state = find_state(s, run, event);
        const double seconds = (double)(event->end - event->begin) * second;
        calls->all[state][which] += seconds;
        if (calls->lanes)
            calls->lane[event->lane * calls->states + state][which] += seconds;
    }
}

void compare_calls(const bmf_trace_run *measured, const bmf_trace_run *predicted, bmf_call_comparison *calls)
{
    const bmf_trace_run *run[2] = {measured, predicted};
    states s = {.calls = calls};
    *calls = (bmf_call_comparison){.lanes = measured->lanes == predicted->lanes ? measured->lanes : 0};
    for (int which = 0; which < 2; which++)
        for (int64_t k = 0; k < run[which]->events; k++)
            if (is_leaf(&run[which]->event[k]))
                find_state(&s, run[which], &run[which]->event[k]);
    calls->all = allocate_clear(calls->states + 1, (int64_t)sizeof *calls->all);
    calls->lane = allocate_clear(calls->states * calls->lanes + 1, (int64_t)sizeof *calls->lane);
    add_run(&s, measured, 0);
    add_run(&s, predicted, 1);
    table_free(&s.table);
}

void call_comparison_free(bmf_call_comparison *calls)
{
    free(calls->name);
    free(calls->all);
    free(calls->lane);
}

/* ---- cmptrace's tables ---- */

static void print_times(FILE *stream, double measured, double predicted, int digits)
{
    fprintf(stream, "%.*f %.*f ", digits, measured, digits, predicted);
    if (measured > 0)
        fprintf(stream, "%.*f\n", digits, predicted / measured);
    else
        fputs("-\n", stream);
}

static void print_events(const bmf_trace_run *measured, const bmf_trace_run *predicted, const int64_t *match,
                         int digits, FILE *stream)
{
    char text[BMF_STATE_TEXT];
    fputs("# A: processor, state, measured, predicted, ratio of every event\n", stream);
    for (int64_t k = 0; k < measured->events; k++) {
        const bmf_event *event = &measured->event[k];
        if (!is_leaf(event) || match[k] < 0)
            continue;
        const bmf_event *other = &predicted->event[match[k]];
        fprintf(stream, "p[%d] %s ", event->lane, event_state(measured, event, text));
        print_times(stream, (double)(event->end - event->begin) * second, (double)(other->end - other->begin) * second,
                    digits);
    }
}

void compare_calls_print(const bmf_trace_run *measured, const bmf_trace_run *predicted,
                         const bmf_call_comparison *calls, const int64_t *match, int digits, FILE *stream)
{
    if (match)
        print_events(measured, predicted, match, digits, stream);
    if (calls->lanes)
        fputs("# B: processor, state, sums\n", stream);
    for (int64_t lane = 0; lane < calls->lanes; lane++)
        for (int64_t k = 0; k < calls->states; k++) {
            const double *of = calls->lane[lane * calls->states + k];
            if (of[0] > 0 || of[1] > 0) {
                fprintf(stream, "p[%lld] %s ", (long long)lane, calls->name[k]);
                print_times(stream, of[0], of[1], digits);
            }
        }
    fputs("# C: state, sums over all processors\n", stream);
    for (int64_t k = 0; k < calls->states; k++) {
        fprintf(stream, "%s ", calls->name[k]);
        print_times(stream, calls->all[k][0], calls->all[k][1], digits);
    }
}

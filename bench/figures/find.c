/* What the figures of document 000 show, from predicted runs: each function writes it as a few numbers.
 *
 * Items: the document's numbers and characters are bytes; here they take 8 bytes, and what levels send has 16 bytes in
 * front. Cost: the square of the messages, which are few. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bench/figures/figures.h"
#include "predict/network/timeline.h"
#include "predict/report/report.h"

enum { MAX_ROUNDS = 32, HEADER_BYTES = 16, ITEM_BYTES = 8 };

typedef struct level {
    int64_t messages, bytes, begin, end;
} level;

static int find_levels(const figure_flights *flights, level of[MAX_ROUNDS])
{
    int levels = 0;
    memset(of, 0, MAX_ROUNDS * sizeof *of);
    for (int64_t k = 0; k < flights->count; k++) {
        const figure_flight *f = &flights->flight[k];
        if (f->round >= MAX_ROUNDS)
            continue;
        level *l = &of[f->round];
        l->begin = l->messages == 0 || f->begin < l->begin ? f->begin : l->begin;
        l->end = f->end > l->end ? f->end : l->end;
        l->messages++;
        l->bytes += f->bytes;
        levels = (int)f->round + 1 > levels ? (int)f->round + 1 : levels;
    }
    return levels;
}

static void put(char *found, int64_t number)
{
    const size_t used = strlen(found);
    snprintf(found + used, FIGURE_TEXT - used, "%s%" PRId64, used ? " " : "", number);
}

/* One number a level. */
static void put_levels(const bmf_trace_run *run, const char *call, char *found, int64_t (*of)(const level *))
{
    figure_flights flights;
    level levels[MAX_ROUNDS];
    figure_flights_find(run, call, &flights);
    found[0] = '\0';
    const int count = find_levels(&flights, levels);
    for (int r = 0; r < count; r++)
        put(found, of(&levels[r]));
    figure_flights_free(&flights);
}

/* Numbers alone are sent as they are. */
static int64_t items_of(const level *l)
{
    const int64_t header = l->bytes == ITEM_BYTES * l->messages ? 0 : HEADER_BYTES;
    return (l->bytes - header * l->messages) / ITEM_BYTES;
}

static int64_t size_of(const level *l)
{
    return items_of(l) / (l->messages > 0 ? l->messages : 1);
}

void find_level_items(const bmf_trace_run *run, const char *call, char *found)
{
    put_levels(run, call, found, items_of);
}

void find_level_sizes(const bmf_trace_run *run, const char *call, char *found)
{
    put_levels(run, call, found, size_of);
}

/* The most messages at once in every level; "overlap" if one begins before the one before it has ended. */
void find_bursts(const bmf_trace_run *run, const char *call, char *found)
{
    figure_flights flights;
    level levels[MAX_ROUNDS];
    figure_flights_find(run, call, &flights);
    const int count = find_levels(&flights, levels);
    found[0] = '\0';
    for (int r = 0; r < count; r++) {
        if (r > 0 && levels[r].begin < levels[r - 1].end) {
            snprintf(found, FIGURE_TEXT, "overlap");
            break;
        }
        put(found, figure_peak(&flights, levels[r].begin, levels[r].end, false));
    }
    figure_flights_free(&flights);
}

void find_messages(const bmf_trace_run *run, const char *call, char *found)
{
    figure_flights flights;
    figure_flights_find(run, call, &flights);
    snprintf(found, FIGURE_TEXT, "%" PRId64, flights.count);
    figure_flights_free(&flights);
}

/* Messages at once; and items. */
void find_peak(const bmf_trace_run *run, const char *call, char *found)
{
    figure_flights flights;
    figure_flights_find(run, call, &flights);
    const int64_t messages = figure_peak(&flights, 0, INT64_MAX, false),
                  bytes = figure_peak(&flights, 0, INT64_MAX, true);
    const int64_t header = flights.count > 0 && flights.flight[0].bytes % 128 == HEADER_BYTES ? HEADER_BYTES : 0;
    snprintf(found, FIGURE_TEXT, "%" PRId64 " %" PRId64, messages, (bytes - header * messages) / ITEM_BYTES);
    figure_flights_free(&flights);
}

/* At how many different instants processors enter the call. */
void find_starts(const bmf_trace_run *run, const char *call, char *found)
{
    int64_t starts = 0;
    for (int64_t k = 0; k < run->events; k++) {
        const bmf_event *event = &run->event[k];
        bool known = event->kind != BMF_EVENT_SKELETON || !figure_is_in(run, event, call) ||
                     figure_is_in(run, &(bmf_event){.node = run->node[event->node].parent}, call);
        for (int64_t i = 0; i < k && !known; i++)
            known = run->event[i].node == event->node && run->event[i].kind == event->kind &&
                    run->event[i].begin == event->begin;
        starts += !known;
    }
    snprintf(found, FIGURE_TEXT, "%" PRId64, starts);
}

static int by_number(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* The different times that kernels of the call take, in microseconds. */
void find_kernels(const bmf_trace_run *run, const char *call, char *found)
{
    int64_t last = -1, count = 0;
    int64_t *all = malloc((size_t)(run->events + 1) * sizeof *all);
    found[0] = '\0';
    for (int64_t k = 0; all && k < run->events; k++)
        if (run->event[k].kind == BMF_EVENT_KERNEL && figure_is_in(run, &run->event[k], call) &&
            run->event[k].end > run->event[k].begin)
            all[count++] = (run->event[k].end - run->event[k].begin) / 1000;
    if (count > 0)
        qsort(all, (size_t)count, sizeof *all, by_number);
    for (int64_t k = 0; k < count; last = all[k++])
        if (all[k] != last)
            put(found, all[k]);
    free(all);
}

/* Who receives last, and how many processors its data went through between the first one and it. */
void find_last_receiver(const bmf_trace_run *run, const char *call, char *found)
{
    figure_flights flights;
    figure_flights_find(run, call, &flights);
    const figure_flight *last = flights.flight;
    for (int64_t k = 0; k < flights.count; k++)
        last = flights.flight[k].end > last->end ? &flights.flight[k] : last;
    int64_t between = 0;
    for (int64_t k = flights.count - 1, at = flights.count > 0 ? last->from : 0; k >= 0 && at != 0; k--)
        if (flights.flight[k].to == at) {
            at = flights.flight[k].from;
            between++;
            k = flights.count;
        }
    snprintf(found, FIGURE_TEXT, "%d %" PRId64, flights.count > 0 ? last->to : -1, between);
    figure_flights_free(&flights);
}

/* The most stretches of sending and taking messages, with nothing in between, that a processor has in the call. */
void find_busy_bursts(const bmf_trace_run *run, const char *call, char *found)
{
    figure_flights flights;
    int64_t most = 0;
    figure_flights_find(run, call, &flights);
    for (int32_t lane = 0; lane < run->lanes; lane++) {
        int64_t bursts = 0, busy = -1;
        for (int64_t k = 0; k < run->events; k++) {
            const bmf_event *event = &run->event[k];
            if (event->lane != lane || !figure_is_in(run, event, call) ||
                (event->kind != BMF_EVENT_SEND && event->kind != BMF_EVENT_RECEIVE))
                continue;
            bursts += event->kind == BMF_EVENT_RECEIVE || event->begin != busy;
            busy = event->end;
        }
        most = bursts > most ? bursts : most;
    }
    snprintf(found, FIGURE_TEXT, "%" PRId64, most);
    figure_flights_free(&flights);
}

/* The three receivers whose messages of the first level come after all others; "none" if the third is no later. */
void find_last_of_first_level(const bmf_trace_run *run, const char *call, char *found)
{
    figure_flights flights;
    int64_t ends[FIGURE_PROCESSORS], count = 0;
    figure_flights_find(run, call, &flights);
    found[0] = '\0';
    for (int64_t k = 0; k < flights.count; k++)
        if (flights.flight[k].round == 0 && count < FIGURE_PROCESSORS)
            ends[count++] = flights.flight[k].end;
    qsort(ends, (size_t)count, sizeof *ends, by_number);
    const int64_t limit = count > 2 ? ends[count - 3] : 0;
    const bool apart = count > 3 && ends[count - 4] < limit;
    for (int64_t k = 0; k < flights.count && apart; k++)
        if (flights.flight[k].round == 0 && flights.flight[k].end >= limit)
            put(found, flights.flight[k].to);
    if (!apart)
        snprintf(found, FIGURE_TEXT, "none");
    figure_flights_free(&flights);
}

/* Microseconds between the first and the last message of the call that has come. */
void find_stagger(const bmf_trace_run *run, const char *call, char *found)
{
    figure_flights flights;
    int64_t first = INT64_MAX, last = 0;
    figure_flights_find(run, call, &flights);
    for (int64_t k = 0; k < flights.count; k++) {
        first = flights.flight[k].end < first ? flights.flight[k].end : first;
        last = flights.flight[k].end > last ? flights.flight[k].end : last;
    }
    snprintf(found, FIGURE_TEXT, "%" PRId64, flights.count > 0 ? (last - first) / 1000 : 0);
    figure_flights_free(&flights);
}

/* Whom the outer split sends to; how many messages the inner ones send; and whether the longest of these are shorter
 * than the longest of the outer one. */
void find_nested(const bmf_trace_run *run, const char *call, char *found)
{
    figure_flights flights;
    int64_t inner = 0, longest[2] = {0, 0}; /* of inner and outer ones */
    figure_flights_find(run, call, &flights);
    found[0] = '\0';
    for (int32_t p = 0; p < run->lanes; p++)
        for (int64_t k = 0; k < flights.count; k++) {
            const figure_flight *f = &flights.flight[k];
            const bool outer = f->from % 4 == 0 && f->to % 4 == 0;
            if (outer && f->to == p)
                put(found, p);
            longest[outer] = f->bytes > longest[outer] ? f->bytes : longest[outer];
            inner += p == 0 && !outer;
        }
    const size_t used = strlen(found);
    snprintf(found + used, FIGURE_TEXT - used, ", %" PRId64 "%s", inner,
             longest[false] < longest[true] ? " shorter" : "");
    figure_flights_free(&flights);
}

/* ---- on topologies ---- */

/* The most messages on one link at once while the call runs (round < 0: all its levels), and the longest route. */
static void put_load(const bmf_trace_run *run, const char *call, const char *topology, int64_t round, char *found)
{
    bmf_topologies all = {0};
    figure_flights flights;
    level levels[MAX_ROUNDS];
    int64_t most = 0, longest = 0;
    if (topologies_add(&all, topology, run->lanes) != BMF_OK)
        return;
    bmf_graph *graph = all.topology[0].graph;
    figure_flights_find(run, call, &flights);
    const int last = find_levels(&flights, levels) - 1;
    int64_t *load = malloc((size_t)(graph->links + 1) * sizeof *load);
    for (int64_t k = 0; load && k < flights.count; k++) {
        const int64_t now = flights.flight[k].begin;
        if (round == 0 && flights.flight[k].round != (uint32_t)last)
            continue;
        memset(load, 0, (size_t)(graph->links + 1) * sizeof *load);
        for (int64_t i = 0; i < flights.count; i++) {
            const figure_flight *f = &flights.flight[i];
            const int32_t *route;
            const int64_t hops = graph_route(graph, f->from, f->to, &route);
            longest = hops > longest ? hops : longest;
            for (int64_t h = 0; h < hops && f->begin <= now && f->end > now; h++)
                most = ++load[route[h]] > most ? load[route[h]] : most;
        }
    }
    free(load);
    snprintf(found, FIGURE_TEXT, "%" PRId64 " %" PRId64, most, longest);
    figure_flights_free(&flights);
    topologies_free(&all);
}

void find_tree_load(const bmf_trace_run *run, const char *call, char *found)
{
    put_load(run, call, "binary-tree", -1, found);
}

void find_mesh_load(const bmf_trace_run *run, const char *call, char *found)
{
    put_load(run, call, "mesh", -1, found);
}

void find_tree_last_level(const bmf_trace_run *run, const char *call, char *found)
{
    put_load(run, call, "binary-tree", 0, found);
    found[strcspn(found, " ")] = '\0';
}

/* ---- without a run ---- */

/* 6.3.1: a packet of 3 units that comes at 2, when the link is busy as in figure 6-2: up to 3, and from 6 on. */
void find_gap(const bmf_trace_run *run, const char *call, char *found)
{
    static const double busy[][2] = {{0, 1}, {1.5, 3}, {6, 7}, {9, 10}};
    bmf_timeline line = {0};
    (void)run, (void)call;
    for (size_t k = 0; k < sizeof busy / sizeof busy[0]; k++)
        timeline_take(&line, 0.0, busy[k][0], busy[k][1] - busy[k][0]);
    const double begin = timeline_take(&line, 0.0, 2.0, 3.0);
    snprintf(found, FIGURE_TEXT, "%.0f %.0f", begin, begin + 3.0);
    timeline_free(&line);
}

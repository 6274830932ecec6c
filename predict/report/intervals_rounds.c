/* Rounds of messages: who came when and left when.
 *
 * Method: the sends, receives and waits of one processor with the same (node, instance, round) are its part in that
 * round; the parts of all processors with the same are the round. Both are found by hash tables.
 * Cost: one lookup per event, one more per send; 48 bytes per part.
 */
#include <stdlib.h>

#include "predict/report/intervals_private.h"
#include "runtime/base/allocate.h"
#include "runtime/base/hash.h"

static uint64_t hash_part(uint32_t node, uint32_t instance, uint32_t round, int32_t lane)
{
    return hash_add(hash_add(0, (uint64_t)instance << 32 | round), (uint64_t)node << 32 | (uint32_t)lane);
}

static bool is_part(const bmf_round_part *part, const bmf_event *event, int32_t lane)
{
    return part->lane == lane && part->node == event->node && part->instance == event->instance &&
           part->round == event->round;
}

/* The part that is looked up. */
typedef struct wanted {
    const bmf_rounds *rounds;
    const bmf_event *event;
    int32_t lane;
} wanted;

static bool is_wanted(const void *looked_up, uint32_t number)
{
    const wanted *w = looked_up;
    return is_part(&w->rounds->part[number], w->event, w->lane);
}

const bmf_round_part *rounds_find(const bmf_rounds *rounds, const bmf_event *event, int32_t lane)
{
    const uint64_t hash = hash_part(event->node, event->instance, event->round, lane);
    const int64_t found = table_find(&rounds->table, hash, is_wanted, &(wanted){rounds, event, lane});
    return found == TABLE_NONE ? NULL : &rounds->part[found];
}

/* Most events belong to the part of the event before them. */
static int64_t part_of_event(bmf_rounds *rounds, const bmf_event *event, int64_t last)
{
    if (last >= 0 && is_part(&rounds->part[last], event, event->lane))
        return last;
    const uint64_t hash = hash_part(event->node, event->instance, event->round, event->lane);
    const wanted w = {rounds, event, event->lane};
    const int64_t number = table_find_or_add(&rounds->table, hash, is_wanted, &w, (uint32_t)rounds->parts);
    if (number == rounds->parts)
        rounds->part[rounds->parts++] =
            (bmf_round_part){event->node, event->instance, event->round, event->lane, event->begin, event->end, 0, -1};
    return number;
}

static void make_parts(const bmf_trace_run *run, bmf_rounds *rounds)
{
    int64_t last = -1;
    for (int64_t k = 0; k < run->events; k++) {
        const bmf_event *event = &run->event[k];
        rounds->part_of[k] = -1;
        if (!is_communication(event) || run->detail)
            continue;
        last = rounds->part_of[k] = part_of_event(rounds, event, last);
        bmf_round_part *part = &rounds->part[last];
        part->end = event->end > part->end ? event->end : part->end;
    }
}

/* When those came to the round who are sent to. */
static void find_latest(const bmf_trace_run *run, bmf_rounds *rounds)
{
    for (int64_t k = 0; k < run->events; k++) {
        const bmf_event *event = &run->event[k];
        if (event->kind != BMF_EVENT_SEND || run->detail)
            continue;
        const bmf_round_part *other = rounds_find(rounds, event, event->peer);
        bmf_round_part *part = &rounds->part[rounds->part_of[k]];
        if (other && other->begin > part->latest)
            part->latest = other->begin;
    }
}

/* A group has the key of each of its parts, of which it knows one. */
typedef struct groups {
    const bmf_round_part *part;
    uint32_t *example; /* by group: one of its parts */
    const bmf_round_part *wanted;
} groups;

static bool is_group(const void *looked_up, uint32_t number)
{
    const groups *g = looked_up;
    const bmf_round_part *part = g->wanted, *other = &g->part[g->example[number]];
    return other->node == part->node && other->instance == part->instance && other->round == part->round;
}

/* Rounds by (node, instance, round). */
static void make_groups(bmf_rounds *rounds)
{
    bmf_table table = {0};
    groups g = {rounds->part, allocate_array(rounds->parts, (int64_t)sizeof *g.example), NULL};
    rounds->group_end = allocate_array(rounds->parts, (int64_t)sizeof *rounds->group_end);
    table_make_room(&table, rounds->parts);
    for (int64_t k = 0; k < rounds->parts; k++) {
        bmf_round_part *part = &rounds->part[k];
        const uint32_t known = (uint32_t)table.count;
        g.wanted = part;
        const uint32_t group =
            table_find_or_add(&table, hash_part(part->node, part->instance, part->round, -1), is_group, &g, known);
        if (group == known) {
            g.example[group] = (uint32_t)k;
            rounds->group_end[group] = part->end;
        }
        part->group = group;
        if (part->end > rounds->group_end[group])
            rounds->group_end[group] = part->end;
    }
    table_free(&table);
    free(g.example);
}

void rounds_create(const bmf_trace_run *run, bmf_rounds *rounds)
{
    int64_t communication = 0;
    for (int64_t k = 0; k < run->events; k++)
        communication += is_communication(&run->event[k]);
    *rounds = (bmf_rounds){.part = allocate_array(communication, (int64_t)sizeof *rounds->part),
                           .part_of = allocate_array(run->events, (int64_t)sizeof *rounds->part_of)};
    table_make_room(&rounds->table, communication);
    make_parts(run, rounds);
    find_latest(run, rounds);
    make_groups(rounds);
}

void rounds_free(bmf_rounds *rounds)
{
    free(rounds->part);
    free(rounds->part_of);
    free(rounds->group_end);
    table_free(&rounds->table);
    *rounds = (bmf_rounds){0};
}

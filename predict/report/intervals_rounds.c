/* Rounds of messages: who came when and left when.
 *
 * Method: the sends, receives and waits of one processor with the same (node, instance, round) are its part in that
 * round; the parts of all processors with the same are the round. Both are found by hash tables.
 * Cost: one lookup per event, one more per send; 48 bytes per part.
 */
#include <stdlib.h>

#include "predict/report/intervals_private.h"

static uint64_t hash_part(uint32_t node, uint32_t instance, uint32_t round, int32_t lane)
{
    uint64_t h = (uint64_t)instance << 32 | round;
    h = (h ^ (h >> 29)) * 0xbf58476d1ce4e5b9U + ((uint64_t)node << 32 | (uint32_t)lane);
    h = (h ^ (h >> 32)) * 0x94d049bb133111ebU;
    return h ^ (h >> 29);
}

static bool is_part(const bmf_round_part *part, const bmf_event *event, int32_t lane)
{
    return part->lane == lane && part->node == event->node && part->instance == event->instance &&
           part->round == event->round;
}

/* The slot of the part, or the free one where it belongs. */
static uint64_t find_slot(const bmf_rounds *rounds, const bmf_event *event, int32_t lane)
{
    uint64_t at = hash_part(event->node, event->instance, event->round, lane) & rounds->mask;
    while (rounds->slot[at] && !is_part(&rounds->part[rounds->slot[at] - 1], event, lane))
        at = (at + 1) & rounds->mask;
    return at;
}

const bmf_round_part *rounds_find(const bmf_rounds *rounds, const bmf_event *event, int32_t lane)
{
    uint32_t found = rounds->slot[find_slot(rounds, event, lane)];
    return found ? &rounds->part[found - 1] : NULL;
}

/* Most events belong to the part of the event before them. */
static int64_t part_of_event(bmf_rounds *rounds, const bmf_event *event, int64_t last)
{
    if (last >= 0 && is_part(&rounds->part[last], event, event->lane))
        return last;
    uint64_t at = find_slot(rounds, event, event->lane);
    if (!rounds->slot[at]) {
        rounds->part[rounds->parts] =
            (bmf_round_part){event->node, event->instance, event->round, event->lane, event->begin, event->end, 0, -1};
        rounds->slot[at] = (uint32_t)++rounds->parts;
    }
    return rounds->slot[at] - 1;
}

static void make_parts(const bmf_run *run, bmf_rounds *rounds)
{
    int64_t last = -1;
    for (int64_t k = 0; k < run->events; k++) {
        const bmf_event *event = &run->event[k];
        rounds->part_of[k] = -1;
        if (!is_communication(event))
            continue;
        last = rounds->part_of[k] = part_of_event(rounds, event, last);
        bmf_round_part *part = &rounds->part[last];
        part->end = event->end > part->end ? event->end : part->end;
    }
}

/* When those came to the round who are sent to. */
static void find_latest(const bmf_run *run, bmf_rounds *rounds)
{
    for (int64_t k = 0; k < run->events; k++) {
        const bmf_event *event = &run->event[k];
        if (event->kind != BMF_EVENT_SEND)
            continue;
        const bmf_round_part *other = rounds_find(rounds, event, event->peer);
        bmf_round_part *part = &rounds->part[rounds->part_of[k]];
        if (other && other->begin > part->latest)
            part->latest = other->begin;
    }
}

/* Rounds by (node, instance, round): a second table of group numbers, whose keys are those of one of their parts. */
static bool make_groups(bmf_rounds *rounds)
{
    size_t slots = (size_t)rounds->mask + 1;
    uint32_t *slot = calloc(slots, sizeof *slot);
    uint32_t *example = malloc(((size_t)rounds->parts + 1) * sizeof *example);
    rounds->group_end = malloc(((size_t)rounds->parts + 1) * sizeof *rounds->group_end);
    uint32_t groups = 0;
    for (int64_t k = 0; slot && example && rounds->group_end && k < rounds->parts; k++) {
        bmf_round_part *part = &rounds->part[k];
        uint64_t at = hash_part(part->node, part->instance, part->round, -1) & rounds->mask;
        for (; slot[at]; at = (at + 1) & rounds->mask) {
            const bmf_round_part *other = &rounds->part[example[slot[at] - 1]];
            if (other->node == part->node && other->instance == part->instance && other->round == part->round)
                break;
        }
        if (!slot[at]) {
            example[groups] = (uint32_t)k;
            rounds->group_end[groups] = part->end;
            slot[at] = ++groups;
        }
        part->group = slot[at] - 1;
        if (part->end > rounds->group_end[part->group])
            rounds->group_end[part->group] = part->end;
    }
    bool complete = slot && example && rounds->group_end;
    free(slot);
    free(example);
    return complete;
}

int rounds_create(const bmf_run *run, bmf_rounds *rounds)
{
    int64_t communication = 0;
    uint64_t slots = 64;
    for (int64_t k = 0; k < run->events; k++)
        communication += is_communication(&run->event[k]);
    while (slots < 2 * (uint64_t)communication)
        slots *= 2;
    *rounds = (bmf_rounds){.part = malloc(((size_t)communication + 1) * sizeof *rounds->part),
                           .part_of = malloc(((size_t)run->events + 1) * sizeof *rounds->part_of),
                           .slot = calloc(slots, sizeof *rounds->slot),
                           .mask = slots - 1};
    if (!rounds->part || !rounds->part_of || !rounds->slot || communication >= UINT32_MAX)
        return BMF_ERROR_MEMORY;
    make_parts(run, rounds);
    find_latest(run, rounds);
    return make_groups(rounds) ? BMF_OK : BMF_ERROR_MEMORY;
}

void rounds_free(bmf_rounds *rounds)
{
    free(rounds->part);
    free(rounds->part_of);
    free(rounds->group_end);
    free(rounds->slot);
    *rounds = (bmf_rounds){0};
}

/* Which message a receive of a running program gets.
 *
 * Method: MPI's rules. Messages of one sender in one communicator are received in their order; a message goes to the
 * first receive posted that fits. For receives from one rank that needs no times: they get the first message that fits
 * as soon as both are known, unless an earlier receive from any source may take it. A receive from any source gets, of
 * the first messages of all senders, the one that arrives first, and on networks whose messages wait for their receives
 * the one that was sent first; equal times: the lower sender. Cost: linear in what is unmatched on the rank. */
#include <string.h>

#include "predict/replay/online_private.h"
#include "runtime/base/array.h"

static bool fits(const bmf_recorded_receive *r, const bmf_recorded_message *m)
{
    return r->group == m->group && (r->source < 0 || r->source == m->transit.from) && (r->tag < 0 || r->tag == m->tag);
}

static void remove_number(int64_t *list, int64_t *count, int64_t number)
{
    int64_t at = 0;
    while (list[at] != number)
        at++;
    memmove(&list[at], &list[at + 1], (size_t)(--*count - at) * sizeof *list);
}

void online_settle(bmf_online *o, int32_t number, int64_t receive, int64_t message)
{
    bmf_recorded_program *p = &o->program;
    online_rank *rank = &o->rank[number];
    bmf_recorded_receive *r = &p->receive[receive];
    const bmf_recorded_message *m = message_at(p, message);
    remove_number(rank->open, &rank->opens, receive);
    remove_number(rank->unmatched, &rank->unmatcheds, message);
    if (r->held)
        *ARRAY_APPEND(rank->choice, rank->choices, rank->choice_capacity) =
            (bmf_virtual_choice){r->round, (int32_t)m->transit.from, m->tag};
    recorded_known(p, r, message);
}

/* Whether an open receive before the place `before` would take the message. */
static bool is_wanted_before(const bmf_online *o, const online_rank *rank, int64_t before,
                             const bmf_recorded_message *m)
{
    for (int64_t k = 0; k < before; k++)
        if (fits(&o->program.receive[rank->open[k]], m))
            return true;
    return false;
}

/* A receive from one rank, at a place among the open ones. */
static bool match_at(bmf_online *o, int32_t number, int64_t at)
{
    const bmf_recorded_program *p = &o->program;
    const online_rank *rank = &o->rank[number];
    const int64_t receive = rank->open[at];
    for (int64_t k = 0; k < rank->unmatcheds; k++) {
        const int64_t message = rank->unmatched[k];
        if (!fits(&p->receive[receive], message_at(p, message)))
            continue;
        if (is_wanted_before(o, rank, at, message_at(p, message)))
            return false;
        online_settle(o, number, receive, message);
        return true;
    }
    return false;
}

void online_new_message(bmf_online *o, int32_t number, int64_t message)
{
    online_rank *rank = &o->rank[number];
    const bmf_recorded_message *m = message_at(&o->program, message);
    *ARRAY_APPEND(rank->unmatched, rank->unmatcheds, rank->unmatched_capacity) = message;
    rank->stale = true;
    for (int64_t k = 0; k < rank->opens; k++)
        if (fits(&o->program.receive[rank->open[k]], m)) {
            if (o->program.receive[rank->open[k]].source >= 0)
                match_at(o, number, k);
            return;
        }
}

void online_match_rest(bmf_online *o, int32_t number)
{
    const online_rank *rank = &o->rank[number];
    for (int64_t k = 0; k < rank->opens;)
        if (o->program.receive[rank->open[k]].source < 0 || !match_at(o, number, k))
            k++;
}

void online_new_receive(bmf_online *o, int32_t number, int64_t receive)
{
    online_rank *rank = &o->rank[number];
    *ARRAY_APPEND(rank->open, rank->opens, rank->open_capacity) = receive;
    rank->stale = true;
    if (o->program.receive[receive].source >= 0)
        match_at(o, number, rank->opens - 1);
}

/* When a message can be received, as far as is known. */
static double time_of(const bmf_recorded_program *p, const bmf_recorded_message *m)
{
    if (p->network->type->post)
        return m->sent ? m->transit.sent : INFINITY;
    return m->complete ? m->transit.arrived : INFINITY;
}

/* Whether an earlier unmatched message of its sender fits, too. */
static bool is_behind(const bmf_online *o, const online_rank *rank, const bmf_recorded_receive *wanted, int64_t at)
{
    const bmf_recorded_message *m = message_at(&o->program, rank->unmatched[at]);
    for (int64_t k = 0; k < at; k++) {
        const bmf_recorded_message *earlier = message_at(&o->program, rank->unmatched[k]);
        if (earlier->transit.from == m->transit.from && fits(wanted, earlier))
            return true;
    }
    return false;
}

int64_t online_first(const bmf_online *o, int32_t number, const bmf_recorded_receive *wanted, int64_t before,
                     double *time)
{
    const online_rank *rank = &o->rank[number];
    int64_t found = -1;
    *time = INFINITY;
    for (int64_t k = 0; k < rank->unmatcheds; k++) {
        const bmf_recorded_message *m = message_at(&o->program, rank->unmatched[k]);
        const double at = time_of(&o->program, m);
        const bool first =
            at < *time || (at == *time && found >= 0 && m->transit.from < message_at(&o->program, found)->transit.from);
        if (!first || !fits(wanted, m) || is_behind(o, rank, wanted, k) || is_wanted_before(o, rank, before, m))
            continue;
        *time = at;
        found = rank->unmatched[k];
    }
    return found;
}

/* Events of calls.
 *
 * Where only sums are wanted, the event's time and amount go to the sum of its phase, name and partner instead. */
#include "predict/record/record.h"
#include "predict/record/sums.h"
#include "predict/record/virtual.h"

/* The last event, while it was a try that found nothing: more of them lengthen it. Tries with more than this between
 * them are events of their own, and what is between is computing. */
enum { TRIES_APART = 1000 };

static struct {
    uint16_t name;
    int64_t begin, end, tries;
} poll;

static void add_record(uint16_t name, int64_t begin, int64_t end, const bmf_event_facts *facts)
{
    part_add(
        &(part_record){.event = {.begin = begin,
                                 .end = end,
                                 .amount = facts->amount,
                                 .low = end - begin,
                                 .high = end - begin,
                                 .node = rec.node,
                                 .instance = rec.instance,
                                 .round = facts->round,
                                 .lane = rec.rank,
                                 .peer = facts->peer,
                                 .kind = (uint16_t)facts->kind,
                                 .name = name},
                       .detail = {facts->group | facts->flags << BMF_DETAIL_GROUP_BITS, facts->tag, facts->number}});
}

static void end_tries(void)
{
    const int64_t tries = poll.tries;
    poll.tries = 0;
    if (tries > 0)
        add_record(poll.name, poll.begin, poll.end,
                   &(bmf_event_facts){.kind = BMF_EVENT_WAIT,
                                      .peer = -1,
                                      .tag = -1,
                                      .amount = tries,
                                      .number = -1,
                                      .flags = BMF_DETAIL_UNSUCCESSFUL});
}

void events_flush(void)
{
    end_tries();
}

void event_add(const bmf_call *c, int64_t begin, int64_t end, const bmf_event_facts *facts)
{
    if (rec.sums) {
        sums_add(rec.node, c->name, facts, end - begin);
        return;
    }
    /* What is between two tries is computing of the loop around them. */
    if (poll.tries > 0 && facts->kind == BMF_EVENT_KERNEL && facts->amount == 0 && begin == poll.end &&
        (rec.untimed || end - begin < TRIES_APART))
        return;
    end_tries();
    if (rec.virtual && facts->kind == BMF_EVENT_KERNEL)
        virtual_say_computing(facts->number, facts->amount);
    add_record(c->name, begin, end, facts);
}

void event_add_try(const bmf_call *c, int64_t end)
{
    const bmf_event_facts facts = {.kind = BMF_EVENT_WAIT, .peer = -1, .tag = -1, .number = -1};
    if (rec.sums) {
        sums_add(rec.node, c->name, &facts, end - c->begin);
        return;
    }
    if (poll.tries > 0 && (poll.name != c->name || (!rec.untimed && c->begin - poll.end >= TRIES_APART)))
        end_tries();
    if (poll.tries == 0) {
        poll.name = c->name;
        poll.begin = c->begin;
    }
    poll.end = end;
    poll.tries++;
}

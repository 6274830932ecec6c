/* Runs in the order of their recording: a log of actions as parts, each of which does one kind of thing.
 *
 * Method: entries of rounds and families are parts as they are; what stands alone is put together with what is of its
 * kind and stands behind it. Whether that is an order that processors and messages allow is known of rounds and
 * families, and looked at where actions stand alone: receivers say that they are ready before messages are sent where
 * these wait for it, messages are sent before they are received, all of a round to one processor behind each other.
 * Cost: a few stores a message and an action that stands alone. */
#include <stdlib.h>
#include <string.h>

#include "predict/simulate/in_order_private.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"

/* How far a message is; of the messages of a round to one processor the first is told apart, because with its receive
 * all of them are taken. Those of rounds that are entries go together. */
typedef enum handed { HANDED_NOT, POSTED, SENT, SENT_TOGETHER, RECEIVED, RECEIVED_FIRST, RECEIVED_TOGETHER } handed;

typedef struct making {
    bmf_in_order *o;
    const bmf_actions *actions;
    uint8_t *handed;           /* by message as recorded */
    int32_t *place, *numbered; /* its place among all that are sent, and back */
    /* rounds in which a processor has sent alone and not waited, by places: */
    int32_t *first;  /* by processor: the first message of its last such round, -1 */
    int32_t *last;   /* by first message: the last one so far */
    int32_t *outer;  /* by first message: the first of the processor's round before, -1 */
    int64_t *alone;  /* by processor: its last stored action that stood alone, -1 */
    int64_t meeting; /* processors that have come to one */
} making;

/* ---- parts ---- */

/* The last part if it is of that kind, all else being equal, and ends at `end`; otherwise a new one. */
static ordered_part *part_from(making *m, const ordered_part *wanted)
{
    bmf_in_order *o = m->o;
    ordered_part *last = o->parts > 0 ? &o->part[o->parts - 1] : NULL;
    if (last && last->kind == wanted->kind && last->listed == wanted->listed && last->end == wanted->begin)
        return last;
    last = ARRAY_APPEND(o->part, o->parts, o->part_capacity);
    *last = *wanted;
    return last;
}

static void add_items(making *m, ordered_kind kind, const int32_t *item, int64_t count)
{
    bmf_in_order *o = m->o;
    ARRAY_RESERVE(o->item, o->item_capacity, o->items + count);
    memcpy(o->item + o->items, item, (size_t)count * sizeof *item);
    part_from(m, &(ordered_part){.kind = kind, .listed = true, .begin = o->items, .end = o->items})->end += count;
    o->items += count;
}

static void add_item(making *m, ordered_kind kind, int32_t message)
{
    add_items(m, kind, &message, 1);
}

/* Of messages behind each other the first to each receiver, or by each sender. */
static void add_firsts(making *m, ordered_kind kind, bool sent, int64_t begin, int64_t end)
{
    const ordered_message *message = m->o->message;
    uint8_t *linked = allocate_clear(end - begin, 1);
    int32_t *item = allocate((end - begin) * (int64_t)sizeof *item);
    int64_t items = 0;
    for (int64_t k = begin; k < end; k++) {
        const int32_t next = sent ? message[k].next_sent : message[k].next;
        if (next >= 0)
            linked[next - begin] = 1;
        if (!linked[k - begin])
            item[items++] = (int32_t)k;
    }
    if (items == end - begin)
        *ARRAY_APPEND(m->o->part, m->o->parts, m->o->part_capacity) =
            (ordered_part){.kind = kind, .begin = begin, .end = end};
    else
        add_items(m, kind, item, items);
    free(linked);
    free(item);
}

/* ---- messages ---- */

/* False: it was sent before. */
static bool place_message(making *m, int64_t number)
{
    if (m->place[number] >= 0)
        return false;
    m->numbered[m->o->messages] = (int32_t)number;
    m->place[number] = (int32_t)m->o->messages++;
    return true;
}

/* Messages by their place among all that are sent. */
static bool place_messages(making *m)
{
    const bmf_actions *actions = m->actions;
    bool right = true;
    for (int64_t e = 0; e < actions->entries; e++) {
        const bmf_actions_entry *entry = &actions->entry[e];
        for (int64_t k = entry->begin; entry->kind == BMF_ENTRY_ROUND_BEGIN && k < entry->end && right; k++)
            right = place_message(m, k);
        for (int64_t k = entry->begin; entry->kind == BMF_ENTRY_ACTIONS && k < entry->end && right; k++)
            if (actions->stored[k].kind == BMF_ACTION_SEND)
                right = place_message(m, actions->stored[k].message);
    }
    return right;
}

static int32_t place_of(const making *m, int64_t number)
{
    return number >= 0 ? m->place[number] : -1;
}

static void describe_messages(making *m, const int32_t *times)
{
    bmf_in_order *o = m->o;
    o->message = allocate((o->messages + 1) * (int64_t)sizeof *o->message);
    for (int64_t k = 0; k < o->messages; k++) {
        const bmf_scheduled_message *of = &m->actions->message[m->numbered[k]];
        o->message[k] = (ordered_message){.from = of->from,
                                          .to = of->to,
                                          .next = place_of(m, of->next),
                                          .next_sent = place_of(m, of->next_sent),
                                          .times = times[m->numbered[k]],
                                          .bytes = of->bytes};
    }
}

/* ---- actions that stand alone ---- */

static int64_t round_of(const making *m, int32_t message)
{
    return m->actions->message[m->numbered[message]].round;
}

static int32_t *find_open(const making *m, int32_t whose, int64_t round)
{
    int32_t *at = &m->first[whose];
    while (*at >= 0 && round_of(m, *at) != round)
        at = &m->outer[*at];
    return at;
}

/* A message is handed over; it belongs to its processor's round. */
static void link_send(making *m, int32_t k)
{
    ordered_message *message = m->o->message;
    const int32_t from = message[k].from, first = *find_open(m, from, round_of(m, k));
    message[k].next_sent = -1;
    if (first >= 0) {
        message[m->last[first]].next_sent = k;
        m->last[first] = k;
    } else {
        m->outer[k] = m->first[from];
        m->last[k] = k;
        m->first[from] = k;
    }
}

static bool add_send(making *m, const bmf_action *action)
{
    const int64_t number = action->message;
    const int32_t place = m->place[number];
    const bool meets = m->o->times[m->o->message[place].times].meets;
    const bool before = m->handed[number] == POSTED || (m->handed[number] == HANDED_NOT && !meets);
    m->handed[number] = SENT;
    link_send(m, place);
    part_from(m, &(ordered_part){.kind = ORDERED_SEND, .begin = place, .end = place})->end++;
    return before && m->actions->message[number].from == action->processor;
}

static bool add_post(making *m, const bmf_action *action)
{
    const bmf_scheduled_message *message = m->actions->message;
    for (int64_t k = action->amount; k >= 0; k = message[k].next)
        if (m->handed[k] == HANDED_NOT && message[k].to == action->processor)
            m->handed[k] = POSTED;
    if (m->o->meets && action->amount >= 0)
        add_item(m, ORDERED_POST, m->place[action->amount]);
    return true;
}

/* Of receives that follow each other, with the messages that do, the first one is an item. */
static bool add_receive(making *m, const bmf_actions_entry *entry, const bmf_action *action)
{
    const bmf_actions *actions = m->actions;
    const int64_t before = m->alone[action->processor];
    const bool follows = before >= entry->begin && actions->stored[before].kind == BMF_ACTION_RECEIVE &&
                         actions->message[actions->stored[before].message].next == action->message;
    const bool sent = m->handed[action->message] == SENT;
    m->handed[action->message] = follows ? RECEIVED : RECEIVED_FIRST;
    if (!follows)
        add_item(m, ORDERED_RECEIVE, m->place[action->message]);
    return sent && actions->message[action->message].to == action->processor;
}

/* Nothing to wait for is nothing to do. */
static bool add_wait(making *m, const bmf_action *action)
{
    int32_t *at = find_open(m, action->processor, action->message);
    if (*at < 0)
        return true;
    add_item(m, ORDERED_WAIT, *at);
    *at = m->outer[*at];
    return true;
}

static void add_meeting(making *m, const bmf_actions_entry *entry, int64_t stored, int64_t number)
{
    const ordered_kind kind = number < m->actions->start ? ORDERED_LOADED : ORDERED_MEET;
    *ARRAY_APPEND(m->o->part, m->o->parts, m->o->part_capacity) =
        (ordered_part){.kind = kind, .own = entry->kind == BMF_ENTRY_ACTIONS, .begin = stored};
}

/* All come to a meeting, one behind the other. */
static bool add_comer(making *m, const bmf_actions_entry *entry, int64_t stored)
{
    if (m->actions->stored[stored].processor != m->meeting)
        return false;
    if (m->meeting == 0)
        add_meeting(m, entry, stored, entry->first + stored - entry->begin);
    m->meeting = m->meeting + 1 == m->actions->processors ? 0 : m->meeting + 1;
    return true;
}

static bool add_computing(making *m, const bmf_actions_entry *entry, int64_t stored)
{
    part_from(m, &(ordered_part){.kind = ORDERED_COMPUTE,
                                 .begin = stored,
                                 .end = stored,
                                 .action = entry->first + stored - entry->begin})
        ->end++;
    return true;
}

static bool add_alone(making *m, const bmf_actions_entry *entry, int64_t stored)
{
    const bmf_action *action = &m->actions->stored[stored];
    switch ((bmf_action_kind)action->kind) {
    case BMF_ACTION_COMPUTE:
    case BMF_ACTION_OVERHEAD:
        return add_computing(m, entry, stored);
    case BMF_ACTION_POST:
        return add_post(m, action);
    case BMF_ACTION_SEND:
        return add_send(m, action);
    case BMF_ACTION_RECEIVE:
        return add_receive(m, entry, action);
    case BMF_ACTION_WAIT:
        return add_wait(m, action);
    case BMF_ACTION_BARRIER:
        return add_comer(m, entry, stored);
    }
    return false;
}

static bool add_actions(making *m, const bmf_actions_entry *entry)
{
    bool right = true;
    for (int64_t k = entry->begin; k < entry->end && right; k++) {
        const bmf_action *action = &m->actions->stored[k];
        right = (m->meeting == 0 || action->kind == BMF_ACTION_BARRIER) && add_alone(m, entry, k);
        m->alone[action->processor] = k;
    }
    return right;
}

/* ---- entries ---- */

static void begin_round(making *m, const bmf_actions_entry *entry)
{
    const int64_t begin = m->place[entry->begin], end = begin + entry->end - entry->begin;
    memset(m->handed + entry->begin, SENT_TOGETHER, (size_t)(end - begin));
    if (m->o->meets)
        add_firsts(m, ORDERED_POST, false, begin, end);
    part_from(m, &(ordered_part){.kind = ORDERED_SEND, .begin = begin, .end = begin})->end = end;
}

static bool end_round(making *m, const bmf_actions_entry *entry)
{
    const int64_t begin = m->place[entry->begin], end = begin + entry->end - entry->begin;
    if (m->handed[entry->begin] != SENT_TOGETHER)
        return false;
    memset(m->handed + entry->begin, RECEIVED_TOGETHER, (size_t)(end - begin));
    add_firsts(m, ORDERED_RECEIVE, false, begin, end);
    add_firsts(m, ORDERED_WAIT, true, begin, end);
    return true;
}

static void add_all(making *m, const bmf_actions_entry *entry)
{
    if (m->actions->stored[entry->begin].kind == BMF_ACTION_BARRIER)
        add_meeting(m, entry, entry->begin, entry->first);
    else
        *ARRAY_APPEND(m->o->part, m->o->parts, m->o->part_capacity) =
            (ordered_part){.kind = ORDERED_ALL, .begin = entry->begin, .end = entry->end, .action = entry->first};
}

static void add_family(making *m, const bmf_actions_entry *entry)
{
    *ARRAY_APPEND(m->o->part, m->o->parts, m->o->part_capacity) = (ordered_part){.kind = ORDERED_FAMILY,
                                                                                 .begin = entry->begin,
                                                                                 .end = entry->end,
                                                                                 .slice = entry->number,
                                                                                 .action = entry->first};
}

static bool add_entry(making *m, const bmf_actions_entry *entry)
{
    if (m->meeting > 0 && entry->kind != BMF_ENTRY_ACTIONS)
        return false;
    switch ((bmf_entry_kind)entry->kind) {
    case BMF_ENTRY_ACTIONS:
        return add_actions(m, entry);
    case BMF_ENTRY_FAMILY:
        add_family(m, entry);
        return true;
    case BMF_ENTRY_ALL:
        add_all(m, entry);
        return true;
    case BMF_ENTRY_ROUND_BEGIN:
        begin_round(m, entry);
        return true;
    case BMF_ENTRY_ROUND_END:
        return end_round(m, entry);
    }
    return false;
}

/* Every chain of receives begins with the first message of its round to that receiver, and all of it follows. */
static bool all_are_received(const making *m)
{
    const bmf_actions *actions = m->actions;
    bool right = true;
    for (int64_t k = 0; k < actions->messages && right; k++) {
        const int64_t next = actions->message[k].next;
        right =
            m->handed[k] >= RECEIVED && (next < 0 || m->handed[k] == RECEIVED_TOGETHER || m->handed[next] == RECEIVED);
    }
    return right;
}

/* ---- rounds of pairs ---- */

static bool has_same_messages(const ordered_part *part, ordered_kind kind, const ordered_part *sends)
{
    return part->kind == kind && !part->listed && part->begin == sends->begin && part->end == sends->end;
}

/* Whether part k and the next two are a round in which each processor has one message, to send or to receive. (Of
 * messages that have a sender or a receiver in common only the first is in the parts behind.) seen: by processor, the
 * last such part that it was looked at for. */
static bool is_of_pairs(const bmf_in_order *o, int64_t k, int64_t *seen)
{
    const ordered_part *part = &o->part[k];
    bool apart = k + 2 < o->parts && part->kind == ORDERED_SEND && has_same_messages(part + 1, ORDERED_RECEIVE, part) &&
                 has_same_messages(part + 2, ORDERED_WAIT, part);
    for (int64_t m = part->begin; apart && m < part->end; m++)
        seen[o->message[m].to] = k;
    for (int64_t m = part->begin; apart && m < part->end; m++)
        apart = seen[o->message[m].from] != k;
    return apart;
}

/* Nobody in such a round waits for another message of it but its own, so that each can be followed to its end while it
 * is in the cache. */
static void join_pairs(bmf_in_order *o)
{
    int64_t *seen = allocate(o->actions->processors * (int64_t)sizeof *seen), parts = 0;
    for (int64_t p = 0; p < o->actions->processors; p++)
        seen[p] = -1;
    for (int64_t k = 0; k < o->parts; k++) {
        const bool pairs = is_of_pairs(o, k, seen);
        ordered_part *kept = &o->part[parts++];
        *kept = o->part[k];
        if (pairs) {
            kept->kind = ORDERED_PAIRS;
            k += 2;
        }
    }
    o->parts = parts;
    free(seen);
}

/* ---- computing ---- */

static int64_t count_computing(const bmf_in_order *o, const ordered_part *part)
{
    const bmf_actions *actions = o->actions;
    int64_t count = 0;
    switch (part->kind) {
    case ORDERED_COMPUTE:
        return part->end - part->begin;
    case ORDERED_ALL:
        return actions->processors;
    case ORDERED_FAMILY:
        for (int64_t k = part->begin; k < part->end; k++)
            count += actions->slice[part->slice + actions->member[k].slice].count;
        return count;
    default:
        return 0;
    }
}

static bool sends(ordered_kind kind)
{
    return kind == ORDERED_SEND || kind == ORDERED_PAIRS;
}

/* The parts before anything is sent, and the places of what is computed behind them. */
static void find_leading(bmf_in_order *o)
{
    while (o->leading < o->parts && !sends(o->part[o->leading].kind))
        o->computed += count_computing(o, &o->part[o->leading++]);
    for (int64_t k = o->leading; k < o->parts; k++) {
        o->part[k].computation = o->kept;
        o->kept += count_computing(o, &o->part[k]);
    }
    o->computed += o->kept;
}

/* ---- all ---- */

static void making_open(bmf_in_order *o, making *m)
{
    const bmf_actions *actions = o->actions;
    const int64_t bytes = (actions->messages + 1) * (int64_t)sizeof(int32_t);
    *m = (making){.o = o,
                  .actions = actions,
                  .handed = allocate_clear(actions->messages + 1, 1),
                  .place = allocate(bytes),
                  .numbered = allocate(bytes),
                  .first = allocate(actions->processors * (int64_t)sizeof(int32_t)),
                  .last = allocate(bytes),
                  .outer = allocate(bytes),
                  .alone = allocate(actions->processors * (int64_t)sizeof(int64_t))};
    memset(m->place, 0xff, (size_t)bytes);
    for (int64_t p = 0; p < actions->processors; p++) {
        m->first[p] = -1;
        m->alone[p] = -1;
    }
}

static void making_close(const making *m)
{
    free(m->handed);
    free(m->place);
    free(m->numbered);
    free(m->first);
    free(m->last);
    free(m->outer);
    free(m->alone);
}

bool in_order_make_parts(bmf_in_order *o, const int32_t *times)
{
    making m;
    making_open(o, &m);
    bool right = place_messages(&m);
    describe_messages(&m, times);
    for (int64_t e = 0; e < o->actions->entries && right; e++)
        right = add_entry(&m, &o->actions->entry[e]);
    right = right && m.meeting == 0 && all_are_received(&m);
    making_close(&m);
    if (right) {
        join_pairs(o);
        find_leading(o);
    }
    return right;
}

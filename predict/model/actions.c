/* Recording what processors do.
 *
 * Method: arrays that double, of entries, of stored actions, of members and of messages, and a tree of scopes. The
 * messages of a round stand together, so that a round is found again by its number (binary search); those to one
 * receiver are linked, and those of one sender, so that what both do follows from them. Computing of a family is
 * compared with the last few of it.
 * Cost: a few stores an action that is stored, or a member; a message and its two links; a round is two entries.
 */
#include "predict/model/actions_private.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/base/search.h"

enum { COMPARED = 4 }; /* slices of a family, with what comes next */

bmf_actions *actions_create(int64_t processors, bmf_trace_run *names)
{
    bmf_actions *actions = allocate_clear(1, (int64_t)sizeof *actions);
    actions->processors = processors;
    actions->names = names;
    actions->last_received = allocate(2 * processors * (int64_t)sizeof(int64_t));
    actions->last_sent = actions->last_received + processors;
    for (int64_t p = 0; p < 2 * processors; p++)
        actions->last_received[p] = -1;
    *ARRAY_APPEND(actions->scope, actions->scopes, actions->scope_capacity) =
        (bmf_scope){.kind = BMF_EVENT_REGION, .left = -1};
    return actions;
}

void actions_free(bmf_actions *actions)
{
    if (!actions)
        return;
    for (int64_t s = 0; s < actions->scopes; s++)
        free(actions->scope[s].amount);
    free(actions->scope);
    free(actions->last_received);
    free(actions->held);
    free(actions->first_held);
    free(actions->message);
    free(actions->entry);
    free(actions->stored);
    free(actions->slice);
    free(actions->member);
    free(actions->bytes);
    free(actions->shares);
    free(actions->list.action);
    free(actions);
}

void actions_enter(bmf_actions *actions, uint32_t node, uint32_t instance, bmf_event_kind kind)
{
    ARRAY_RESERVE(actions->scope, actions->scope_capacity, actions->scopes + 1);
    actions->scope[actions->scopes] = (bmf_scope){.parent = actions->open,
                                                  .node = node,
                                                  .instance = instance,
                                                  .kind = (uint16_t)kind,
                                                  .entered = actions->count,
                                                  .left = -1};
    actions->open = (uint32_t)actions->scopes++;
}

void actions_place(bmf_actions *actions, uint16_t place)
{
    actions->scope[actions->open].place = place;
}

void actions_leave(bmf_actions *actions, int64_t *amount)
{
    bmf_scope *scope = &actions->scope[actions->open];
    free(scope->amount);
    scope->amount = amount;
    if (actions->open == 0)
        return;
    scope->left = actions->count;
    actions->open = scope->parent;
}

void actions_hold_from(bmf_actions *actions, int64_t processor, int64_t position, int64_t bytes)
{
    if (!actions->first_held) {
        actions->first_held = allocate(2 * actions->processors * (int64_t)sizeof(int64_t));
        actions->last_held = actions->first_held + actions->processors;
        for (int64_t p = 0; p < 2 * actions->processors; p++)
            actions->first_held[p] = -1;
    }
    const int64_t last = actions->last_held[processor];
    *(last >= 0 ? &actions->held[last].next : &actions->first_held[processor]) = actions->helds;
    actions->last_held[processor] = actions->helds;
    *ARRAY_APPEND(actions->held, actions->helds, actions->held_capacity) = (bmf_actions_held){position, bytes, -1};
}

void actions_hold(bmf_actions *actions, int64_t processor, int64_t bytes)
{
    actions_hold_from(actions, processor, actions->count, bytes);
}

void actions_hold_as(bmf_actions *actions, const bmf_actions *before)
{
    for (int64_t p = 0; before->last_held && p < before->processors && p < actions->processors; p++)
        if (before->last_held[p] >= 0)
            actions_hold(actions, p, before->held[before->last_held[p]].bytes);
}

/* ---- entries ---- */

static bmf_actions_entry *add_entry(bmf_actions *actions, bmf_entry_kind kind, int64_t begin, int64_t end,
                                    int64_t count)
{
    bmf_actions_entry *made = ARRAY_APPEND(actions->entry, actions->entries, actions->entry_capacity);
    *made = (bmf_actions_entry){.first = actions->count,
                                .count = count,
                                .begin = begin,
                                .end = end,
                                .scope = actions->open,
                                .kind = (uint8_t)kind};
    actions->count += count;
    return made;
}

/* Returns its number. */
static int64_t store(bmf_actions *actions, const bmf_action *action, bmf_action_bytes bytes,
                     const bmf_thread_shares *shares)
{
    const int64_t number = actions->stored_count;
    *ARRAY_APPEND(actions->stored, actions->stored_count, actions->stored_capacity) = *action;
    if (actions->keeps_bytes) {
        ARRAY_RESERVE(actions->bytes, actions->bytes_capacity, actions->stored_count);
        actions->bytes[number] = bytes;
    }
    if (actions->keeps_shares) {
        ARRAY_RESERVE(actions->shares, actions->shares_capacity, actions->stored_count);
        actions->shares[number] = shares ? *shares : (bmf_thread_shares){0};
    }
    return number;
}

/* One action, behind the others. */
static void add_alone(bmf_actions *actions, const bmf_action *action)
{
    const int64_t number = store(actions, action, (bmf_action_bytes){0}, NULL);
    bmf_actions_entry *last = actions->entries > 0 ? &actions->entry[actions->entries - 1] : NULL;
    if (!last || last->kind != BMF_ENTRY_ACTIONS || last->end != number) {
        add_entry(actions, BMF_ENTRY_ACTIONS, number, number + 1, 1);
        return;
    }
    last->end++;
    last->count++;
    actions->count++;
}

static void add_to_family(bmf_actions *actions, const bmf_action *action);

void actions_add(bmf_actions *actions, bmf_action action)
{
    action.scope = actions->open;
    if (actions->adding.to_slice)
        store(actions, &action, (bmf_action_bytes){0}, NULL);
    else if (actions->adding.to_family)
        add_to_family(actions, &action);
    else
        add_alone(actions, &action);
}

static void add_for_all(bmf_actions *actions, bmf_action action)
{
    action.scope = actions->open;
    const int64_t number = store(actions, &action, (bmf_action_bytes){0}, NULL);
    add_entry(actions, BMF_ENTRY_ALL, number, number + 1, actions->processors);
}

/* ---- families ---- */

void actions_slice_begin(bmf_actions *actions)
{
    actions->adding.to_slice = true;
    *ARRAY_APPEND(actions->slice, actions->slices, actions->slice_capacity) =
        (bmf_action_slice){.begin = actions->stored_count};
}

int64_t actions_slice_end(bmf_actions *actions)
{
    bmf_action_slice *slice = &actions->slice[actions->slices - 1];
    slice->count = actions->stored_count - slice->begin;
    actions->adding.to_slice = false;
    return actions->slices - 1;
}

int64_t actions_keep_members(bmf_actions *actions, const bmf_member *member, int64_t count)
{
    const int64_t first = actions->members;
    ARRAY_RESERVE(actions->member, actions->member_capacity, first + count);
    if (count > 0)
        memcpy(actions->member + first, member, (size_t)count * sizeof *member);
    actions->members += count;
    return first;
}

void actions_add_family(bmf_actions *actions, int64_t first, int64_t count, int64_t slice)
{
    int64_t all = 0;
    for (int64_t k = first; k < first + count; k++)
        all += actions->slice[slice + actions->member[k].slice].count;
    if (all > 0)
        add_entry(actions, BMF_ENTRY_FAMILY, first, first + count, all)->number = slice;
}

static bool same_but_processor(const bmf_action *a, const bmf_action *b)
{
    return a->seconds == b->seconds && a->amount == b->amount && a->name == b->name && a->round == b->round &&
           a->kind == b->kind && a->message == b->message && a->shared == b->shared && a->own == b->own &&
           a->equation == b->equation;
}

static bool same_beside(const bmf_actions *actions, int64_t stored, bmf_action_bytes bytes,
                        const bmf_thread_shares *shares)
{
    const bmf_action_bytes *of = actions->keeps_bytes ? &actions->bytes[stored] : NULL;
    return (!of || (of->moved == bytes.moved && of->footprint == bytes.footprint)) &&
           (!actions->keeps_shares || thread_shares_same(&actions->shares[stored], shares));
}

/* The slice of the family, among the last few, that says the same; or a new one. */
static int64_t slice_of(bmf_actions *actions, const bmf_action *action, bmf_action_bytes bytes,
                        const bmf_thread_shares *shares)
{
    int64_t slice = actions->slices - 1, least = actions->slices - COMPARED;
    least = least > actions->adding.slice ? least : actions->adding.slice;
    for (; slice >= least; slice--) {
        const int64_t stored = actions->slice[slice].begin;
        if (same_but_processor(&actions->stored[stored], action) && same_beside(actions, stored, bytes, shares))
            return slice;
    }
    *ARRAY_APPEND(actions->slice, actions->slices, actions->slice_capacity) =
        (bmf_action_slice){.begin = store(actions, action, bytes, shares), .count = 1};
    return actions->slices - 1;
}

/* The action that waits becomes a member. */
static void add_waiting(bmf_actions *actions)
{
    bmf_actions_adding *adding = &actions->adding;
    if (!adding->waits)
        return;
    const int64_t slice = slice_of(actions, &adding->action, adding->bytes, &adding->shares);
    *ARRAY_APPEND(actions->member, actions->members, actions->member_capacity) =
        (bmf_member){adding->action.processor, (int32_t)(slice - adding->slice)};
    adding->waits = false;
}

static void add_to_family(bmf_actions *actions, const bmf_action *action)
{
    add_waiting(actions);
    actions->adding.waits = true;
    actions->adding.action = *action;
    actions->adding.bytes = (bmf_action_bytes){0};
    actions->adding.shares = (bmf_thread_shares){0};
}

void actions_family_begin(bmf_actions *actions)
{
    actions->adding = (bmf_actions_adding){.to_family = true, .slice = actions->slices, .member = actions->members};
}

void actions_family_end(bmf_actions *actions)
{
    const bmf_actions_adding *adding = &actions->adding;
    add_waiting(actions);
    actions_add_family(actions, adding->member, actions->members - adding->member, adding->slice);
    actions->adding = (bmf_actions_adding){0};
}

/* ---- computing ---- */

void actions_compute(bmf_actions *actions, int64_t processor, uint16_t name, uint32_t round, int64_t elements,
                     double seconds, double shared, double own, int equation)
{
    actions_add(actions, (bmf_action){.kind = BMF_ACTION_COMPUTE,
                                      .processor = (int32_t)processor,
                                      .name = name,
                                      .round = round,
                                      .amount = elements,
                                      .seconds = seconds,
                                      .shared = (float)shared,
                                      .own = (float)own,
                                      .equation = (uint8_t)equation});
}

void actions_moved(bmf_actions *actions, double moved, double footprint)
{
    const bmf_action_bytes bytes = {(float)moved, (float)footprint};
    if (actions->adding.waits)
        actions->adding.bytes = bytes;
    else if (actions->keeps_bytes)
        actions->bytes[actions->stored_count - 1] = bytes;
}

void actions_shared(bmf_actions *actions, const bmf_thread_shares *shares)
{
    if (actions->adding.waits)
        actions->adding.shares = *shares;
    else if (actions->keeps_shares)
        actions->shares[actions->stored_count - 1] = *shares;
}

void actions_file(bmf_actions *actions, int64_t processor, int64_t bytes, double seconds, double shared, double own,
                  int equation)
{
    actions_add(actions, (bmf_action){.kind = BMF_ACTION_COMPUTE,
                                      .processor = (int32_t)processor,
                                      .amount = bytes,
                                      .message = 1,
                                      .seconds = seconds,
                                      .shared = (float)shared,
                                      .own = (float)own,
                                      .equation = (uint8_t)equation});
}

/* ---- rounds ---- */

/* The message before it of the same round, in the list that `last` ends. */
static bmf_scheduled_message *linked(bmf_actions *actions, int64_t last, int64_t round)
{
    return last >= 0 && actions->message[last].round == round ? &actions->message[last] : NULL;
}

void actions_add_message(bmf_actions *actions, int64_t from, int64_t to, int64_t bytes)
{
    const int64_t number = actions->messages, round = actions->rounds - 1;
    *ARRAY_APPEND(actions->message, actions->messages, actions->message_capacity) = (bmf_scheduled_message){
        .from = (int32_t)from, .to = (int32_t)to, .bytes = bytes, .round = round, .next = -1, .next_sent = -1};
    bmf_scheduled_message *received = linked(actions, actions->last_received[to], round),
                          *sent = linked(actions, actions->last_sent[from], round);
    if (received)
        received->next = number;
    if (sent)
        sent->next_sent = number;
    actions->last_received[to] = actions->last_sent[from] = number;
}

int64_t actions_first_message(const bmf_actions *actions, int64_t round)
{
    return SEARCH_FIRST(k, 0, actions->messages, actions->message[k].round >= round);
}

/* others: receivers that are ready, or senders that wait. */
static bmf_actions_entry *add_round(bmf_actions *actions, bmf_entry_kind kind, uint32_t round, int64_t number,
                                    int64_t first, int64_t end, int64_t others)
{
    bmf_actions_entry *made = add_entry(actions, kind, first, end, end - first + others);
    made->round = round;
    made->number = number;
    return made;
}

void actions_overhead(bmf_actions *actions, int64_t processor, double seconds, double shared, double own, int equation)
{
    actions_add(actions, (bmf_action){.kind = BMF_ACTION_OVERHEAD,
                                      .processor = (int32_t)processor,
                                      .seconds = seconds,
                                      .shared = (float)shared,
                                      .own = (float)own,
                                      .equation = (uint8_t)equation});
}

void actions_copy(bmf_actions *actions, int64_t processor, int64_t bytes, double seconds)
{
    actions_add(actions,
                (bmf_action){
                    .kind = BMF_ACTION_OVERHEAD, .processor = (int32_t)processor, .amount = bytes, .seconds = seconds});
}

int64_t actions_round_begin(bmf_actions *actions, uint32_t round, const bmf_message *message, int64_t count)
{
    const int64_t number = actions->rounds++, first = actions->messages;
    for (int64_t i = 0; i < count; i++)
        if (message[i].from != message[i].to)
            actions_add_message(actions, message[i].from, message[i].to, message[i].bytes);
    int64_t receivers = actions->messages - first;
    for (int64_t m = first; m < actions->messages; m++)
        receivers -= actions->message[m].next >= 0;
    if (actions->messages > first)
        add_round(actions, BMF_ENTRY_ROUND_BEGIN, round, number, first, actions->messages, receivers);
    return number;
}

static void end_round(bmf_actions *actions, uint32_t round, int64_t number, bool waits_are_events)
{
    const int64_t first = actions_first_message(actions, number);
    int64_t end = first, senders = 0;
    for (; end < actions->messages && actions->message[end].round == number; end++)
        senders += actions->message[end].next_sent < 0;
    if (end > first)
        add_round(actions, BMF_ENTRY_ROUND_END, round, number, first, end, senders)->waits_are_events =
            waits_are_events;
}

void actions_round_end(bmf_actions *actions, uint32_t round, int64_t number)
{
    end_round(actions, round, number, true);
}

void actions_round_end_sparse(bmf_actions *actions, uint32_t round, int64_t number)
{
    end_round(actions, round, number, false);
}

/* ---- all processors ---- */

void actions_overhead_of_all(bmf_actions *actions, double seconds, double shared, double own, int equation)
{
    add_for_all(actions, (bmf_action){.kind = BMF_ACTION_OVERHEAD,
                                      .seconds = seconds,
                                      .shared = (float)shared,
                                      .own = (float)own,
                                      .equation = (uint8_t)equation});
}

void actions_first_calls(bmf_actions *actions)
{
    add_for_all(actions, (bmf_action){.kind = BMF_ACTION_OVERHEAD, .message = 1});
}

void actions_set_first_calls(bmf_actions *actions, double seconds, double own)
{
    for (int64_t k = 0; k < actions->stored_count; k++) {
        bmf_action *action = &actions->stored[k];
        if (is_first_calls(action)) {
            action->seconds = seconds;
            action->own = (float)own;
        }
    }
    actions_forget_list(actions);
}

void actions_barrier(bmf_actions *actions, uint16_t name, double seconds)
{
    add_for_all(actions, (bmf_action){.kind = BMF_ACTION_BARRIER, .name = name, .seconds = seconds});
}

void actions_start(bmf_actions *actions)
{
    actions_barrier(actions, 0, 0.0);
    actions->start = actions->count;
}

void actions_totals(const bmf_actions *actions, int64_t *messages, int64_t *bytes)
{
    *messages = actions->messages;
    *bytes = 0;
    for (int64_t m = 0; m < actions->messages; m++)
        *bytes += actions->message[m].bytes;
}

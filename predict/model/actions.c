/* Recording what processors do.
 *
 * Method: two arrays that double, one of actions and one of messages, and a tree of scopes. The messages of a round
 * stand together, so that a round is found again by its number (binary search), and those to one receiver are linked,
 * so that it can say in one action that it is ready for them.
 * Cost: a few stores an action; a message makes a send and a receive, and every processor of a round one more for being
 * ready and one for waiting.
 */
#include "predict/model/actions_private.h"

#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/base/search.h"

bmf_actions *actions_create(int64_t processors, bmf_trace_run *names)
{
    bmf_actions *actions = allocate_clear(1, (int64_t)sizeof *actions);
    actions->processors = processors;
    actions->names = names;
    actions->last_received = allocate(2 * processors * (int64_t)sizeof(int64_t));
    actions->last_waited = actions->last_received + processors;
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
    free(actions->action);
    free(actions->bytes);
    free(actions->shares);
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

void actions_hold(bmf_actions *actions, int64_t processor, int64_t bytes)
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
    *ARRAY_APPEND(actions->held, actions->helds, actions->held_capacity) =
        (bmf_actions_held){actions->count, bytes, -1};
}

void actions_hold_as(bmf_actions *actions, const bmf_actions *before)
{
    for (int64_t p = 0; before->last_held && p < before->processors && p < actions->processors; p++)
        if (before->last_held[p] >= 0)
            actions_hold(actions, p, before->held[before->last_held[p]].bytes);
}

void actions_add(bmf_actions *actions, bmf_action action)
{
    action.scope = actions->open;
    *ARRAY_APPEND(actions->action, actions->count, actions->capacity) = action;
    if (actions->keeps_bytes) {
        ARRAY_RESERVE(actions->bytes, actions->bytes_capacity, actions->count);
        actions->bytes[actions->count - 1] = (bmf_action_bytes){0};
    }
    if (actions->keeps_shares) {
        ARRAY_RESERVE(actions->shares, actions->shares_capacity, actions->count);
        actions->shares[actions->count - 1] = (bmf_thread_shares){0};
    }
}

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
    if (actions->keeps_bytes)
        actions->bytes[actions->count - 1] = (bmf_action_bytes){(float)moved, (float)footprint};
}

void actions_shared(bmf_actions *actions, const bmf_thread_shares *shares)
{
    if (actions->keeps_shares)
        actions->shares[actions->count - 1] = *shares;
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

void actions_add_message(bmf_actions *actions, int64_t from, int64_t to, int64_t bytes)
{
    const int64_t number = actions->messages, round = actions->rounds - 1;
    *ARRAY_APPEND(actions->message, actions->messages, actions->message_capacity) =
        (bmf_scheduled_message){.from = from, .to = to, .bytes = bytes, .round = round, .next = -1};
    const int64_t before = actions->last_received[to];
    if (before >= 0 && actions->message[before].round == round)
        actions->message[before].next = number;
    actions->last_received[to] = number;
}

int64_t actions_first_message(const bmf_actions *actions, int64_t round)
{
    return SEARCH_FIRST(k, 0, actions->messages, actions->message[k].round >= round);
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
    for (int64_t i = 0; i < count; i++) {
        if (message[i].from == message[i].to)
            continue;
        const int64_t before = actions->last_received[message[i].to];
        if (before < first)
            actions_add(actions, (bmf_action){.kind = BMF_ACTION_POST,
                                              .processor = (int32_t)message[i].to,
                                              .round = round,
                                              .message = number,
                                              .amount = actions->messages});
        actions_add_message(actions, message[i].from, message[i].to, message[i].bytes);
    }
    for (int64_t m = first; m < actions->messages; m++)
        actions_add(actions, (bmf_action){.kind = BMF_ACTION_SEND,
                                          .processor = (int32_t)actions->message[m].from,
                                          .round = round,
                                          .message = m,
                                          .amount = number});
    return number;
}

static void end_round(bmf_actions *actions, uint32_t round, int64_t number, bool waits_are_events)
{
    const int64_t first = actions_first_message(actions, number);
    int64_t end = first;
    for (; end < actions->messages && actions->message[end].round == number; end++)
        actions_add(actions, (bmf_action){.kind = BMF_ACTION_RECEIVE,
                                          .processor = (int32_t)actions->message[end].to,
                                          .round = round,
                                          .message = end,
                                          .amount = number});
    for (int64_t m = first; m < end; m++) {
        const int64_t from = actions->message[m].from;
        if (actions->last_waited[from] == number)
            continue;
        actions->last_waited[from] = number;
        actions_add(actions, (bmf_action){.kind = BMF_ACTION_WAIT,
                                          .processor = (int32_t)from,
                                          .round = round,
                                          .message = number,
                                          .amount = waits_are_events});
    }
}

void actions_round_end(bmf_actions *actions, uint32_t round, int64_t number)
{
    end_round(actions, round, number, true);
}

void actions_round_end_sparse(bmf_actions *actions, uint32_t round, int64_t number)
{
    end_round(actions, round, number, false);
}

void actions_barrier(bmf_actions *actions, uint16_t name, double seconds)
{
    for (int64_t p = 0; p < actions->processors; p++)
        actions_add(
            actions,
            (bmf_action){.kind = BMF_ACTION_BARRIER, .processor = (int32_t)p, .name = name, .seconds = seconds});
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

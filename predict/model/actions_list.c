/* Logs of actions as others want them: one by one, with other costs, counted and compared.
 *
 * Method: the list is made of the entries, and goes on where it ended when more were recorded. The first message of a
 * round to or by a processor is the one that no other is linked to. Cost: a few stores an action.
 */
#include <stdlib.h>
#include <string.h>

#include "predict/model/actions.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"

/* ---- one by one ---- */

static void list_one(bmf_actions_list *list, const bmf_action *action, int32_t processor)
{
    list->action[list->count] = *action;
    list->action[list->count++].processor = processor;
}

/* More may have been added to the last entry since. */
static void list_stored(const bmf_actions *actions, const bmf_actions_entry *entry, bmf_actions_list *list)
{
    const int64_t known = list->count - entry->first;
    memcpy(list->action + list->count, actions->stored + entry->begin + known,
           (size_t)(entry->count - known) * sizeof *list->action);
    list->count = entry->first + entry->count;
}

static void list_family(const bmf_actions *actions, const bmf_actions_entry *entry, bmf_actions_list *list)
{
    for (int64_t k = entry->begin; k < entry->end; k++) {
        const bmf_member *member = &actions->member[k];
        const bmf_action_slice *slice = &actions->slice[entry->number + member->slice];
        for (int64_t s = slice->begin; s < slice->begin + slice->count; s++)
            list_one(list, &actions->stored[s], member->processor);
    }
}

static void list_all(const bmf_actions *actions, const bmf_actions_entry *entry, bmf_actions_list *list)
{
    for (int64_t p = 0; p < actions->processors; p++)
        list_one(list, &actions->stored[entry->begin], (int32_t)p);
}

/* What the messages of a round are for their senders or receivers. */
static bmf_action action_of(const bmf_actions_entry *entry, bmf_action_kind kind, int64_t message, int64_t amount)
{
    return (bmf_action){
        .kind = (uint8_t)kind, .scope = entry->scope, .round = entry->round, .message = message, .amount = amount};
}

/* By message of the round: whether another one is linked to it. */
static uint8_t *find_linked(const bmf_actions *actions, const bmf_actions_entry *entry, bool sent)
{
    uint8_t *linked = allocate_clear(entry->end - entry->begin, 1);
    for (int64_t m = entry->begin; m < entry->end; m++) {
        const int64_t next = sent ? actions->message[m].next_sent : actions->message[m].next;
        if (next >= 0)
            linked[next - entry->begin] = 1;
    }
    return linked;
}

static void list_round_begin(const bmf_actions *actions, const bmf_actions_entry *entry, bmf_actions_list *list)
{
    uint8_t *linked = find_linked(actions, entry, false);
    for (int64_t m = entry->begin; m < entry->end; m++) {
        const bmf_action post = action_of(entry, BMF_ACTION_POST, entry->number, m);
        if (!linked[m - entry->begin])
            list_one(list, &post, actions->message[m].to);
    }
    for (int64_t m = entry->begin; m < entry->end; m++) {
        const bmf_action send = action_of(entry, BMF_ACTION_SEND, m, entry->number);
        list_one(list, &send, actions->message[m].from);
    }
    free(linked);
}

static void list_round_end(const bmf_actions *actions, const bmf_actions_entry *entry, bmf_actions_list *list)
{
    uint8_t *linked = find_linked(actions, entry, true);
    for (int64_t m = entry->begin; m < entry->end; m++) {
        const bmf_action receive = action_of(entry, BMF_ACTION_RECEIVE, m, entry->number);
        list_one(list, &receive, actions->message[m].to);
    }
    for (int64_t m = entry->begin; m < entry->end; m++) {
        const bmf_action wait = action_of(entry, BMF_ACTION_WAIT, entry->number, entry->waits_are_events);
        if (!linked[m - entry->begin])
            list_one(list, &wait, actions->message[m].from);
    }
    free(linked);
}

static void list_entry(const bmf_actions *actions, const bmf_actions_entry *entry, bmf_actions_list *list)
{
    switch ((bmf_entry_kind)entry->kind) {
    case BMF_ENTRY_ACTIONS:
        list_stored(actions, entry, list);
        break;
    case BMF_ENTRY_FAMILY:
        list_family(actions, entry, list);
        break;
    case BMF_ENTRY_ALL:
        list_all(actions, entry, list);
        break;
    case BMF_ENTRY_ROUND_BEGIN:
        list_round_begin(actions, entry, list);
        break;
    case BMF_ENTRY_ROUND_END:
        list_round_end(actions, entry, list);
        break;
    }
}

/* The last entry may have grown since, the others are in the list. */
const bmf_action *actions_list(const bmf_actions *actions)
{
    bmf_actions_list *list = &((bmf_actions *)actions)->list;
    ARRAY_RESERVE(list->action, list->capacity, actions->count);
    for (int64_t k = list->entry; k < actions->entries; k++)
        if (actions->entry[k].first + actions->entry[k].count > list->count)
            list_entry(actions, &actions->entry[k], list);
    list->entry = actions->entries > 0 ? actions->entries - 1 : 0;
    return list->action;
}

void actions_forget_list(bmf_actions *actions)
{
    free(actions->list.action);
    actions->list = (bmf_actions_list){0};
}

/* ---- each stored by itself ---- */

/* What stands beside stored actions, `size` bytes each, becomes what stands beside all, one by one: zeros if only
 * messages were recorded, beside which nothing is stored. */
static void list_beside(const bmf_actions *actions, void **beside, int64_t size, int64_t *capacity)
{
    const char *stored = *beside;
    char *listed = allocate_clear(actions->count, size);
    for (int64_t e = 0; stored && e < actions->entries; e++) {
        const bmf_actions_entry *entry = &actions->entry[e];
        char *to = listed + entry->first * size;
        if (entry->kind == BMF_ENTRY_ACTIONS)
            memcpy(to, stored + entry->begin * size, (size_t)(entry->count * size));
        for (int64_t k = entry->begin; entry->kind == BMF_ENTRY_FAMILY && k < entry->end; k++) {
            const bmf_action_slice *slice = &actions->slice[entry->number + actions->member[k].slice];
            memcpy(to, stored + slice->begin * size, (size_t)(slice->count * size));
            to += slice->count * size;
        }
    }
    free(*beside);
    *beside = listed;
    *capacity = actions->count;
}

void actions_spread_out(bmf_actions *actions)
{
    void *bytes = actions->bytes, *shares = actions->shares;
    if (actions->keeps_bytes)
        list_beside(actions, &bytes, (int64_t)sizeof *actions->bytes, &actions->bytes_capacity);
    if (actions->keeps_shares)
        list_beside(actions, &shares, (int64_t)sizeof *actions->shares, &actions->shares_capacity);
    actions->bytes = bytes;
    actions->shares = shares;
    actions_list(actions);
    free(actions->stored);
    actions->stored = actions->list.action;
    actions->stored_count = actions->count;
    actions->stored_capacity = actions->list.capacity;
    actions->list = (bmf_actions_list){0};
    actions->slices = actions->members = 0;
    actions->entries = actions->count > 0;
    if (actions->entries > 0)
        actions->entry[0] =
            (bmf_actions_entry){.kind = BMF_ENTRY_ACTIONS, .count = actions->count, .end = actions->count};
}

/* ---- with other costs ---- */

static void *copy_of(const void *from, int64_t count, int64_t size)
{
    void *copy = allocate_array(count, size);
    if (count > 0)
        memcpy(copy, from, (size_t)(count * size));
    return copy;
}

void actions_share(const bmf_actions *from, bmf_actions *to)
{
    *to = *from;
    to->list = (bmf_actions_list){0};
    to->stored = copy_of(from->stored, from->stored_count, (int64_t)sizeof *to->stored);
    if (from->bytes)
        to->bytes = copy_of(from->bytes, from->stored_count, (int64_t)sizeof *to->bytes);
    if (from->shares)
        to->shares = copy_of(from->shares, from->stored_count, (int64_t)sizeof *to->shares);
}

void actions_unshare(bmf_actions *to)
{
    free(to->stored);
    free(to->bytes);
    free(to->shares);
    actions_forget_list(to);
}

/* ---- as they are stored ---- */

int64_t *actions_copies(const bmf_actions *actions)
{
    int64_t *copies = allocate_clear(actions->stored_count + 1, (int64_t)sizeof *copies);
    int64_t *members = allocate_clear(actions->slices + 1, (int64_t)sizeof *members);
    for (int64_t e = 0; e < actions->entries; e++) {
        const bmf_actions_entry *entry = &actions->entry[e];
        for (int64_t k = entry->begin; entry->kind == BMF_ENTRY_ACTIONS && k < entry->end; k++)
            copies[k]++;
        for (int64_t k = entry->begin; entry->kind == BMF_ENTRY_FAMILY && k < entry->end; k++)
            members[entry->number + actions->member[k].slice]++;
        if (entry->kind == BMF_ENTRY_ALL)
            copies[entry->begin] += actions->processors;
    }
    for (int64_t s = 0; s < actions->slices; s++)
        for (int64_t k = 0; k < actions->slice[s].count; k++)
            copies[actions->slice[s].begin + k] = members[s];
    free(members);
    return copies;
}

static bool same_entries(const bmf_actions *a, const bmf_actions *b)
{
    bool same = a->entries == b->entries;
    for (int64_t k = 0; k < a->entries && same; k++) {
        const bmf_actions_entry *x = &a->entry[k], *y = &b->entry[k];
        same = x->kind == y->kind && x->count == y->count && x->begin == y->begin && x->end == y->end &&
               x->number == y->number && x->round == y->round && x->waits_are_events == y->waits_are_events &&
               a->scope[x->scope].node == b->scope[y->scope].node;
    }
    return same;
}

static bool same_families(const bmf_actions *a, const bmf_actions *b)
{
    bool same = a->slices == b->slices && a->members == b->members;
    for (int64_t k = 0; k < a->slices && same; k++)
        same = a->slice[k].begin == b->slice[k].begin && a->slice[k].count == b->slice[k].count;
    return same && (a->members == 0 || memcmp(a->member, b->member, (size_t)a->members * sizeof *a->member) == 0);
}

static bool same_messages(const bmf_actions *a, const bmf_actions *b)
{
    bool same = a->messages == b->messages;
    for (int64_t m = 0; m < a->messages && same; m++)
        same = a->message[m].from == b->message[m].from && a->message[m].to == b->message[m].to &&
               a->message[m].round == b->message[m].round;
    return same;
}

bool actions_same_shape(const bmf_actions *a, const bmf_actions *b)
{
    return a->stored_count == b->stored_count && same_entries(a, b) && same_families(a, b) && same_messages(a, b);
}

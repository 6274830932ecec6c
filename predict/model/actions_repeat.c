/* Actions once more: the same entries of the log, with rounds and messages of their own.
 *
 * Cost: an entry for each entry, and a message for each message. */
#include "predict/model/actions.h"

#include "runtime/base/array.h"

static void repeat_messages(bmf_actions *actions, int64_t first, int64_t end, int64_t rounds)
{
    const int64_t messages = actions->messages - first;
    for (int64_t m = first; m < end; m++) {
        bmf_scheduled_message again = actions->message[m];
        again.round += rounds;
        again.next += again.next >= 0 ? messages : 0;
        again.next_sent += again.next_sent >= 0 ? messages : 0;
        *ARRAY_APPEND(actions->message, actions->messages, actions->message_capacity) = again;
    }
}

/* What it stands for from that action on. */
static void repeat_entry(bmf_actions *actions, bmf_actions_entry again, int64_t action, int64_t messages,
                         int64_t rounds)
{
    if (again.first < action) { /* single actions, to which others were added */
        again.begin += action - again.first;
        again.count -= action - again.first;
    }
    if (again.kind == BMF_ENTRY_ROUND_BEGIN || again.kind == BMF_ENTRY_ROUND_END) {
        again.begin += messages;
        again.end += messages;
        again.number += rounds;
    }
    again.first = actions->count;
    *ARRAY_APPEND(actions->entry, actions->entries, actions->entry_capacity) = again;
    actions->count += again.count;
}

void actions_repeat(bmf_actions *actions, int64_t action, int64_t message, int64_t round, int64_t times)
{
    const int64_t end = actions->entries, message_end = actions->messages, rounds = actions->rounds - round;
    int64_t begin = end;
    while (begin > 0 && actions->entry[begin - 1].first + actions->entry[begin - 1].count > action)
        begin--;
    for (int64_t time = 1; time <= times; time++) {
        const int64_t messages = actions->messages - message;
        repeat_messages(actions, message, message_end, time * rounds);
        for (int64_t e = begin; e < end; e++)
            repeat_entry(actions, actions->entry[e], action, messages, time * rounds);
    }
    actions->rounds += times * rounds;
}

/* The messages of a recorded run: which send belongs to which receive, and which of them travelled together.
 *
 * Method: sends and receives, both sorted by (call, round, sender, receiver, bytes) and then by their order on the
 * lane, are the same list twice. A call may use a round's number again for other data: on the rank of the sender, whose
 * clock is one, such a round is over when another has begun or when it was waited for. In a predicted run every lane is
 * its own rank.
 * Cost: a few sortings.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "predict/model/actions_private.h"
#include "predict/replay/replay_private.h"
#include "runtime/base/allocate.h"
#include "predict/replay/fail.h"

/* Leaves in some order. */
typedef struct selection {
    replay_leaf **leaf;
    int64_t count;
} selection;

static selection select_kinds(replay_leaf *leaf, int64_t leaves, unsigned kinds)
{
    selection chosen = {allocate(leaves * (int64_t)sizeof(replay_leaf *)), 0};
    for (int64_t k = 0; k < leaves; k++)
        if (kinds >> leaf[k].event->kind & 1)
            chosen.leaf[chosen.count++] = &leaf[k];
    return chosen;
}

static void sort(selection *chosen, int (*order)(const void *, const void *))
{
    qsort(chosen->leaf, (size_t)chosen->count, sizeof *chosen->leaf, order);
}

enum { SENDS = 1 << BMF_EVENT_SEND, RECEIVES = 1 << BMF_EVENT_RECEIVE, WAITS = 1 << BMF_EVENT_WAIT };

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int32_t sender(const replay_leaf *leaf)
{
    return leaf->event->kind == BMF_EVENT_RECEIVE ? leaf->event->peer : leaf->event->lane;
}

static int32_t receiver(const replay_leaf *leaf)
{
    return leaf->event->kind == BMF_EVENT_RECEIVE ? leaf->event->lane : leaf->event->peer;
}

/* By what the two ends of a message have in common. */
static int compare_ends(const replay_leaf *a, const replay_leaf *b)
{
    int order = compare(a->scope, b->scope);
    order = order ? order : compare(a->event->round, b->event->round);
    order = order ? order : compare(sender(a), sender(b));
    return order ? order : compare(receiver(a), receiver(b));
}

static int by_ends(const void *a, const void *b)
{
    const replay_leaf *x = *(replay_leaf *const *)a, *y = *(replay_leaf *const *)b;
    int order = compare_ends(x, y);
    order = order ? order : compare(x->event->amount, y->event->amount);
    return order ? order : compare(x->event - y->event, 0);
}

static int by_round(const void *a, const void *b)
{
    const replay_leaf *x = *(replay_leaf *const *)a, *y = *(replay_leaf *const *)b;
    int order = compare(x->scope, y->scope);
    order = order ? order : compare(x->pass, y->pass);
    order = order ? order : compare(x->event->round, y->event->round);
    return order ? order : compare(x->event - y->event, 0);
}

static bool same_round(const replay_leaf *a, const replay_leaf *b)
{
    return a->scope == b->scope && a->pass == b->pass && a->event->round == b->event->round;
}

/* ---- passes ---- */

/* A send or wait on its rank. */
typedef struct moment {
    replay_leaf *leaf;
    int32_t rank;
    int64_t run; /* number of the stretch of one round */
} moment;

static int by_clock(const void *a, const void *b)
{
    const moment *x = a, *y = b;
    int order = compare(x->leaf->scope, y->leaf->scope);
    order = order ? order : compare(x->rank, y->rank);
    order = order ? order : compare(x->leaf->event->begin, y->leaf->event->begin);
    return order ? order : compare(x->leaf->event - y->leaf->event, 0);
}

static int by_run(const void *a, const void *b)
{
    const moment *x = a, *y = b;
    int order = compare(x->leaf->scope, y->leaf->scope);
    order = order ? order : compare(x->rank, y->rank);
    order = order ? order : compare(x->leaf->event->round, y->leaf->event->round);
    order = order ? order : compare(x->run, y->run);
    order = order ? order : compare(x->leaf->event->begin, y->leaf->event->begin);
    return order ? order : compare(x->leaf->event - y->leaf->event, 0);
}

/* Sends of one round follow each other; a wait belongs to the last sends of its round. */
static void count_runs(moment *m, int64_t count)
{
    int64_t run = 0;
    for (int64_t k = 0, last = -1; k < count; k++) {
        const bool begins = k == 0 || m[k].leaf->scope != m[k - 1].leaf->scope || m[k].rank != m[k - 1].rank;
        if (begins)
            last = -1;
        if (m[k].leaf->event->kind == BMF_EVENT_SEND) {
            const bool goes_on = last >= 0 && m[last].leaf->event->round == m[k].leaf->event->round &&
                                 m[k - 1].leaf->event->kind == BMF_EVENT_SEND;
            run += !goes_on;
            last = k;
        }
        m[k].run = run;
    }
}

static void number_passes(const bmf_trace_run *run, replay_leaf *leaf, int64_t leaves)
{
    selection chosen = select_kinds(leaf, leaves, SENDS | WAITS);
    moment *m = allocate(chosen.count * (int64_t)sizeof *m);
    for (int64_t k = 0; k < chosen.count; k++) {
        const int32_t lane = chosen.leaf[k]->event->lane;
        m[k] = (moment){chosen.leaf[k], run->predicted ? lane : run->lane_rank[lane], 0};
    }
    qsort(m, (size_t)chosen.count, sizeof *m, by_clock);
    count_runs(m, chosen.count);
    qsort(m, (size_t)chosen.count, sizeof *m, by_run);
    int64_t pass = 0, sent = -1; /* the run of the sends of this pass */
    for (int64_t k = 0; k < chosen.count; k++) {
        const bool same = k > 0 && m[k].leaf->scope == m[k - 1].leaf->scope && m[k].rank == m[k - 1].rank &&
                          m[k].leaf->event->round == m[k - 1].leaf->event->round;
        const bool sends = m[k].leaf->event->kind == BMF_EVENT_SEND;
        if (!same) {
            pass = 0;
            sent = -1;
        }
        if (sends && sent >= 0 && m[k].run != sent)
            pass++;
        if (sends)
            sent = m[k].run;
        m[k].leaf->pass = pass;
    }
    free(m);
    free(chosen.leaf);
}

/* ---- both ends ---- */

static int fail_single(const replay_scopes *s, const replay_leaf *leaf)
{
    char place[640];
    const bool sent = leaf->event->kind == BMF_EVENT_SEND;
    replay_place(s->run, leaf->event->node, leaf->event->instance, place, sizeof place);
    return fail_line(BMF_ERROR_ARGUMENT, "the message from processor %d to %d in round %" PRIu32 " of %s was never %s",
                     sender(leaf), receiver(leaf), leaf->event->round, place, sent ? "received" : "sent");
}

static int fail_bytes(const replay_scopes *s, const replay_leaf *sent, const replay_leaf *received)
{
    char place[640];
    replay_place(s->run, sent->event->node, sent->event->instance, place, sizeof place);
    return fail_line(BMF_ERROR_ARGUMENT,
                     "the message from processor %d to %d in round %" PRIu32 " of %s was sent with %" PRId64
                     " bytes and received with %" PRId64,
                     sender(sent), receiver(sent), sent->event->round, place, sent->event->amount,
                     received->event->amount);
}

/* Receives learn the pass of their sends. */
static int match(const replay_scopes *s, selection *sends, selection *receives, int64_t *quickest)
{
    const int32_t *rank = s->run->lane_rank;
    *quickest = INT64_MAX;
    sort(sends, by_ends);
    sort(receives, by_ends);
    for (int64_t k = 0; k < sends->count || k < receives->count; k++) {
        replay_leaf *sent = k < sends->count ? sends->leaf[k] : NULL;
        replay_leaf *received = k < receives->count ? receives->leaf[k] : NULL;
        const int order = !sent ? 1 : !received ? -1 : compare_ends(sent, received);
        if (order)
            return fail_single(s, order < 0 ? sent : received);
        if (sent->event->amount != received->event->amount)
            return fail_bytes(s, sent, received);
        received->pass = sent->pass;
        const int64_t time = received->event->end - sent->event->begin;
        if (rank[sender(sent)] != rank[receiver(sent)] && time >= 0 && time < *quickest)
            *quickest = time;
    }
    return BMF_OK;
}

/* What travelled together stands in one segment: the latest that any lane is sure of. */
static void unite_segments(replay_leaf *leaf, int64_t leaves)
{
    selection chosen = select_kinds(leaf, leaves, SENDS | RECEIVES | WAITS);
    sort(&chosen, by_round);
    for (int64_t begin = 0, end; begin < chosen.count; begin = end) {
        int64_t segment = 0;
        for (end = begin; end < chosen.count && same_round(chosen.leaf[begin], chosen.leaf[end]); end++)
            segment = segment > chosen.leaf[end]->segment ? segment : chosen.leaf[end]->segment;
        for (int64_t k = begin; k < end; k++)
            chosen.leaf[k]->segment = segment;
    }
    free(chosen.leaf);
}

/* ---- all leaves ---- */

static int by_place(const void *a, const void *b)
{
    const replay_leaf *x = a, *y = b;
    int order = compare(x->scope, y->scope);
    order = order ? order : compare(x->segment, y->segment);
    return order ? order : compare(x->event - y->event, 0);
}

static int list_leaves(const replay_scopes *s, replay_leaf *leaf, int64_t *leaves)
{
    char place[640];
    *leaves = 0;
    for (int64_t k = 0; k < s->run->events; k++) {
        const bmf_event *event = &s->run->event[k];
        const bool is_message = event->kind == BMF_EVENT_SEND || event->kind == BMF_EVENT_RECEIVE;
        if (event->kind <= BMF_EVENT_SKELETON || (is_message && event->peer == event->lane))
            continue;
        const int64_t scope = replay_scopes_find(s, event->node, event->instance);
        if (scope < 0)
            return fail_line(BMF_ERROR_ARGUMENT, "event %" PRId64 " belongs to the call %s, which was never left", k,
                             replay_place(s->run, event->node, event->instance, place, sizeof place));
        leaf[(*leaves)++] = (replay_leaf){.event = event,
                                          .scope = scope,
                                          .segment = replay_scopes_before(s, scope, event),
                                          .message = -1,
                                          .round = -1};
    }
    return BMF_OK;
}

int replay_leaves(const replay_scopes *s, replay_leaf **leaf, int64_t *leaves, int64_t *quickest)
{
    *leaf = allocate(s->run->events * (int64_t)sizeof **leaf);
    int status = list_leaves(s, *leaf, leaves);
    if (status == BMF_OK) {
        number_passes(s->run, *leaf, *leaves);
        selection sends = select_kinds(*leaf, *leaves, SENDS), receives = select_kinds(*leaf, *leaves, RECEIVES);
        status = match(s, &sends, &receives, quickest);
        free(sends.leaf);
        free(receives.leaf);
    }
    if (status == BMF_OK) {
        unite_segments(*leaf, *leaves);
        qsort(*leaf, (size_t)*leaves, sizeof **leaf, by_place);
        return BMF_OK;
    }
    free(*leaf);
    *leaf = NULL;
    return status;
}

/* ---- numbers ---- */

void replay_number(replay_leaf *leaf, int64_t leaves, bmf_actions *actions)
{
    selection sends = select_kinds(leaf, leaves, SENDS), receives = select_kinds(leaf, leaves, RECEIVES),
              waits = select_kinds(leaf, leaves, WAITS);
    sort(&sends, by_round);
    sort(&waits, by_round);
    for (int64_t k = 0, w = 0; k < sends.count; k++) {
        replay_leaf *sent = sends.leaf[k];
        if (k == 0 || !same_round(sends.leaf[k - 1], sent))
            actions->rounds++;
        sent->round = actions->rounds - 1;
        sent->message = actions->messages;
        actions_add_message(actions, sender(sent), receiver(sent), sent->event->amount);
        while (w < waits.count && (same_round(waits.leaf[w], sent) || by_round(&waits.leaf[w], &sent) < 0)) {
            if (same_round(waits.leaf[w], sent))
                waits.leaf[w]->round = sent->round;
            w++;
        }
    }
    sort(&sends, by_ends);
    sort(&receives, by_ends);
    for (int64_t k = 0; k < receives.count; k++) {
        receives.leaf[k]->round = sends.leaf[k]->round;
        receives.leaf[k]->message = sends.leaf[k]->message;
    }
    free(sends.leaf);
    free(receives.leaf);
    free(waits.leaf);
}

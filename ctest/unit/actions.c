/* Logs of actions: random recordings, in families, slices and rounds, against a recorder that keeps every action by
 * itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ctest/support/testing.h"
#include "predict/model/actions_private.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"

enum { CASES = 300, MOST_MESSAGES = 30, MOST_MEMBERS = 12, MOST_SLICES = 4, MOST_IN_SLICE = 3 };

/* What is kept beside an action. */
typedef struct beside {
    bmf_action_bytes bytes;
    bmf_thread_shares shares;
} beside;

/* Everything one by one. */
typedef struct plain {
    bmf_action *action;
    beside *beside;
    int64_t count, capacity, beside_capacity;
} plain;

static void keep(plain *p, const bmf_actions *actions, bmf_action action, beside kept)
{
    action.scope = actions->open;
    ARRAY_RESERVE(p->beside, p->beside_capacity, p->count + 1);
    p->beside[p->count] = kept;
    *ARRAY_APPEND(p->action, p->count, p->capacity) = action;
}

static bmf_action some_kernel(uint64_t *random, int32_t processor)
{
    return (bmf_action){.kind = BMF_ACTION_COMPUTE,
                        .processor = processor,
                        .name = (uint16_t)test_below(random, 2),
                        .round = (uint32_t)test_below(random, 2),
                        .amount = test_below(random, 3),
                        .seconds = 1e-6 * (double)test_below(random, 3),
                        .own = 0.25F * (float)test_below(random, 2),
                        .equation = (uint8_t)test_below(random, 2)};
}

static beside some_beside(uint64_t *random)
{
    return (beside){.bytes = {(float)test_below(random, 2), (float)test_below(random, 2)},
                    .shares = {.share = {[0] = (float)test_below(random, 2), [BMF_SHARES - 1] = 1.0F},
                               .seconds = (float)test_below(random, 2),
                               .pieces = (int32_t)test_below(random, 2)}};
}

static void record_kernel(bmf_actions *actions, const bmf_action *of, beside kept)
{
    actions_compute(actions, of->processor, of->name, of->round, of->amount, of->seconds, (double)of->shared,
                    (double)of->own, of->equation);
    actions_moved(actions, (double)kept.bytes.moved, (double)kept.bytes.footprint);
    actions_shared(actions, &kept.shares);
}

/* Kernels one after the other, as they come or told to be a family. */
static void some_kernels(uint64_t *random, bmf_actions *actions, plain *p)
{
    const bool family = test_below(random, 2);
    if (family)
        actions_family_begin(actions);
    for (int64_t k = test_below(random, 3 * actions->processors); k > 0; k--) {
        const bmf_action kernel = some_kernel(random, (int32_t)test_below(random, actions->processors));
        const beside kept = some_beside(random);
        record_kernel(actions, &kernel, kept);
        keep(p, actions, kernel, kept);
    }
    if (family)
        actions_family_end(actions);
}

/* The same members do what two rows of slices say. */
static void some_slices(uint64_t *random, bmf_actions *actions, plain *p)
{
    const int64_t slices = 1 + test_below(random, MOST_SLICES), members = test_below(random, MOST_MEMBERS);
    bmf_member member[MOST_MEMBERS];
    for (int64_t k = 0; k < members; k++)
        member[k] = (bmf_member){(int32_t)test_below(random, actions->processors), (int32_t)test_below(random, slices)};
    const int64_t first = actions_keep_members(actions, member, members);
    for (int row = 0; row < 2; row++) {
        bmf_action kernel[MOST_SLICES][MOST_IN_SLICE];
        beside kept[MOST_SLICES][MOST_IN_SLICE];
        int64_t count[MOST_SLICES], slice = -1;
        for (int64_t s = 0; s < slices; s++) {
            count[s] = test_below(random, MOST_IN_SLICE + 1);
            actions_slice_begin(actions);
            for (int64_t k = 0; k < count[s]; k++) {
                kernel[s][k] = some_kernel(random, 0);
                kept[s][k] = some_beside(random);
                record_kernel(actions, &kernel[s][k], kept[s][k]);
            }
            const int64_t number = actions_slice_end(actions);
            slice = s == 0 ? number : slice;
            assert_int_equal(number, slice + s);
        }
        actions_add_family(actions, first, members, slice);
        for (int64_t k = 0; k < members; k++)
            for (int64_t a = 0; a < count[member[k].slice]; a++) {
                kernel[member[k].slice][a].processor = member[k].processor;
                keep(p, actions, kernel[member[k].slice][a], kept[member[k].slice][a]);
            }
    }
}

static const beside nothing;

/* Receivers are ready, in the order of their first messages; all is sent. */
static int64_t begin_round(uint64_t *random, bmf_actions *actions, plain *p, uint32_t round)
{
    bmf_message message[MOST_MESSAGES];
    bool *ready = allocate_clear(actions->processors, 1);
    const int64_t count = test_below(random, MOST_MESSAGES), first = actions->messages;
    for (int64_t k = 0; k < count; k++)
        message[k] = (bmf_message){.from = test_below(random, actions->processors),
                                   .to = test_below(random, actions->processors),
                                   .bytes = test_below(random, 100)};
    const int64_t number = actions_round_begin(actions, round, message, count);
    bmf_action action = {.round = round};
    for (int64_t m = first; m < actions->messages; m++) {
        action.kind = BMF_ACTION_POST;
        action.processor = actions->message[m].to;
        action.message = number;
        action.amount = m;
        if (!ready[action.processor])
            keep(p, actions, action, nothing);
        ready[action.processor] = true;
    }
    for (int64_t m = first; m < actions->messages; m++) {
        action.kind = BMF_ACTION_SEND;
        action.processor = actions->message[m].from;
        action.message = m;
        action.amount = number;
        keep(p, actions, action, nothing);
    }
    free(ready);
    return number;
}

static void end_round(uint64_t *random, bmf_actions *actions, plain *p, uint32_t round, int64_t number)
{
    bool *waits = allocate_clear(actions->processors, 1);
    const bool sparse = test_below(random, 2);
    if (sparse)
        actions_round_end_sparse(actions, round, number);
    else
        actions_round_end(actions, round, number);
    bmf_action action = {.round = round};
    for (int64_t m = 0; m < actions->messages; m++) {
        action.kind = BMF_ACTION_RECEIVE;
        action.processor = actions->message[m].to;
        action.message = m;
        action.amount = number;
        if (actions->message[m].round == number)
            keep(p, actions, action, nothing);
    }
    for (int64_t m = 0; m < actions->messages; m++) {
        action.kind = BMF_ACTION_WAIT;
        action.processor = actions->message[m].from;
        action.message = number;
        action.amount = !sparse;
        if (actions->message[m].round == number && !waits[action.processor])
            keep(p, actions, action, nothing);
        waits[action.processor] = waits[action.processor] || actions->message[m].round == number;
    }
    free(waits);
}

static void some_round(uint64_t *random, bmf_actions *actions, plain *p)
{
    end_round(random, actions, p, 0, begin_round(random, actions, p, 0));
}

static void some_rounds(uint64_t *random, bmf_actions *actions, plain *p)
{
    const int64_t first = begin_round(random, actions, p, 0), second = begin_round(random, actions, p, 1);
    some_kernels(random, actions, p);
    end_round(random, actions, p, 0, first);
    end_round(random, actions, p, 1, second);
}

static void some_of_all(uint64_t *random, bmf_actions *actions, plain *p)
{
    const bool meeting = test_below(random, 2);
    if (meeting)
        actions_barrier(actions, 3, 0.5);
    else
        actions_overhead_of_all(actions, 0.5, 0.25, 0.125, 2);
    for (int32_t q = 0; q < actions->processors; q++)
        keep(p, actions,
             meeting ? (bmf_action){.kind = BMF_ACTION_BARRIER, .processor = q, .name = 3, .seconds = 0.5}
                     : (bmf_action){.kind = BMF_ACTION_OVERHEAD,
                                    .processor = q,
                                    .seconds = 0.5,
                                    .shared = 0.25F,
                                    .own = 0.125F,
                                    .equation = 2},
             nothing);
}

/* What the last few steps recorded, once more, so many times. */
static void some_repetition(uint64_t *random, bmf_actions *actions, plain *p)
{
    const int64_t action = actions->count, message = actions->messages, round = actions->rounds,
                  times = test_below(random, 4);
    some_kernels(random, actions, p);
    some_rounds(random, actions, p);
    some_slices(random, actions, p);
    some_of_all(random, actions, p);
    const int64_t actions_more = actions->count - action, messages_more = actions->messages - message,
                  rounds_more = actions->rounds - round;
    actions_repeat(actions, action, message, round, times);
    assert_int_equal(actions->count, action + (times + 1) * actions_more);
    assert_int_equal(actions->rounds, round + (times + 1) * rounds_more);
    for (int64_t k = action; k < action + times * actions_more; k++) {
        bmf_action again = p->action[k];
        const beside kept = p->beside[k];
        const bool of_message = again.kind == BMF_ACTION_SEND || again.kind == BMF_ACTION_RECEIVE,
                   of_round = again.kind == BMF_ACTION_POST || again.kind == BMF_ACTION_WAIT;
        again.message += of_message ? messages_more : of_round ? rounds_more : 0;
        again.amount += of_message ? rounds_more : again.kind == BMF_ACTION_POST ? messages_more : 0;
        keep(p, actions, again, kept);
    }
    for (int64_t m = message; m < message + times * messages_more; m++) {
        const bmf_scheduled_message *of = &actions->message[m], *again = &actions->message[m + messages_more];
        assert_true(again->from == of->from && again->to == of->to && again->bytes == of->bytes);
        assert_int_equal(again->round, of->round + rounds_more);
        assert_int_equal(again->next, of->next < 0 ? -1 : of->next + messages_more);
        assert_int_equal(again->next_sent, of->next_sent < 0 ? -1 : of->next_sent + messages_more);
    }
}

static bool same_action(const bmf_action *a, const bmf_action *b)
{
    return a->seconds == b->seconds && a->shared == b->shared && a->own == b->own && a->amount == b->amount &&
           a->message == b->message && a->processor == b->processor && a->scope == b->scope && a->round == b->round &&
           a->name == b->name && a->kind == b->kind && a->equation == b->equation;
}

static void compare(const bmf_action *list, int64_t count, const plain *p)
{
    assert_int_equal(count, p->count);
    for (int64_t k = 0; k < count; k++)
        if (!same_action(&list[k], &p->action[k]))
            fail_msg("action %lld of %lld is of kind %d on processor %d, instead of %d on %d", (long long)k,
                     (long long)count, list[k].kind, list[k].processor, p->action[k].kind, p->action[k].processor);
}

static bmf_actions *some_log(uint64_t *random, plain *p)
{
    bmf_actions *actions = actions_create(1 + test_below(random, 9), NULL);
    actions->keeps_bytes = actions->keeps_shares = true;
    *p = (plain){0};
    for (int64_t step = test_below(random, 12); step > 0; step--) {
        actions_enter(actions, (uint32_t)test_below(random, 3), 0, BMF_EVENT_SKELETON);
        void (*const some[])(uint64_t *, bmf_actions *, plain *) = {some_kernels, some_slices, some_rounds, some_of_all,
                                                                    some_repetition};
        some[test_below(random, sizeof some / sizeof *some)](random, actions, p);
        if (test_below(random, 3) == 0)
            compare(actions_list(actions), actions->count, p); /* the list grows with the log */
        if (test_below(random, 2))
            actions_leave(actions, NULL);
        if (test_below(random, 2)) { /* alone, behind what may have been alone as well */
            const bmf_action kernel = some_kernel(random, 0);
            record_kernel(actions, &kernel, nothing);
            keep(p, actions, kernel, nothing);
        }
    }
    return actions;
}

static void free_log(bmf_actions *actions, plain *p)
{
    actions_free(actions);
    free(p->action);
    free(p->beside);
}

static void compare_beside(const bmf_actions *actions, const plain *p)
{
    for (int64_t k = 0; k < p->count; k++) {
        assert_memory_equal(&actions->bytes[k], &p->beside[k].bytes, sizeof *actions->bytes);
        assert_memory_equal(actions->shares[k].share, p->beside[k].shares.share, sizeof actions->shares->share);
        assert_true(actions->shares[k].seconds == p->beside[k].shares.seconds);
        assert_int_equal(actions->shares[k].pieces, p->beside[k].shares.pieces);
    }
}

/* By stored action how many times it is found in the list is not unique; their sum is, and so are sums over them. */
static void check_copies(const bmf_actions *actions, const plain *p)
{
    int64_t *copies = actions_copies(actions), all = 0, expected = 0;
    double seconds = 0.0, moved = 0.0;
    for (int64_t k = 0; k < actions->stored_count; k++) {
        all += copies[k];
        seconds += (double)copies[k] * actions->stored[k].seconds;
        moved += (double)copies[k] * (double)actions->bytes[k].moved;
    }
    for (int64_t k = 0; k < p->count; k++) {
        const bmf_action *action = &p->action[k];
        const bool of_message = action->kind != BMF_ACTION_COMPUTE && action->kind != BMF_ACTION_OVERHEAD &&
                                action->kind != BMF_ACTION_BARRIER;
        expected += !of_message;
        seconds -= action->seconds;
        moved -= (double)p->beside[k].bytes.moved;
    }
    assert_int_equal(all, expected);
    assert_true(seconds < 1e-9 && seconds > -1e-9);
    assert_true(moved == 0.0);
    free(copies);
}

static void lists_say_what_was_recorded(void **state)
{
    uint64_t random = test_seed();
    (void)state;
    for (int c = 0; c < CASES; c++) {
        plain p;
        bmf_actions *actions = some_log(&random, &p), shared;
        compare(actions_list(actions), actions->count, &p);
        check_copies(actions, &p);
        assert_true(actions_same_shape(actions, actions));
        actions_share(actions, &shared);
        for (int64_t k = 0; k < shared.stored_count; k++) {
            shared.stored[k].seconds += 1.0;
            shared.shares[k].pieces += 1;
        }
        const bmf_action *list = actions_list(&shared);
        for (int64_t k = 0; k < shared.count; k++) {
            const bool timed = p.action[k].kind == BMF_ACTION_COMPUTE || p.action[k].kind == BMF_ACTION_OVERHEAD ||
                               p.action[k].kind == BMF_ACTION_BARRIER;
            assert_true(list[k].seconds == p.action[k].seconds + (timed ? 1.0 : 0.0));
        }
        assert_true(actions_same_shape(actions, &shared));
        actions_unshare(&shared);
        compare(actions_list(actions), actions->count, &p);
        actions_spread_out(actions);
        compare(actions->stored, actions->stored_count, &p);
        compare(actions_list(actions), actions->count, &p);
        compare_beside(actions, &p);
        free_log(actions, &p);
    }
}

/* What is kept beside actions is there for each, also where only messages were recorded. */
static void messages_alone_are_spread_out(void **state)
{
    uint64_t random = 1;
    (void)state;
    plain p = {0};
    bmf_actions *actions = actions_create(4, NULL);
    actions->keeps_bytes = actions->keeps_shares = true;
    actions_enter(actions, 0, 0, BMF_EVENT_SKELETON);
    while (actions->messages == 0)
        some_round(&random, actions, &p);
    assert_int_equal(actions->stored_count, 0);
    actions_spread_out(actions);
    compare(actions->stored, actions->stored_count, &p);
    compare_beside(actions, &p);
    free_log(actions, &p);
}

/* Of the same program with other costs, and with one thing done by another processor. */
static void shapes_tell_what_is_done(void **state)
{
    uint64_t random = test_seed();
    (void)state;
    for (int c = 0; c < CASES; c++) {
        uint64_t again = random;
        plain p, q;
        bmf_actions *first = some_log(&random, &p), *second = some_log(&again, &q);
        for (int64_t m = 0; m < second->messages; m++)
            second->message[m].bytes += 3;
        assert_true(actions_same_shape(first, second));
        if (second->members > 0) {
            second->member[test_below(&random, second->members)].processor += 1;
            assert_false(actions_same_shape(first, second));
        } else if (second->messages > 0) {
            second->message[test_below(&random, second->messages)].to += 1;
            assert_false(actions_same_shape(first, second));
        }
        free_log(first, &p);
        free_log(second, &q);
    }
}

/* A family of many that mostly do the same is stored once. */
static void families_are_small(void **state)
{
    enum { MANY = 100000 };
    (void)state;
    bmf_actions *actions = actions_create(MANY, NULL);
    actions_family_begin(actions);
    for (int64_t q = 0; q < MANY; q++)
        actions_compute(actions, q, 0, 0, 10 + q * 7 / MANY % 2, 1e-6, 0, 0, 0);
    actions_family_end(actions);
    assert_int_equal(actions->count, MANY);
    assert_true(actions->stored_count <= 7);
    assert_int_equal(actions->entries, 1);
    actions_free(actions);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_say_what_was_recorded), cmocka_unit_test(messages_alone_are_spread_out),
        cmocka_unit_test(shapes_tell_what_is_done), cmocka_unit_test(families_are_small)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Schedules: every generator is simulated for all small and some larger groups: who holds what after each round, what
 * is delivered, how often, in how many rounds and messages. */
#include "ctest/support/schedules.h"
#include "runtime/backend/backend.h"

#include <stdio.h>
#include <string.h>

static void expect_totals(const bmf_schedule *schedule, int rounds, int64_t messages)
{
    int64_t counted, bytes;
    schedule_count_totals(schedule, &counted, &bytes);
    assert_int_equal(schedule->rounds, rounds);
    assert_int_equal(counted, messages);
}

/* ---- who holds which items: split, gather, allgather, distl ---- */

/* held[owner * width + unit]: a message carries units [first, first + count) of `width` ones. */
typedef struct holdings {
    int64_t owners, width;
    unsigned char *held;
} holdings;

static holdings holdings_create(int64_t owners, int64_t width)
{
    holdings all = {owners, width, calloc((size_t)(owners * width + 1), 1)};
    return all;
}

/* Runs the schedule: what is sent must be held at the round's start and, if `once`, not yet be there. */
static void run_holdings(const bmf_schedule *schedule, const bmf_group *group, holdings *all, bool once)
{
    size_t size = (size_t)(all->owners * all->width);
    unsigned char *before = malloc(size + 1);
    for (int r = 0; r < schedule->rounds; r++) {
        memcpy(before, all->held, size);
        for (int64_t m = 0; m < schedule->round[r].count; m++) {
            const bmf_message *message = &schedule->round[r].message[m];
            int64_t from = item_on(group, message->from), to = item_on(group, message->to);
            assert_int_not_equal(from, to);
            assert_true(message->first >= 0 && message->first + message->count <= all->width);
            for (int64_t u = message->first; u < message->first + message->count; u++) {
                assert_true(before[from * all->width + u]);
                assert_false(once && all->held[to * all->width + u]);
                all->held[to * all->width + u] = 1;
            }
        }
    }
    free(before);
}

static void check_item_sizes(const bmf_schedule *schedule, const int64_t *start)
{
    for (int r = 0; r < schedule->rounds; r++)
        for (int64_t m = 0; m < schedule->round[r].count; m++) {
            const bmf_message *message = &schedule->round[r].message[m];
            assert_int_equal(message->bytes, start[message->first + message->count] - start[message->first]);
        }
}

static void check_split(const bmf_algorithm *algorithm, int64_t count, int rounds)
{
    int64_t *start = random_starts(count, 9);
    input in = {.group = random_group(count), .start = start};
    bmf_schedule *schedule = complete(algorithm, &in);
    expect_totals(schedule, rounds, count - 1);
    check_item_sizes(schedule, start);
    holdings all = holdings_create(count, count);
    memset(all.held, 1, (size_t)count);
    run_holdings(schedule, &in.group, &all, true);
    for (int64_t i = 0; i < count; i++)
        assert_true(all.held[i * count + i]);
    free(all.held);
    schedule_free(schedule);
    free(start);
}

static void check_splits(int64_t count)
{
    check_split(&algorithm_split_tree, count, log2_up(count));
    check_split(&algorithm_split_direct, count, count > 1);
}

static void check_gather(const bmf_algorithm *algorithm, int64_t count, int rounds)
{
    int64_t *start = random_starts(count, 9);
    input in = {.group = random_group(count), .start = start};
    bmf_schedule *schedule = complete(algorithm, &in);
    expect_totals(schedule, rounds, count - 1);
    check_item_sizes(schedule, start);
    holdings all = holdings_create(count, count);
    for (int64_t i = 0; i < count; i++)
        all.held[i * count + i] = 1;
    run_holdings(schedule, &in.group, &all, true);
    for (int64_t i = 0; i < count; i++)
        assert_true(all.held[i]);
    free(all.held);
    schedule_free(schedule);
    free(start);
}

static void check_gathers(int64_t count)
{
    check_gather(&algorithm_gather_levels, count, log2_up(count));
    check_gather(&algorithm_gather_direct, count, count > 1);
}

static void check_allgather(int64_t count)
{
    input in = {.group = random_group(count), .bytes = range_bytes, .value = 1000};
    bmf_schedule *schedule = complete(&algorithm_reduce_allgather, &in);
    expect_totals(schedule, count > 1, count * (count - 1));
    holdings all = holdings_create(count, count);
    for (int64_t i = 0; i < count; i++)
        all.held[i * count + i] = 1;
    run_holdings(schedule, &in.group, &all, true);
    assert_null(memchr(all.held, 0, (size_t)(count * count)));
    for (int64_t m = 0; count > 1 && m < schedule->round[0].count; m++)
        assert_int_equal(schedule->round[0].message[m].bytes, 1000 + schedule->round[0].message[m].first);
    free(all.held);
    schedule_free(schedule);
}

static void check_distl(const bmf_algorithm *algorithm, int64_t count, int64_t bytes, int64_t segments)
{
    input in = {.group = random_group(count), .value = bytes, .segments = segments};
    bmf_schedule *schedule = complete(algorithm, &in);
    int64_t pieces = segments < bytes ? segments : bytes < 1 ? 1 : bytes;
    int64_t others = count - 1, levels = log2_up(count);
    if (algorithm == &algorithm_distl_tree)
        expect_totals(schedule, (int)levels, others);
    else if (algorithm == &algorithm_distl_pipeline)
        expect_totals(schedule, count > 1 ? (int)(others - 1 + pieces) : 0, others * pieces);
    else
        expect_totals(schedule, (int)(levels + others), others + others * others);
    holdings all = holdings_create(count, bytes);
    memset(all.held, 1, (size_t)bytes);
    run_holdings(schedule, &in.group, &all, algorithm != &algorithm_distl_scatter_allgather);
    assert_null(memchr(all.held, 0, (size_t)(count * bytes)));
    for (int r = 0; r < schedule->rounds; r++)
        for (int64_t m = 0; m < schedule->round[r].count; m++)
            assert_int_equal(schedule->round[r].message[m].bytes, schedule->round[r].message[m].count);
    free(all.held);
    schedule_free(schedule);
}

static void check_distls(int64_t count)
{
    check_distl(&algorithm_distl_tree, count, random_below(60), 1);
    check_distl(&algorithm_distl_pipeline, count, random_below(60), 1 + random_below(20));
    check_distl(&algorithm_distl_scatter_allgather, count, random_below(200), 1);
}

/* ---- which neighbouring items a value covers: reduce, scan ---- */

typedef struct span {
    int64_t begin, end;
} span;

static void check_message_span(const bmf_message *message, span value)
{
    assert_int_equal(message->first, value.begin);
    assert_int_equal(message->count, value.end - value.begin);
    assert_int_equal(message->bytes, 1000 * message->count + message->first);
}

/* Joins a received value to one's own, on whichever side it fits; one that covers all replaces. */
static span join(span own, span received)
{
    if (received.end == own.begin)
        return (span){received.begin, own.end};
    if (own.end == received.begin)
        return (span){own.begin, received.end};
    assert_true(received.begin <= own.begin && own.end <= received.end);
    return received;
}

/* Runs rounds [0, rounds) with value[i] = the items item i's value covers. */
static void run_spans(const bmf_schedule *schedule, int rounds, const bmf_group *group, span *value)
{
    span *before = malloc((size_t)group->count * sizeof *before);
    for (int r = 0; r < rounds; r++) {
        memcpy(before, value, (size_t)group->count * sizeof *before);
        for (int64_t m = 0; m < schedule->round[r].count; m++) {
            const bmf_message *message = &schedule->round[r].message[m];
            int64_t to = item_on(group, message->to);
            span sent = before[item_on(group, message->from)];
            check_message_span(message, sent);
            value[to] = join(value[to], sent);
        }
    }
    free(before);
}

static span *own_values(int64_t count)
{
    span *value = calloc((size_t)count, sizeof *value);
    for (int64_t i = 0; i < count; i++)
        value[i] = (span){i, i + 1};
    return value;
}

static void expect_span(span value, int64_t begin, int64_t end)
{
    assert_int_equal(value.begin, begin);
    assert_int_equal(value.end, end);
}

static void check_reduce_levels(int64_t count)
{
    input in = {.group = random_group(count), .bytes = range_bytes, .value = 1000};
    bmf_schedule *schedule = complete(&algorithm_reduce_levels, &in);
    expect_totals(schedule, log2_up(count), count - 1);
    for (int r = 0; r < schedule->rounds; r++)
        for (int64_t m = 0; m < schedule->round[r].count; m++) {
            const bmf_message *message = &schedule->round[r].message[m];
            int64_t to = item_on(&in.group, message->to);
            assert_int_equal(to % ((int64_t)2 << r), 0);
            assert_int_equal(item_on(&in.group, message->from), to + ((int64_t)1 << r));
        }
    span *value = own_values(count);
    run_spans(schedule, schedule->rounds, &in.group, value);
    expect_span(value[0], 0, count);
    free(value);
    schedule_free(schedule);
}

static void check_reduce_doubling(int64_t count)
{
    input in = {.group = random_group(count), .bytes = range_bytes, .value = 1000};
    bmf_schedule *schedule = complete(&algorithm_reduce_doubling, &in);
    int levels = log2_up(count);
    bool power = (int64_t)1 << levels == count;
    int doublings = power ? levels : levels - 1;
    int64_t active = (int64_t)1 << doublings;
    expect_totals(schedule, power ? doublings : doublings + 2, active * doublings + 2 * (count - active));
    span *value = own_values(count);
    run_spans(schedule, schedule->rounds, &in.group, value);
    for (int64_t i = 0; i < count; i++)
        expect_span(value[i], 0, count);
    free(value);
    schedule_free(schedule);
}

static void check_scan_levels(int64_t count)
{
    input in = {.group = random_group(count), .bytes = range_bytes, .value = 1000};
    bmf_schedule *schedule = complete(&algorithm_scan_levels, &in);
    int64_t messages = 0;
    for (int64_t distance = 1; distance < count; distance *= 2)
        messages += count - distance;
    expect_totals(schedule, log2_up(count), messages);
    span *value = own_values(count);
    run_spans(schedule, schedule->rounds, &in.group, value);
    for (int64_t i = 0; i < count; i++)
        expect_span(value[i], 0, i + 1);
    free(value);
    schedule_free(schedule);
}

/* Going down, a sender must know its own prefix and, from going up, the items from itself to the receiver. */
static void run_down(const bmf_schedule *schedule, int up, const bmf_group *group)
{
    int64_t count = group->count;
    int *known = malloc((size_t)count * sizeof *known); /* the round in which item i got its prefix */
    for (int64_t i = 0; i < count; i++)
        known[i] = i == 0 ? up - 1 : schedule->rounds;
    for (int r = up; r < schedule->rounds; r++)
        for (int64_t m = 0; m < schedule->round[r].count; m++) {
            const bmf_message *message = &schedule->round[r].message[m];
            int64_t from = item_on(group, message->from), to = item_on(group, message->to);
            assert_true(known[from] < r);
            assert_int_equal(known[to], schedule->rounds);
            check_message_span(message, (span){0, to});
            assert_int_equal(to - from, (int64_t)1 << (schedule->rounds - 1 - r));
            assert_int_equal(from & (2 * (to - from) - 1), 0);
            known[to] = r;
        }
    for (int64_t i = 0; i < count; i++)
        assert_true(known[i] < schedule->rounds || count == 1);
    free(known);
}

static void check_scan_tree(int64_t count)
{
    input in = {.group = random_group(count), .bytes = range_bytes, .value = 1000};
    bmf_schedule *schedule = complete(&algorithm_scan_tree, &in);
    int levels = log2_up(count);
    expect_totals(schedule, 2 * levels, 2 * (count - 1));
    span *value = own_values(count);
    run_spans(schedule, levels, &in.group, value);
    expect_span(value[0], 0, count);
    run_down(schedule, levels, &in.group);
    free(value);
    schedule_free(schedule);
}

/* ---- any algorithm of the table does what its skeleton wants ---- */

/* Items or bytes travel as they are: from item 0 to each (split), to item 0 (gather), all to all (each, distl). */
static void check_moving(const bmf_algorithm *algorithm, int64_t count)
{
    const bool split = strcmp(algorithm->skeleton, "split") == 0, gather = strcmp(algorithm->skeleton, "gather") == 0;
    const bool distl = strcmp(algorithm->skeleton, "distl") == 0;
    int64_t *start = random_starts(count, 9);
    input in = {random_group(count), start, range_bytes, distl ? random_below(50) : 1000, 1 + random_below(6)};
    bmf_schedule *schedule = complete(algorithm, &in);
    holdings all = holdings_create(count, distl ? in.value : count);
    for (int64_t i = 0; i < count && !split && !distl; i++)
        all.held[i * count + i] = 1;
    if (split || distl)
        memset(all.held, 1, (size_t)all.width);
    run_holdings(schedule, &in.group, &all, false);
    for (int64_t i = 0; i < count && split; i++)
        assert_true(all.held[i * count + i]);
    if (!split)
        assert_null(memchr(all.held, 0, (size_t)(gather ? count : count * all.width)));
    free(all.held);
    free(start);
    schedule_free(schedule);
}

/* Values are joined on the way. */
static void check_joining(const bmf_algorithm *algorithm, int64_t count)
{
    input in = {.group = random_group(count), .bytes = range_bytes, .value = 1000};
    bmf_schedule *schedule = complete(algorithm, &in);
    const bool up_down = algorithm->joining == BMF_JOIN_UP_DOWN, before = algorithm->joining == BMF_JOIN_BEFORE;
    const int rounds = up_down ? schedule->rounds / 2 : schedule->rounds;
    span *value = own_values(count);
    run_spans(schedule, rounds, &in.group, value);
    for (int64_t i = 0; i < (up_down || algorithm->to_first ? 1 : count); i++)
        expect_span(value[i], 0, before ? i + 1 : count);
    if (up_down)
        run_down(schedule, rounds, &in.group);
    free(value);
    schedule_free(schedule);
}

static void check_table(int64_t count)
{
    for (int k = 0; algorithms[k]; k++)
        if (algorithms[k]->joining == BMF_JOIN_NONE || algorithms[k]->joining == BMF_JOIN_EACH)
            check_moving(algorithms[k], count);
        else
            check_joining(algorithms[k], count);
}

/* ---- redistribution ---- */

static void check_redistribute(int64_t parts)
{
    int64_t to_parts = 1 + random_below(2 * parts), *from = random_starts(parts, 5), *to = random_starts(to_parts, 5);
    int64_t length = from[parts];
    for (int64_t j = 0; j < to_parts; j++)
        to[j] = to[j] < length ? to[j] : length;
    to[to_parts] = length;
    bmf_group sources = random_group(parts), targets = random_group(to_parts);
    int64_t *source = calloc((size_t)parts, sizeof *source), *target = calloc((size_t)to_parts, sizeof *target);
    for (int64_t i = 0; i < parts; i++)
        source[i] = group_processor(&sources, i);
    for (int64_t j = 0; j < to_parts; j++)
        target[j] = group_processor(&targets, j);
    bmf_schedule *schedule = schedule_create("redistribute", 0, INT64_MAX);
    schedule_redistribute(schedule, 0, parts, source, from, to_parts, target, to, 3);
    int64_t next = 0;
    for (int64_t m = 0, i = 0, j = 0; m < schedule->round[0].count; m++) {
        const bmf_message *message = &schedule->round[0].message[m];
        assert_int_equal(message->first, next);
        assert_true(message->count > 0);
        next += message->count;
        while (from[i + 1] <= message->first)
            i++;
        while (to[j + 1] <= message->first)
            j++;
        assert_true(next <= from[i + 1] && next <= to[j + 1]);
        assert_int_equal(message->from, source[i]);
        assert_int_equal(message->to, target[j]);
        assert_int_equal(message->bytes, 3 * message->count);
    }
    assert_int_equal(next, length);
    assert_true(schedule->round[0].count <= parts + to_parts - 1);
    schedule_free(schedule);
    free(source);
    free(target);
    free(from);
    free(to);
}

/* ---- tests ---- */

static void test_split(void **state)
{
    (void)state;
    for_counts(check_splits);
}

static void test_gather(void **state)
{
    (void)state;
    for_counts(check_gathers);
}

static void test_allgather(void **state)
{
    (void)state;
    for_counts(check_allgather);
}

static void test_distl(void **state)
{
    (void)state;
    for_counts(check_distls);
}

static void test_reduce(void **state)
{
    (void)state;
    for_counts(check_reduce_levels);
    for_counts(check_reduce_doubling);
}

static void test_scan(void **state)
{
    (void)state;
    for_counts(check_scan_levels);
    for_counts(check_scan_tree);
}

static void test_redistribute(void **state)
{
    (void)state;
    for (int repeat = 0; repeat < 5; repeat++)
        for_counts(check_redistribute);
}

static void expect_message(const bmf_schedule *schedule, int round, int64_t number, int64_t from, int64_t to)
{
    assert_int_equal(schedule->round[round].message[number].from, from);
    assert_int_equal(schedule->round[round].message[number].to, to);
}

/* Figures 5-1, 5-12 and 5-24 of document 000. */
static void test_document(void **state)
{
    (void)state;
    int64_t start[9] = {0, 2, 4, 6, 8, 10, 12, 14, 15};
    input eight = {.group = {0, 0, 8}, .start = start};
    bmf_schedule *split = complete(&algorithm_split_tree, &eight);
    assert_int_equal(split->rounds, 3);
    expect_message(split, 0, 0, 0, 4);
    expect_message(split, 1, 0, 0, 2);
    expect_message(split, 1, 1, 4, 6);
    for (int64_t k = 0; k < 4; k++)
        expect_message(split, 2, k, 2 * k, 2 * k + 1);
    expect_totals(split, 3, 7);
    schedule_free(split);

    static const int64_t scan_messages[4] = {15, 14, 12, 8}, reduce_messages[4] = {8, 4, 2, 1};
    input sixteen = {.group = {0, 0, 16}, .bytes = equal_bytes, .value = 1};
    bmf_schedule *scan = complete(&algorithm_scan_levels, &sixteen),
                 *reduce = complete(&algorithm_reduce_levels, &sixteen);
    assert_int_equal(scan->rounds, 4);
    assert_int_equal(reduce->rounds, 4);
    for (int r = 0; r < 4; r++) {
        assert_int_equal(scan->round[r].count, scan_messages[r]);
        assert_int_equal(reduce->round[r].count, reduce_messages[r]);
    }
    schedule_free(scan);
    schedule_free(reduce);
}

static void expect_printed(const bmf_schedule *schedule, int examples, const char *expected)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    schedule_print(schedule, examples, stream);
    fclose(stream);
    assert_string_equal(text, expected);
    free(text);
}

static void test_print(void **state)
{
    (void)state;
    int64_t start[5] = {0, 2, 4, 6, 7};
    input four = {.group = {1, 1, 4}, .start = start};
    bmf_schedule *split = complete(&algorithm_split_tree, &four);
    expect_printed(split, 1,
                   "tree: 2 rounds, 3 messages, 6 B\n"
                   "  round 0: 1 message, 3 B: 1 -> 5 (3 B)\n"
                   "  round 1: 2 messages, 3 B, largest 2 B: 1 -> 3 (2 B), ..\n");
    schedule_free(split);
    four.start = NULL;
    split = complete(&algorithm_split_direct, &four);
    bmf_message copy = {.from = 1, .to = 1, .bytes = 99};
    schedule_add(split, 0, copy);
    expect_printed(split, 9,
                   "direct: 1 round, 3 messages, sizes known when sent\n"
                   "  round 0: 3 messages, sizes known when sent: 1 -> 3, 1 -> 5, 1 -> 7\n");
    int64_t messages, bytes;
    schedule_count_totals(split, &messages, &bytes);
    assert_int_equal(messages, 3);
    assert_int_equal(bytes, 0);
    schedule_free(split);
}

static void test_table(void **state)
{
    (void)state;
    for_counts(check_table);
}

static void test_names(void **state)
{
    (void)state;
    int skeletons = 0, a = 0;
    for (; algorithms[a]; a++) {
        skeletons += a == 0 || strcmp(algorithms[a]->skeleton, algorithms[a - 1]->skeleton) != 0;
        assert_ptr_equal(algorithm_find(algorithms[a]->skeleton, algorithms[a]->name), algorithms[a]);
        for (int b = 0; b < a; b++)
            assert_false(strcmp(algorithms[a]->skeleton, algorithms[b]->skeleton) == 0 &&
                         strcmp(algorithms[a]->name, algorithms[b]->name) == 0);
    }
    assert_int_equal(a, BMF_ALGORITHMS);
    assert_in_range(skeletons, 5, BMF_ALGORITHMS);
    assert_string_equal(algorithm_scan_tree.skeleton, "scan");
    assert_string_equal(algorithm_scan_tree.name, "tree");
    assert_ptr_equal(algorithm_find("reduce", "everybody"), &algorithm_reduce_allgather);
    assert_ptr_equal(algorithm_find("reduce", NULL), &algorithm_reduce_levels);
    assert_null(algorithm_find("reduce", "lefels"));
    assert_null(algorithm_find("redjuice", "levels"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_split),        cmocka_unit_test(test_gather),   cmocka_unit_test(test_allgather),
        cmocka_unit_test(test_distl),        cmocka_unit_test(test_reduce),   cmocka_unit_test(test_scan),
        cmocka_unit_test(test_redistribute), cmocka_unit_test(test_document), cmocka_unit_test(test_print),
        cmocka_unit_test(test_names),        cmocka_unit_test(test_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What converters share: matching, marks, tracks, texts and numbers, against slow and obvious versions of the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/convert/convert.h"
#include "runtime/convert/view.h"
#include "ctest/support/testing.h"

/* Runs of few lanes, nodes and instants, so that equal keys, equal times and overlaps are common. */
static bmf_trace_run *random_run(uint64_t seed, int64_t events)
{
    uint64_t random = seed;
    bmf_trace_run *run = run_create("program", "machine", 1 + (int32_t)test_below(&random, 3), 1, 1);
    int64_t instants = 2 + test_below(&random, 60);
    run_node(run, 0, "a", BMF_EVENT_SKELETON);
    for (int64_t k = 0; k < events; k++) {
        int64_t begin = test_below(&random, instants), kind = test_below(&random, BMF_EVENT_KINDS);
        bool message = kind == BMF_EVENT_SEND || kind == BMF_EVENT_RECEIVE;
        run_add(run, &(bmf_event){.begin = begin,
                                  .end = begin + test_below(&random, instants),
                                  .node = (uint32_t)test_below(&random, 2),
                                  .instance = (uint32_t)test_below(&random, 2),
                                  .round = (uint32_t)test_below(&random, 2),
                                  .lane = (int32_t)test_below(&random, run->lanes),
                                  .peer = message ? (int32_t)test_below(&random, run->lanes) : -1,
                                  .kind = (uint16_t)kind});
    }
    assert_int_equal(run_sort(run), BMF_OK);
    return run;
}

/* Calls check with a view of many random runs. */
static void for_random_views(void (*check)(bmf_view *view))
{
    for (uint64_t seed = 1; seed <= 150; seed++) {
        bmf_trace trace = {.runs = 1, .run = {random_run(seed, (int64_t)seed - 1)}};
        bmf_view view[2];
        views_create(&trace, BMF_STYLE_PLAIN, view);
        check(&view[0]);
        views_free(view, 1);
        run_free(trace.run[0]);
    }
}

/* ---- matching ---- */

static bool same_message(const bmf_event *send, const bmf_event *receive)
{
    return send->kind == BMF_EVENT_SEND && receive->kind == BMF_EVENT_RECEIVE && send->node == receive->node &&
           send->instance == receive->instance && send->round == receive->round && send->lane == receive->peer &&
           send->peer == receive->lane;
}

static bool same_direction(const bmf_event *a, const bmf_event *b)
{
    return a->kind == b->kind && a->node == b->node && a->instance == b->instance && a->round == b->round &&
           a->lane == b->lane && a->peer == b->peer;
}

/* How many equal messages come before event k: sends by begin and end, receives by end and begin, then as recorded. */
static int64_t rank_of(const bmf_trace_run *run, int64_t k)
{
    const bmf_event *event = &run->event[k];
    bool send = event->kind == BMF_EVENT_SEND;
    int64_t rank = 0;
    for (int64_t other = 0; other < run->events; other++) {
        const bmf_event *e = &run->event[other];
        if (other == k || !same_direction(e, event))
            continue;
        int64_t first = send ? e->begin - event->begin : e->end - event->end;
        int64_t second = send ? e->end - event->end : e->begin - event->begin;
        rank += first < 0 || (first == 0 && (second < 0 || (second == 0 && other < k)));
    }
    return rank;
}

static int64_t find_partner(const bmf_trace_run *run, int64_t k)
{
    for (int64_t other = 0; other < run->events; other++) {
        const bmf_event *a = &run->event[k], *b = &run->event[other];
        if ((same_message(a, b) || same_message(b, a)) && rank_of(run, k) == rank_of(run, other))
            return other;
    }
    return -1;
}

static void check_partners(bmf_view *view)
{
    for (int64_t k = 0; k < view->run->events; k++)
        assert_int_equal(view->partner[k], find_partner(view->run, k));
}

static void messages_are_matched_in_order(void **state)
{
    (void)state;
    for_random_views(check_partners);
}

/* ---- marks ---- */

/* Every event has one enter and later one leave, in time order, and tracks nest like brackets. */
static void check_marks(bmf_view *view)
{
    const bmf_trace_run *run = view->run;
    bmf_mark *mark = malloc((size_t)(2 * run->events + 1) * sizeof *mark);
    int64_t *stack = malloc((size_t)(run->events + 1) * BMF_MAX_TRACKS * sizeof *stack);
    view_marks(view, 0, mark);
    for (int32_t lane = 0; lane < run->lanes; lane++) {
        int64_t depth[BMF_MAX_TRACKS] = {0}, last = 0;
        for (int64_t k = 2 * view->lane_start[lane]; k < 2 * view->lane_start[lane + 1]; k++) {
            int64_t number = mark_event(&mark[k]), t = view->track[number];
            const bmf_event *event = &run->event[number];
            int64_t *of_track = stack + t * (run->events + 1);
            assert_int_equal(event->lane, lane);
            assert_in_range(t, 0, view->tracks[lane] - 1);
            assert_true(mark[k].time >= last);
            last = mark[k].time;
            if (mark_leaves(&mark[k])) {
                assert_true(depth[t] > 0);
                assert_int_equal(of_track[--depth[t]], number);
                assert_true(mark[k].time == event->end || view->tracks[lane] == BMF_MAX_TRACKS);
            } else {
                assert_int_equal(mark[k].time, event->begin);
                of_track[depth[t]++] = number;
            }
        }
        for (int t = 0; t < view->tracks[lane]; t++)
            assert_int_equal(depth[t], 0);
    }
    free(mark);
    free(stack);
}

static void marks_nest_on_every_track(void **state)
{
    (void)state;
    for_random_views(check_marks);
}

static void nested_events_need_one_track(void **state)
{
    (void)state;
    bmf_trace trace = {.runs = 1, .run = {run_create("", "", 1, 1, 1)}};
    for (int64_t k = 0; k < 50; k++) {
        run_add(trace.run[0], &(bmf_event){.begin = 0, .end = 100 - k, .peer = -1});
        run_add(trace.run[0], &(bmf_event){.begin = 100 + k, .end = 101 + k, .peer = -1, .kind = BMF_EVENT_KERNEL});
    }
    bmf_view view[2];
    run_sort(trace.run[0]);
    views_create(&trace, BMF_STYLE_PLAIN, view);
    views_tracks(view, 1);
    assert_int_equal(view[0].tracks[0], 1);
    views_free(view, 1);
    run_free(trace.run[0]);
}

static void too_many_overlaps_are_cut(void **state)
{
    (void)state;
    bmf_trace trace = {.runs = 1, .run = {run_create("", "", 1, 1, 1)}};
    for (int64_t k = 0; k < 3 * BMF_MAX_TRACKS; k++)
        run_add(trace.run[0], &(bmf_event){.begin = k, .end = 1000 + k, .peer = -1, .kind = BMF_EVENT_WAIT});
    bmf_view view[2];
    views_create(&trace, BMF_STYLE_PLAIN, view);
    check_marks(&view[0]);
    assert_int_equal(view[0].tracks[0], BMF_MAX_TRACKS);
    views_free(view, 1);
    run_free(trace.run[0]);
}

/* Leaves follow each other, keep their ends, and idle times are exactly the gaps. */
static void check_flat_marks(bmf_view *view)
{
    const bmf_trace_run *run = view->run;
    bmf_mark *mark = malloc((size_t)(2 * run->events + 1) * sizeof *mark);
    view_flat_marks(view, 0, mark);
    for (int32_t lane = 0; lane < run->lanes; lane++) {
        int64_t open = -1, last = 0, idle_since = -1;
        for (int64_t k = 2 * view->lane_start[lane]; k < 2 * view->lane_start[lane + 1]; k++) {
            int64_t number = mark_event(&mark[k]);
            const bmf_event *event = &run->event[number];
            assert_true(mark[k].time >= last);
            last = mark[k].time;
            if (is_container(event))
                continue;
            if (mark_leaves(&mark[k])) {
                assert_int_equal(open, number);
                assert_int_equal(mark[k].time, event->end);
                open = -1;
                idle_since = mark[k].code & BMF_MARK_IDLE_AFTER ? mark[k].time : -1;
            } else {
                assert_int_equal(open, -1);
                assert_true(mark[k].time >= event->begin);
                assert_true(idle_since < 0 || mark[k].time > idle_since);
                open = number;
            }
        }
        assert_int_equal(open, -1);
        assert_true(idle_since < view->end);
    }
    free(mark);
}

static void flat_leaves_do_not_overlap(void **state)
{
    (void)state;
    for_random_views(check_flat_marks);
}

/* The marks of all lanes, one lane after the other. */
typedef struct reference {
    bmf_mark *mark;
    int64_t marks, seen;
} reference;

/* Sorts by inserting, which leaves equal times as they are. */
static reference make_reference(bmf_view view[2], int views, bool flat)
{
    int64_t events = view[0].run->events + (views > 1 ? view[1].run->events : 0);
    reference e = {.mark = malloc((size_t)(2 * events + 1) * sizeof *e.mark)};
    for (int v = 0; v < views; v++) {
        (flat ? view_flat_marks : view_marks)(&view[v], v, e.mark + e.marks);
        e.marks += 2 * view[v].run->events;
    }
    for (int64_t k = 1; k < e.marks; k++) {
        bmf_mark next = e.mark[k];
        int64_t at = k;
        for (; at > 0 && e.mark[at - 1].time > next.time; at--)
            e.mark[at] = e.mark[at - 1];
        e.mark[at] = next;
    }
    return e;
}

static void check_mark(void *data, const bmf_view *view, const bmf_mark *mark)
{
    reference *e = data;
    assert_true(e->seen < e->marks);
    assert_int_equal(mark->time, e->mark[e->seen].time);
    assert_int_equal(mark->code, e->mark[e->seen].code);
    assert_int_equal(view->number, mark_view(mark));
    e->seen++;
}

static void check_merge(bmf_trace *trace, bool flat, bool ends)
{
    bmf_view view[2];
    views_create(trace, BMF_STYLE_PLAIN, view);
    bmf_merge *merge = merge_create(view, trace->runs, flat);
    assert_non_null(merge);
    reference e = make_reference(view, trace->runs, flat);
    merge_each(merge, ends, check_mark, &e);
    assert_int_equal(e.seen, e.marks);
    merge_free(merge);
    free(e.mark);
    views_free(view, trace->runs);
}

static void runs_and_lanes_are_merged_by_time(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed < 60; seed++) {
        bmf_trace trace = {.runs = 2, .run = {random_run(seed, (int64_t)seed * 3), random_run(seed + 1000, 40)}};
        check_merge(&trace, seed % 2, seed % 3);
        run_free(trace.run[0]);
        run_free(trace.run[1]);
    }
}

/* Many marks at one instant, then few over a very long time. */
static void crowds_and_deserts_are_merged(void **state)
{
    (void)state;
    uint64_t random = 9;
    bmf_trace trace = {.runs = 1, .run = {run_create("", "", 7, 1, 1)}};
    for (int64_t k = 0; k < 20000; k++) {
        bool crowd = k % 100 != 0;
        int64_t begin = crowd ? 1000 + test_below(&random, 2) : test_below(&random, (int64_t)1 << 60);
        run_add(trace.run[0], &(bmf_event){.begin = begin,
                                           .end = begin + (crowd ? 0 : test_below(&random, 1 << 30)),
                                           .lane = (int32_t)test_below(&random, 7),
                                           .peer = -1,
                                           .kind = BMF_EVENT_KERNEL});
    }
    assert_int_equal(run_sort(trace.run[0]), BMF_OK);
    check_merge(&trace, false, true);
    run_free(trace.run[0]);
}

/* ---- ids ---- */

static void ids_are_structural(void **state)
{
    (void)state;
    bmf_trace_run *a = run_create("", "", 4, 1, 1), *b = run_create("", "", 4, 1, 1);
    a->predicted = 1;
    uint32_t x = run_node(a, 0, "x", BMF_EVENT_SKELETON), y = run_node(a, 0, "y", BMF_EVENT_SKELETON);
    uint32_t other_y = run_node(b, 0, "y", BMF_EVENT_SKELETON), other_x = run_node(b, 0, "x", BMF_EVENT_SKELETON);
    assert_int_not_equal(x, other_x);
    bmf_trace trace = {.runs = 2, .run = {a, b}};
    bmf_view view[2];
    views_create(&trace, BMF_STYLE_PLAIN, view);
    bmf_event event = {.begin = 5, .end = 7, .node = x, .instance = 2, .round = 1, .lane = 3, .peer = 1, .kind = 3};
    bmf_event same = event, variant[6];
    same.node = other_x;
    same.begin = 1;
    same.end = 90;
    uint64_t id = view_id(&view[0], &event);
    assert_int_equal(id, view_id(&view[1], &same));
    assert_int_equal(id >> 62, 0);
    for (int k = 0; k < 6; k++)
        variant[k] = event;
    variant[0].node = y;
    variant[1].instance = 1;
    variant[2].round = 2;
    variant[3].lane = 1;
    variant[4].peer = 3;
    variant[5].kind = 4;
    for (int k = 0; k < 6; k++)
        assert_int_not_equal(id, view_id(&view[0], &variant[k]));
    same.node = other_y;
    assert_int_equal(view_id(&view[0], &variant[0]), view_id(&view[1], &same));
    views_free(view, 2);
    run_free(a);
    run_free(b);
}

/* ---- text ---- */

static void assert_styled(const char *text, bmf_style style, const char *expected)
{
    char *styled = style_text(text, style);
    assert_string_equal(styled, expected);
    free(styled);
}

static void texts_are_made_harmless(void **state)
{
    (void)state;
    assert_styled("a\"b\\c", BMF_STYLE_PLAIN, "a\"b\\c");
    assert_styled("a\"b\\c", BMF_STYLE_JSON, "a\\\"b\\\\c");
    assert_styled("a\"b\\c", BMF_STYLE_CSV, "a\"\"b\\c");
    assert_styled("a\"b\\c", BMF_STYLE_PAJE, "a'b\\c");
    assert_styled("x\n\t\x7f\x01y", BMF_STYLE_JSON, "x????y");
    assert_styled("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80", BMF_STYLE_JSON, "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
    assert_styled("\xff\xc3", BMF_STYLE_JSON, "??");
    assert_styled("\xc0\x80", BMF_STYLE_JSON, "??");           /* overlong */
    assert_styled("\xed\xa0\x80", BMF_STYLE_JSON, "???");      /* a surrogate */
    assert_styled("\xf4\x90\x80\x80", BMF_STYLE_JSON, "????"); /* beyond Unicode */
    assert_styled("\xe2\x82", BMF_STYLE_JSON, "??");           /* cut off */
    char long_text[3000];
    memset(long_text, '"', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = '\0';
    char *styled = style_text(long_text, BMF_STYLE_JSON);
    assert_int_equal(strlen(styled), 2 * BMF_LABEL_BYTES);
    free(styled);
}

static void assert_put(char *(*put)(char *, int64_t), int64_t value, const char *expected)
{
    char text[64];
    *put(text, value) = '\0';
    assert_string_equal(text, expected);
}

static void numbers_are_printed_as_printf_does(void **state)
{
    (void)state;
    uint64_t random = 4;
    for (int k = 0; k < 20000; k++) {
        int64_t value = (int64_t)(random_bits(&random) >> test_below(&random, 64));
        int64_t positive = value & INT64_MAX;
        char expected[64];
        snprintf(expected, sizeof expected, "%lld", (long long)value);
        assert_put(put_integer, value, expected);
        snprintf(expected, sizeof expected, "%lld.%03lld", (long long)(positive / 1000), (long long)(positive % 1000));
        assert_put(put_micros, positive, expected);
        snprintf(expected, sizeof expected, "%lld.%09lld", (long long)(positive / 1000000000),
                 (long long)(positive % 1000000000));
        assert_put(put_seconds, positive, expected);
        char text[32];
        *put_hex(text, (uint64_t)value) = '\0';
        snprintf(expected, sizeof expected, "%016llx", (unsigned long long)value);
        assert_string_equal(text, expected);
    }
    assert_put(put_integer, 0, "0");
    assert_put(put_integer, INT64_MIN, "-9223372036854775808");
}

static void formats_are_found_by_name(void **state)
{
    (void)state;
    for (const bmf_format *format = formats; format->name; format++)
        assert_ptr_equal(format_find(format->name), format);
    assert_null(format_find("pic"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_are_matched_in_order), cmocka_unit_test(marks_nest_on_every_track),
        cmocka_unit_test(nested_events_need_one_track),  cmocka_unit_test(too_many_overlaps_are_cut),
        cmocka_unit_test(flat_leaves_do_not_overlap),    cmocka_unit_test(runs_and_lanes_are_merged_by_time),
        cmocka_unit_test(crowds_and_deserts_are_merged), cmocka_unit_test(ids_are_structural),
        cmocka_unit_test(texts_are_made_harmless),       cmocka_unit_test(numbers_are_printed_as_printf_does),
        cmocka_unit_test(formats_are_found_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

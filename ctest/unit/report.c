/* The report's file: what is in it, read back by other means (jansson, zlib,
 * and decoders of this file). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <jansson.h>
#include <math.h>
#include <zlib.h>

#include "runtime/convert/markup.h"
#include "runtime/convert/view.h"
#include "ctest/support/testing.h"
#include "predict/report/report.h"

static const char path[] = "unit_report.html";

/* ---- reading ---- */

static char *read_file(const char *name)
{
    FILE *stream = fopen(name, "rb");
    assert_non_null(stream);
    fseek(stream, 0, SEEK_END);
    long size = ftell(stream);
    rewind(stream);
    char *text = malloc((size_t)size + 1);
    assert_int_equal(fread(text, 1, (size_t)size, stream), (size_t)size);
    text[size] = '\0';
    fclose(stream);
    return text;
}

/* What stands in the element with this id; the caller frees. */
static char *content_of(const char *page, const char *id)
{
    char mark[40];
    snprintf(mark, sizeof mark, " id=\"%s\">", id);
    const char *begin = strstr(page, mark);
    assert_non_null(begin);
    begin += strlen(mark);
    return strndup(begin, (size_t)(strstr(begin, "</script>") - begin));
}

static int digit_value(char c)
{
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : c >= '0' && c <= '9' ? c - '0' + 52
           : c == '+'             ? 62
                                  : 63;
}

typedef struct numbers {
    uint8_t *byte;
    size_t at, size;
} numbers;

static numbers read_numbers(const char *text)
{
    size_t digits = strcspn(text, "="), packed = 0;
    assert_int_equal(strlen(text) % 4, 0);
    uint8_t *bytes = malloc(digits + 4);
    uint32_t bits = 0;
    for (size_t k = 0; k < digits; k++) {
        bits = bits << 6 | (uint32_t)digit_value(text[k]);
        if (k % 4 > 0)
            bytes[packed++] = (uint8_t)(bits >> (6 - 2 * (k % 4)));
    }
    uLongf size = 1 << 22;
    numbers n = {malloc(size), 0, 0};
    assert_int_equal(uncompress(n.byte, &size, bytes, packed), Z_OK);
    n.size = size;
    free(bytes);
    return n;
}

static uint64_t next(numbers *n)
{
    uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
        assert_true(n->at < n->size);
        uint8_t byte = n->byte[n->at++];
        value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return value;
    }
}

static int64_t unfold(uint64_t value)
{
    return value % 2 ? -(int64_t)(value / 2) - 1 : (int64_t)(value / 2);
}

static int64_t next_signed(numbers *n)
{
    return unfold(next(n));
}

/* ---- runs ---- */

/* Times, amounts and messages of every size, also such as no sane run has. */
static bmf_trace_run *random_run(uint64_t seed, int64_t events, int predicted)
{
    uint64_t random = seed;
    bmf_trace_run *run = run_create("program", "machine", 1 + (int32_t)test_below(&random, 4), 1, 1);
    run->predicted = predicted;
    run_node(run, 0, "a", BMF_EVENT_SKELETON);
    uint32_t kernel = run_name(run, "kernel");
    for (int64_t k = 0; k < events; k++) {
        int64_t begin = test_below(&random, INT64_C(1) << test_below(&random, 50));
        int64_t duration = test_below(&random, INT64_C(1) << test_below(&random, 40)),
                kind = test_below(&random, BMF_EVENT_KINDS);
        bool message = kind == BMF_EVENT_SEND || kind == BMF_EVENT_RECEIVE;
        int64_t spread = predicted ? test_below(&random, 1 + duration) : 0;
        run_add(run, &(bmf_event){.begin = begin,
                                  .end = begin + duration,
                                  .amount = test_below(&random, INT64_C(1) << test_below(&random, 60)),
                                  .low = duration - spread,
                                  .high = duration + 2 * spread,
                                  .node = (uint32_t)test_below(&random, 2),
                                  .instance = (uint32_t)random_bits(&random),
                                  .round = (uint32_t)test_below(&random, 3),
                                  .lane = (int32_t)test_below(&random, run->lanes),
                                  .peer = message ? (int32_t)test_below(&random, run->lanes) : -1,
                                  .kind = (uint16_t)kind,
                                  .name = (uint16_t)(kind == BMF_EVENT_KERNEL ? kernel : 0)});
    }
    for (int32_t lane = 0; lane < run->lanes; lane++)
        for (int64_t k = 0, time = 0; k < (int64_t)(seed % 5); k++)
            run_add_held(run, &(bmf_trace_held){.lane = lane,
                                                .time = time += test_below(&random, 1 << 20),
                                                .bytes = test_below(&random, INT64_C(1) << 40)});
    return run;
}

static char *write_and_read(const bmf_report_contents *report)
{
    assert_int_equal(report_write(report, path), BMF_OK);
    char *page = read_file(path);
    unlink(path);
    return page;
}

/* ---- columns ---- */

/* Times and bytes from record to record of a lane. */
static void check_held(numbers *n, const bmf_trace_run *run)
{
    int64_t time[4] = {0}, bytes[4] = {0};
    assert_int_equal(next(n), run->helds);
    for (int64_t k = 0; k < run->helds; k++) {
        const int32_t lane = run->held[k].lane;
        assert_int_equal(next(n), lane);
        assert_int_equal(time[lane] += (int64_t)next(n), run->held[k].time);
        assert_int_equal(bytes[lane] += next_signed(n), run->held[k].bytes);
    }
}

/* As the page reads them: durations of leaves, then begins, from the latest begin and end of a leaf before, then ends
 * of regions and calls, the last first, from the end of one of the events behind. */
static void check_times(numbers *n, const bmf_trace_run *run)
{
    const bmf_event *event = run->event;
    int64_t reached[4] = {0}, before[4] = {0};
    for (int64_t k = 0; k < run->events; k++)
        if (event[k].kind >= BMF_EVENT_KERNEL)
            assert_int_equal(next(n), event[k].end - event[k].begin);
    for (int64_t k = 0; k < run->events; k++) {
        const int lane = event[k].lane;
        const uint64_t value = next(n);
        const int64_t begin = value == 0   ? reached[lane]
                              : value == 1 ? before[lane]
                                           : reached[lane] + unfold(value - 2);
        assert_int_equal(begin, event[k].begin);
        before[lane] = begin;
        const int64_t until = event[k].kind >= BMF_EVENT_KERNEL ? event[k].end : begin;
        reached[lane] = until > reached[lane] ? until : reached[lane];
    }
    for (int64_t k = run->events - 1; k >= 0; k--) {
        if (event[k].kind >= BMF_EVENT_KERNEL)
            continue;
        const int64_t last = k + (int64_t)next(n);
        assert_true(last < run->events && event[last].lane == event[k].lane);
        assert_int_equal((last > k ? event[last].end : event[k].begin) + next_signed(n), event[k].end);
    }
}

static void check_columns(numbers *n, const bmf_trace_run *run)
{
    const bmf_event *event = run->event;
    int64_t in_lane[4] = {0}, amount[BMF_EVENT_KINDS] = {0}, node = 0, instance = 0, round = 0;
    for (int64_t k = 0; k < run->events; k++)
        in_lane[event[k].lane]++;
    for (int32_t lane = 0; lane < run->lanes; lane++)
        assert_int_equal(next(n), in_lane[lane]);
    for (int64_t k = 0; k < run->events; k++)
        assert_int_equal(next(n), event[k].kind);
    check_times(n, run);
    for (int64_t k = 0; k < run->events; k++)
        assert_int_equal(node += next_signed(n), event[k].node);
    for (int64_t k = 0; k < run->events; k++)
        assert_int_equal(instance += next_signed(n), event[k].instance);
    for (int64_t k = 0; k < run->events; k++)
        assert_int_equal(round += next_signed(n), event[k].round);
    for (int64_t k = 0; k < run->events; k++)
        assert_int_equal(amount[event[k].kind] += next_signed(n), event[k].amount);
    for (int64_t k = 0; k < run->events; k++)
        if (event[k].kind == BMF_EVENT_KERNEL || event[k].kind == BMF_EVENT_COLLECTIVE)
            assert_int_equal(next(n), event[k].name);
    for (int64_t k = 0; k < run->events; k++)
        if (is_message(&event[k]))
            assert_int_equal(event[k].lane + next_signed(n), event[k].peer);
}

static void check_bounds(numbers *n, const bmf_trace_run *run)
{
    bool some = next(n);
    assert_true(some == (run->predicted && run->events > 0));
    for (int64_t k = 0; some && k < run->events; k++)
        assert_int_equal(run->event[k].end - run->event[k].begin - next_signed(n), run->event[k].low);
    for (int64_t k = 0; some && k < run->events; k++) {
        const int64_t duration = run->event[k].end - run->event[k].begin;
        assert_int_equal(duration + (duration - run->event[k].low) + next_signed(n), run->event[k].high);
    }
}

/* Every send's receive is one of the same message; matches are those of the
 * comparison. */
static void check_links(numbers *n, const bmf_trace_run *run, const int64_t *match)
{
    int64_t first[4] = {0}, expected = 0;
    for (int64_t k = run->events - 1; k >= 0; k--)
        first[run->event[k].lane] = k;
    for (int64_t k = 0; k < run->events; k++) {
        const bmf_event *send = &run->event[k];
        uint64_t value = send->kind == BMF_EVENT_SEND ? next(n) : 0;
        if (value == 0)
            continue;
        const int64_t place = k - first[send->lane] + first[send->peer] + unfold(value - 1);
        assert_true(place >= 0 && place < run->events);
        const bmf_event *receive = &run->event[place];
        assert_int_equal(receive->kind, BMF_EVENT_RECEIVE);
        assert_true(receive->lane == send->peer && receive->peer == send->lane && receive->node == send->node &&
                    receive->instance == send->instance && receive->round == send->round);
    }
    assert_int_equal(next(n), match ? 1 : 0);
    expected = 0;
    for (int64_t k = 0; match && k < run->events; k++) {
        uint64_t value = next(n);
        assert_int_equal(value ? expected + unfold(value - 1) : -1, match[k]);
        expected = value ? match[k] + 1 : expected;
    }
}

static void columns_hold_every_event(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        bmf_report_contents report = {.title = "columns", .runs = 2};
        for (int k = 0; k < 2; k++)
            report.run[k] = random_run(seed * 2 + (uint64_t)k, (int64_t)seed * 7 - 7, k);
        uint64_t random = seed;
        bmf_comparison comparison = {.match = calloc((size_t)report.run[0]->events + 1, sizeof(int64_t))};
        for (int64_t k = 0; k < report.run[0]->events; k++)
            comparison.match[k] = test_below(&random, report.run[1]->events + 1) - 1;
        report.comparison = &comparison;
        char *page = write_and_read(&report);
        for (int k = 0; k < 2; k++) {
            char *text = content_of(page, k == 0 ? "columns0" : "columns1");
            numbers n = read_numbers(text);
            check_columns(&n, report.run[k]);
            check_bounds(&n, report.run[k]);
            check_links(&n, report.run[k], k == 0 ? comparison.match : NULL);
            check_held(&n, report.run[k]);
            assert_int_equal(n.at, n.size);
            free(n.byte);
            free(text);
            run_free(report.run[k]);
        }
        free(comparison.match);
        free(page);
    }
}

/* ---- facts ---- */

static json_t *facts_of(const char *page)
{
    char *text = content_of(page, "facts");
    json_error_t error;
    json_t *facts = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    if (!facts)
        fail_msg("%s at %d of %s", error.text, error.position, text);
    free(text);
    return facts;
}

static json_t *at(const json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);
    if (!value)
        fail_msg("no %s", key);
    return value;
}

static json_int_t count_of(const json_t *object, const char *key)
{
    return json_integer_value(at(object, key));
}

static void facts_are_those_given(void **state)
{
    (void)state;
    bmf_link_load load[] = {{.from = "a", .to = "b", .busy = 1e-3, .bytes = 5},
                            {.from = "c", .to = "d", .busy = 2e-3, .messages = 7}};
    bmf_scaling scaling[] = {{4, 0.5, 0.25, 1.0, false, true}, {8, 0.25, NAN, NAN, true, false}};
    bmf_report_contents report = {.title = "a title",
                                  .runs = 1,
                                  .run = {random_run(5, 50, 1)},
                                  .loads = {2},
                                  .load = {load},
                                  .points = 2,
                                  .scaling = scaling,
                                  .expected = {{.median = 2.0, .low = 1.5, .high = 2.5, .files = 0.25}}};
    char *page = write_and_read(&report);
    json_t *facts = facts_of(page), *run = json_array_get(at(facts, "runs"), 0), *links = at(run, "links"),
           *points = at(facts, "scaling");
    assert_string_equal(json_string_value(at(facts, "title")), "a title");
    assert_string_equal(json_string_value(at(run, "name")), "predicted");
    assert_int_equal(count_of(run, "events"), 50);
    assert_int_equal(count_of(run, "processors"), report.run[0]->lanes);
    assert_true(json_number_value(at(run, "low")) == 1.5 && json_number_value(at(run, "high")) == 2.5);
    assert_true(json_number_value(at(run, "median")) == 2.0 && json_number_value(at(run, "files")) == 0.25);
    assert_true(json_is_null(at(facts, "comparison")));
    assert_int_equal(json_array_size(links), 2);
    assert_string_equal(json_string_value(json_array_get(json_array_get(links, 0), 0)), "c"); /* the busiest first */
    assert_int_equal(json_integer_value(json_array_get(json_array_get(links, 0), 6)), 7);
    assert_int_equal(json_array_size(points), 2);
    assert_true(json_is_null(json_array_get(json_array_get(points, 1), 2)));
    assert_int_equal(json_integer_value(json_array_get(json_array_get(points, 1), 4)), 1);
    json_decref(facts);
    free(page);
    run_free(report.run[0]);
}

/* A kernel of 30 ns on both processors, and a file of 10 ns on one. */
static void intervals_have_their_names(void **state)
{
    (void)state;
    bmf_report_contents report = {.title = "", .runs = 1, .run = {run_create("p", "m", 2, 1, 1)}};
    bmf_trace_run *run = report.run[0];
    for (int32_t lane = 0; lane < 2; lane++) {
        run_add(run, &(bmf_event){.end = 40, .lane = lane, .peer = -1, .kind = BMF_EVENT_REGION});
        run_add(run, &(bmf_event){.end = 30, .lane = lane, .peer = -1, .kind = BMF_EVENT_KERNEL});
    }
    run_add(run, &(bmf_event){.begin = 30, .end = 40, .peer = -1, .kind = BMF_EVENT_FILE});
    assert_int_equal(intervals_create(run, NULL, &report.intervals[0]), BMF_OK);
    char *page = write_and_read(&report);
    json_t *facts = facts_of(page), *columns = at(facts, "columns");
    json_t *interval = json_array_get(at(json_array_get(at(facts, "runs"), 0), "intervals"), 0),
           *all = at(interval, "all");
    static const struct {
        const char *name;
        json_int_t value;
    } expected[] = {{"execution", 40}, {"total", 80},        {"productive", 70}, {"compute", 60},
                    {"file", 10},      {"communication", 0}, {"lost", 10},       {"messages", 0}};
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++) {
        size_t column = 0;
        while (strcmp(json_string_value(json_array_get(columns, column)), expected[k].name) != 0)
            assert_true(++column < json_array_size(columns));
        assert_int_equal(json_integer_value(json_array_get(all, column)), expected[k].value);
    }
    assert_true(fabs(json_number_value(json_array_get(at(interval, "efficiency"), 0)) - 70.0 / 80.0) < 1e-9);
    json_decref(facts);
    free(page);
    intervals_free(report.intervals[0]);
    run_free(run);
}

/* ---- texts ---- */

static int64_t occurrences(const char *text, const char *part)
{
    int64_t found = 0;
    for (; (text = strstr(text, part)); text++)
        found++;
    return found;
}

static void texts_stay_in_their_place(void **state)
{
    (void)state;
    static const char *const texts[] = {"</script><script>alert(1)</script>",
                                        "<!-- <script>",
                                        "\"'\\ & &amp; \\u003c",
                                        "\xff\xfe\x80 \x01\x1f",
                                        "\xe2\x80\xa8 \xc3\xa9 \xf0\x9f\x98\x80",
                                        "]]>"};
    bmf_report_contents plain = {.title = "t", .runs = 1, .run = {run_create("p", "m", 1, 1, 1)}};
    char *page = write_and_read(&plain);
    int64_t tags = occurrences(page, "<");
    free(page);
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        bmf_report_contents report = {.title = texts[k], .runs = 1, .run = {run_create(texts[k], texts[k], 1, 1, 1)}};
        run_node(report.run[0], 0, texts[k], BMF_EVENT_REGION);
        page = write_and_read(&report);
        assert_int_equal(occurrences(page, "<"), tags);
        json_t *facts = facts_of(page); /* jansson also refuses what is not UTF-8 */
        char *clean = style_text(texts[k], BMF_STYLE_PLAIN);
        assert_string_equal(json_string_value(at(facts, "title")), clean);
        assert_string_equal(json_string_value(at(json_array_get(at(facts, "runs"), 0), "program")), clean);
        assert_string_equal(json_string_value(json_array_get(at(json_array_get(at(facts, "runs"), 0), "names"), 2)),
                            clean);
        free(clean);
        json_decref(facts);
        free(page);
        run_free(report.run[0]);
    }
    run_free(plain.run[0]);
}

static void markup_can_be_read_back(void **state)
{
    (void)state;
    char text[20001], *back = malloc(sizeof text);
    uint64_t random = 7;
    for (size_t k = 0; k < sizeof text - 1; k++)
        text[k] = "<>&\"'ab;"[test_below(&random, 8)];
    text[sizeof text - 1] = '\0';
    memset(text + 100, 'x', 18000); /* longer than the room of an output */
    bmf_output out;
    assert_int_equal(output_open(NULL, &out, path), BMF_OK);
    put_markup(&out, text);
    assert_int_equal(output_close(NULL, &out, BMF_OK), BMF_OK);
    char *markup = read_file(path), *to = back;
    unlink(path);
    assert_null(strpbrk(markup, "<>\"'"));
    static const char *const entity[] = {"&lt;", "&gt;", "&amp;", "&quot;", "&#39;"};
    for (const char *from = markup; *from; to++) {
        size_t k = 0;
        while (k < 5 && strncmp(from, entity[k], strlen(entity[k])) != 0)
            k++;
        *to = k < 5 ? "<>&\"'"[k] : *from;
        from += k < 5 ? strlen(entity[k]) : 1;
    }
    *to = '\0';
    assert_string_equal(back, text);
    free(markup);
    free(back);
}

/* ---- the file ---- */

static void the_file_appears_whole_or_not_at_all(void **state)
{
    (void)state;
    bmf_report_contents report = {.title = "t", .runs = 1, .run = {random_run(3, 20, 0)}};
    assert_int_equal(report_write(&report, "no such folder/report.html"), BMF_ERROR_FILE);
    assert_non_null(strstr(bmf_error_text(NULL), "no such folder/report.html"));
    char *first = write_and_read(&report), *second = write_and_read(&report);
    assert_string_equal(first, second);
    assert_int_equal(access("unit_report.html.part", F_OK), -1);
    /* It asks for nothing: no address but the name space of pictures. */
    assert_null(strstr(first, "https:"));
    assert_null(strstr(first, "src="));
    assert_non_null(strstr(first, "default-src 'none'"));
    free(first);
    free(second);
    run_free(report.run[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_hold_every_event),   cmocka_unit_test(facts_are_those_given),
        cmocka_unit_test(intervals_have_their_names), cmocka_unit_test(texts_stay_in_their_place),
        cmocka_unit_test(markup_can_be_read_back),    cmocka_unit_test(the_file_appears_whole_or_not_at_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

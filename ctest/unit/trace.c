/* Runs in memory and trace files: names, nodes, sorting, round trips, and files that are damaged in every way. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ctest/support/testing.h"
#include "runtime/convert/convert.h"
#include "runtime/trace/format.h"
#include "skeletons/skeleton_types.h"

static char folder[] = "/tmp/unit_trace.XXXXXX";
static char path[64], damaged[64];

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return 1;
    snprintf(path, sizeof path, "%s/good.trace", folder);
    snprintf(damaged, sizeof damaged, "%s/damaged.trace", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    unlink(damaged);
    return rmdir(folder);
}

/* ---- making runs ---- */

static bmf_trace_run *empty_run(int32_t lanes)
{
    bmf_trace_run *run = run_create("program", "machine", lanes, 2, 3);
    assert_non_null(run);
    return run;
}

static bmf_event some_event(const bmf_trace_run *run, uint64_t *random)
{
    int64_t begin = test_below(random, 40), length = test_below(random, 20);
    int kind = (int)test_below(random, BMF_EVENT_KINDS);
    bool message = kind == BMF_EVENT_SEND || kind == BMF_EVENT_RECEIVE;
    return (bmf_event){.begin = begin,
                       .end = begin + length,
                       .amount = test_below(random, 1000),
                       .low = length - test_below(random, 3),
                       .high = length + test_below(random, 3),
                       .node = (uint32_t)test_below(random, run->nodes),
                       .instance = (uint32_t)test_below(random, 5),
                       .round = (uint32_t)test_below(random, 5),
                       .lane = (int32_t)test_below(random, run->lanes),
                       .peer = message ? (int32_t)test_below(random, run->lanes) : -1,
                       .kind = (uint16_t)kind,
                       .name = (uint16_t)test_below(random, run->names)};
}

static void add_work(bmf_trace_run *run, const bmf_event *event, int64_t number)
{
    run_add_work(run, &(bmf_trace_work){.node = event->node,
                                        .instance = event->instance,
                                        .round = event->round,
                                        .lane = event->lane,
                                        .work = {.code = 1000, .operations = number, .read = 8 * number}});
}

static bmf_trace_run *random_run(uint64_t seed, int32_t lanes, int64_t events)
{
    bmf_trace_run *run = empty_run(lanes);
    uint64_t random = seed;
    uint32_t region = run_node(run, 0, "region \"a\\b\"", BMF_EVENT_REGION);
    run_call(run, region, "scan plus", skeleton_scan.id);
    run_name(run, "square");
    for (int64_t k = 0; k < events; k++) {
        bmf_event event = some_event(run, &random);
        run_add(run, &event);
        if (event.kind == BMF_EVENT_KERNEL)
            add_work(run, &event, k + 1);
    }
    return run;
}

/* ---- names and nodes ---- */

static void names_are_found_again(void **state)
{
    (void)state;
    bmf_trace_run *run = empty_run(1);
    uint32_t first = run->names;
    char text[32];
    assert_int_equal(run_name(run, ""), 0);
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t k = 0; k < 5000; k++) {
            snprintf(text, sizeof text, "kernel %u", k);
            assert_int_equal(run_name(run, text), first + k);
        }
    assert_int_equal(run->names, first + 5000);
    assert_string_equal(run->name[first + 4321], "kernel 4321");
    run_free(run);
}

static void nodes_are_told_apart_by_parent_text_and_kind(void **state)
{
    (void)state;
    bmf_trace_run *run = empty_run(1);
    uint32_t a = run_node(run, 0, "a", BMF_EVENT_REGION), b = run_node(run, a, "a", BMF_EVENT_REGION);
    uint32_t c = run_node(run, a, "a", BMF_EVENT_SKELETON), d = run_node(run, a, "d", BMF_EVENT_SKELETON);
    char text[64];
    assert_true(a != 0 && b != a && c != b && d != c && d != a);
    assert_int_equal(run_node(run, 0, "a", BMF_EVENT_REGION), a);
    assert_int_equal(run_node(run, a, "a", BMF_EVENT_REGION), b);
    assert_int_equal(run_node(run, a, "a", BMF_EVENT_SKELETON), c);
    assert_int_equal(run->nodes, 5);
    assert_string_equal(run_path(run, 0, text, sizeof text), "main");
    assert_string_equal(run_path(run, d, text, sizeof text), "main/a/d");
    assert_string_equal(run_path(run, d, text, 7), "main/a");
    assert_string_equal(run_path(run, d, text, 1), "");
    run_free(run);
}

static void calls_keep_their_skeleton(void **state)
{
    (void)state;
    bmf_trace_run *run = empty_run(1), *other = empty_run(1);
    uint32_t scan = run_call(run, 0, "scan plus", skeleton_scan.id),
             region = run_node(run, 0, "scan", BMF_EVENT_REGION);
    assert_int_equal(run->node[scan].skeleton, skeleton_scan.id);
    assert_int_equal(run->node[scan].kind, BMF_EVENT_SKELETON);
    assert_int_equal(run->node[region].skeleton, BMF_SKELETON_UNKNOWN);
    assert_int_equal(run_call(run, 0, "scan plus", skeleton_scan.id), scan);
    assert_int_equal(run_node(run, 0, "scan plus", BMF_EVENT_SKELETON), scan);
    uint32_t like = run_node_like(other, 0, "scan plus", &run->node[scan]);
    assert_int_equal(other->node[like].kind, BMF_EVENT_SKELETON);
    assert_int_equal(other->node[like].skeleton, skeleton_scan.id);
    run_free(run);
    run_free(other);
}

/* Numbers stand in files: different for all, and those that readers of old files know stay what they are. */
static void skeletons_have_numbers_and_names_of_their_own(void **state)
{
    (void)state;
    for (int k = 0; skeleton_types[k]; k++) {
        const bmf_skeleton_type *type = skeleton_types[k];
        assert_int_not_equal(type->id, BMF_SKELETON_UNKNOWN);
        assert_ptr_equal(skeleton_type_of(type->id), type);
        assert_ptr_equal(skeleton_type_named(type->name), type);
        assert_in_range(type->communication, 0, BMF_COMMUNICATIONS - 1);
        if (type->id <= 33)
            assert_int_equal(trace_skeleton_1(type->name), type->id);
    }
    assert_null(skeleton_type_of(BMF_SKELETON_UNKNOWN));
    assert_null(skeleton_type_named("unknown"));
}

static void texts_of_version_1_say_the_skeleton(void **state)
{
    (void)state;
    assert_int_equal(trace_skeleton_1("P_Scan"), skeleton_scan.id);
    assert_int_equal(trace_skeleton_1("B_Project"), skeleton_project.id);
    assert_int_equal(trace_skeleton_1("zip_map_reduce plus f"), skeleton_zip_map_reduce.id);
    assert_int_equal(trace_skeleton_1("permute rounds"), skeleton_permute.id);
    assert_int_equal(trace_skeleton_1("scanner"), BMF_SKELETON_UNKNOWN);
    assert_int_equal(trace_skeleton_1(""), BMF_SKELETON_UNKNOWN);
}

static void many_nodes_are_found_again(void **state)
{
    (void)state;
    bmf_trace_run *run = empty_run(1);
    char text[32];
    uint32_t parent = 0;
    for (uint32_t k = 0; k < 3000; k++) {
        snprintf(text, sizeof text, "%u", k % 7);
        assert_int_equal(run_node(run, parent, text, BMF_EVENT_REGION), k + 1);
        parent = k + 1;
    }
    assert_int_equal(run_node(run, 1000, "6", BMF_EVENT_REGION), 1001);
    run_free(run);
}

/* The first P mod R ranks have one lane more. */
static void lanes_are_on_ranks_in_blocks(void **state)
{
    (void)state;
    for (int32_t lanes = 1; lanes < 20; lanes++) {
        for (int32_t ranks = 1; ranks < 8; ranks++) {
            bmf_trace_run *run = run_create("", "", lanes, ranks, 1);
            int32_t lane = 0;
            for (int32_t rank = 0; rank < ranks; rank++)
                for (int32_t k = 0; k < lanes / ranks + (rank < lanes % ranks); k++)
                    assert_int_equal(run->lane_rank[lane++], rank);
            assert_int_equal(lane, lanes);
            run_free(run);
        }
    }
}

/* ---- sorting ---- */

static bool is_outer(const bmf_event *event)
{
    return event->kind == BMF_EVENT_REGION || event->kind == BMF_EVENT_SKELETON;
}

/* -1, 0, 1 by the documented order; 0: recording order decides. */
static int order(const bmf_event *a, const bmf_event *b)
{
    int64_t difference = a->lane - b->lane;
    if (!difference)
        difference = a->begin - b->begin;
    if (!difference)
        difference = is_outer(b) - is_outer(a);
    if (!difference && !is_outer(a))
        difference = (a->end > a->begin) - (b->end > b->begin);
    if (!difference)
        difference = b->end - a->end;
    if (!difference && is_outer(a))
        difference = (int64_t)a->node - b->node;
    return (difference > 0) - (difference < 0);
}

static void sorting_orders_and_keeps_everything(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        int64_t events = seed < 10 ? (int64_t)seed - 1 : (int64_t)seed * 7;
        bmf_trace_run *run = random_run(seed, 1 + (int32_t)(seed % 4), events);
        int64_t sum = 0, sorted_sum = 0;
        for (int64_t k = 0; k < events; k++) {
            run->event[k].amount = k; /* the recording order */
            sum += run->event[k].end * (k + 1);
        }
        assert_int_equal(run_sort(run), BMF_OK);
        assert_int_equal(run->events, events);
        for (int64_t k = 0; k < events; k++)
            sorted_sum += run->event[k].end * (run->event[k].amount + 1);
        assert_int_equal(sum, sorted_sum);
        for (int64_t k = 1; k < events; k++) {
            int now = order(&run->event[k - 1], &run->event[k]);
            assert_true(now < 0 || (now == 0 && run->event[k - 1].amount < run->event[k].amount));
        }
        run_free(run);
    }
}

/* ---- files ---- */

static void assert_same_run(const bmf_trace_run *a, const bmf_trace_run *b)
{
    assert_int_equal(a->predicted, b->predicted);
    assert_int_equal(a->lanes, b->lanes);
    assert_int_equal(a->ranks, b->ranks);
    assert_int_equal(a->threads, b->threads);
    assert_int_equal(a->names, b->names);
    assert_int_equal(a->nodes, b->nodes);
    assert_int_equal(a->events, b->events);
    assert_int_equal(a->dropped, b->dropped);
    assert_int_equal(a->agreement, b->agreement);
    assert_string_equal(a->program, b->program);
    assert_string_equal(a->machine, b->machine);
    for (uint32_t k = 0; k < a->names; k++)
        assert_string_equal(a->name[k], b->name[k]);
    assert_memory_equal(a->node, b->node, a->nodes * sizeof *a->node);
    assert_memory_equal(a->lane_rank, b->lane_rank, (size_t)a->lanes * sizeof *a->lane_rank);
    if (a->events)
        assert_memory_equal(a->event, b->event, (size_t)a->events * sizeof *a->event);
}

static void files_give_back_what_was_written(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 30; seed++) {
        bmf_trace trace = {.runs = 1 + (int)(seed % 2)}, *back;
        for (int k = 0; k < trace.runs; k++) {
            trace.run[k] = random_run(seed + (uint64_t)k * 100, 1 + (int32_t)(seed % 5), (int64_t)(seed % 10) * 9);
            trace.run[k]->predicted = k;
            trace.run[k]->dropped = (int64_t)seed;
            trace.run[k]->agreement = 1000 * (int64_t)seed + k;
        }
        assert_int_equal(trace_write(NULL, &trace, path), BMF_OK);
        assert_int_equal(bmf_trace_read(NULL, path, &back), BMF_OK);
        assert_int_equal(back->runs, trace.runs);
        for (int k = 0; k < trace.runs; k++) {
            assert_same_run(trace.run[k], back->run[k]);
            /* What was read can be gone on with. */
            assert_int_equal(run_name(back->run[k], "square"), run_name(trace.run[k], "square"));
            assert_int_equal(run_node(back->run[k], 0, "new", BMF_EVENT_REGION), trace.run[k]->nodes);
            run_free(trace.run[k]);
        }
        bmf_trace_free(back);
    }
}

/* Every kernel's work is found by its event, also after sorting and reading; other events have none. */
static void works_belong_to_their_kernels(void **state)
{
    (void)state;
    enum { LANES = 3, COUNT = 50 };
    bmf_trace_run *run = empty_run(LANES);
    bmf_trace *read;
    for (int64_t k = COUNT; k-- > 0;) {
        const bmf_event event = {.begin = k,
                                 .end = k + 1,
                                 .low = 1,
                                 .high = 1,
                                 .peer = -1,
                                 .kind = BMF_EVENT_KERNEL,
                                 .lane = (int32_t)(k % LANES),
                                 .round = (uint32_t)(k / LANES % 4),
                                 .instance = (uint32_t)(k / LANES / 4)};
        run_add(run, &event);
        if (k % 5 != 0)
            add_work(run, &event, k + 1);
    }
    assert_int_equal(trace_write(NULL, &(bmf_trace){1, {run}}, path), BMF_OK);
    run_free(run);
    assert_int_equal(bmf_trace_read(NULL, path, &read), BMF_OK);
    run = read->run[0];
    assert_int_equal(run->works, COUNT - COUNT / 5);
    for (int64_t k = 0; k < run->events; k++) {
        const bmf_kernel_work *work = run_find_work(run, &run->event[k]);
        const int64_t number = run->event[k].begin;
        assert_true((number % 5 == 0) == !work);
        assert_true(!work || (work->operations == number + 1 && work->read == 8 * number + 8 && work->code == 1000));
    }
    bmf_trace_free(read);
}

static void writing_to_nowhere_fails_with_a_message(void **state)
{
    (void)state;
    bmf_trace trace = {.runs = 1, .run = {empty_run(1)}};
    assert_int_equal(trace_write(NULL, &trace, "/nonexistent/folder/x.trace"), BMF_ERROR_FILE);
    assert_non_null(strstr(bmf_error_text(NULL), "/nonexistent/folder/x.trace"));
    trace.runs = 0;
    assert_int_equal(trace_write(NULL, &trace, path), BMF_ERROR_ARGUMENT);
    run_free(trace.run[0]);
}

/* Reads a file that must be refused with a message that names it and holds `part`. */
static void assert_refused(const char *file, const char *part)
{
    bmf_trace *trace;
    assert_int_equal(bmf_trace_read(NULL, file, &trace), BMF_ERROR_FILE);
    assert_null(trace);
    const char *text = bmf_error_text(NULL);
    if (!strstr(text, part) || !strstr(text, file))
        fail_msg("the message is: %s; wanted: %s", text, part);
}

static void spoil_event(void (*spoil)(bmf_event *), const char *part)
{
    bmf_trace trace = {.runs = 1, .run = {random_run(5, 3, 10)}};
    spoil(&trace.run[0]->event[4]);
    assert_int_equal(trace_write(NULL, &trace, damaged), BMF_OK);
    assert_refused(damaged, part);
    run_free(trace.run[0]);
}

#define SPOIL(name, change)                                                                                            \
    static void name(bmf_event *event)                                                                                 \
    {                                                                                                                  \
        change;                                                                                                        \
    }
SPOIL(lane_too_large, event->lane = 3)
SPOIL(lane_negative, event->lane = -1)
SPOIL(node_too_large, event->node = 3)
SPOIL(name_too_large, event->name = 60000)
SPOIL(kind_unknown, event->kind = BMF_EVENT_KINDS)
SPOIL(peer_too_large, event->peer = 3)
SPOIL(peer_too_small, event->peer = -2)
SPOIL(message_alone, event->kind = BMF_EVENT_SEND; event->peer = -1)
SPOIL(ends_early, event->begin = 10; event->end = 9)
SPOIL(begins_early, event->begin = -1)
SPOIL(never_ends, event->end = INT64_MAX)
SPOIL(amount_negative, event->amount = -1)
SPOIL(interval_wrong, event->low = 9; event->high = 8)

static void impossible_events_are_refused(void **state)
{
    (void)state;
    spoil_event(lane_too_large, "lane");
    spoil_event(lane_negative, "lane");
    spoil_event(node_too_large, "node");
    spoil_event(name_too_large, "name");
    spoil_event(kind_unknown, "kind");
    spoil_event(peer_too_large, "peer");
    spoil_event(peer_too_small, "peer");
    spoil_event(message_alone, "peer");
    spoil_event(ends_early, "ends before it begins");
    spoil_event(begins_early, "time");
    spoil_event(never_ends, "time");
    spoil_event(amount_negative, "amount");
    spoil_event(interval_wrong, "interval");
}

/* ---- bytes ---- */

typedef struct bytes {
    unsigned char *data;
    size_t size;
} bytes;

static bytes read_bytes(const char *file)
{
    bytes b = {malloc(1 << 20), 0};
    FILE *stream = fopen(file, "rb");
    assert_non_null(stream);
    b.size = fread(b.data, 1, 1 << 20, stream);
    fclose(stream);
    return b;
}

static void write_bytes(const char *file, const unsigned char *data, size_t size)
{
    FILE *stream = fopen(file, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(data, 1, size, stream), size);
    fclose(stream);
}

static bytes good_file(int64_t events)
{
    bmf_trace trace = {.runs = 2, .run = {random_run(3, 3, events), random_run(4, 2, events)}};
    assert_int_equal(trace_write(NULL, &trace, path), BMF_OK);
    run_free(trace.run[0]);
    run_free(trace.run[1]);
    return read_bytes(path);
}

static void put32(bytes b, size_t at, uint32_t value)
{
    memcpy(b.data + at, &value, sizeof value);
}

/* The places are those of docs/trace-format.md. */
static void wrong_headers_are_refused(void **state)
{
    (void)state;
    static const struct {
        size_t at;
        uint32_t value;
        const char *part;
    } wrong[] = {
        {0, 0x46464952, "not a bmf trace"},
        {8, 6, "version 6"},
        {8, 1, "damaged"}, /* nodes were shorter */
        {8, 0, "version 0"},
        {12, 0, "0 runs"},
        {12, 3, "3 runs"},
        {16, 64, "damaged"},
        {24, 0x7fffffff, "do not fit"}, /* works */
        {28, 0x80000000, "do not fit"},
        {64, 2, "neither"},
        {68, 0, "lanes"},
        {72, 0, "ranks"},
        {76, 0, "threads"},
        {80, 0, "names"},
        {84, 0, "nodes"},
        {80, 0x7fffffff, "do not fit"},
        {84, 0x7fffffff, "do not fit"},
        {68, 0x7fffffff, "do not fit"},
        {92, 1, "do not fit"},
        {100, 0x10000000, "do not fit"},
        {100, 0xf0000000, "do not fit"},
        {108, 0x80000000, "dropped"},
        {116, 0x80000000, "agreed"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        bytes b = good_file(5);
        put32(b, wrong[k].at, wrong[k].value);
        write_bytes(damaged, b.data, b.size);
        assert_refused(damaged, wrong[k].part);
        free(b.data);
    }
    bytes b = good_file(50);
    put32(b, 8, 3); /* version 3 had no work of kernels */
    write_bytes(damaged, b.data, b.size);
    assert_refused(damaged, "do not fit");
    free(b.data);
    assert_refused("/nonexistent.trace", "cannot open");
    assert_refused("/tmp", "not a regular file");
}

static void files_cut_off_anywhere_are_refused(void **state)
{
    (void)state;
    bytes b = good_file(20);
    for (size_t size = 0; size < b.size; size++) {
        write_bytes(damaged, b.data, size);
        assert_refused(damaged, size < 8 ? "not a bmf trace" : "cut off");
    }
    unsigned char *longer = calloc(1, b.size + 1);
    memcpy(longer, b.data, b.size);
    write_bytes(damaged, longer, b.size + 1);
    assert_refused(damaged, "damaged");
    free(longer);
    free(b.data);
}

/* Reads bytes as a trace. If they are one, every converter must get through it; /dev/null is never waited for. */
static int64_t try_bytes(bytes b)
{
    bmf_trace *trace;
    write_bytes(damaged, b.data, b.size);
    int status = bmf_trace_read(NULL, damaged, &trace);
    if (status != BMF_OK) {
        assert_int_equal(status, BMF_ERROR_FILE);
        assert_non_null(strstr(bmf_error_text(NULL), damaged));
        return 0;
    }
    for (const bmf_format *format = formats; format->name; format++)
        if (format->streams)
            assert_int_equal(format->convert(NULL, trace, "/dev/null"), BMF_OK);
    bmf_trace_free(trace);
    return 1;
}

static void flipped_bytes_do_no_harm(void **state)
{
    (void)state;
    static const unsigned char flip[] = {0x01, 0x80, 0xff};
    bytes b = good_file(6);
    int64_t good = 0, tries = 0;
    for (size_t at = 0; at < b.size; at++) {
        for (size_t k = 0; k < sizeof flip; k++, tries++) {
            b.data[at] ^= flip[k];
            good += try_bytes(b);
            b.data[at] ^= flip[k];
        }
    }
    /* Both happen: times and amounts may be anything, sizes and numbers may not. */
    assert_in_range(good, 1, tries - 1);
    free(b.data);
}

static void random_damage_does_no_harm(void **state)
{
    (void)state;
    uint64_t random = 99;
    bytes good = good_file(40);
    bytes b = {malloc(good.size), good.size};
    for (int k = 0; k < 1000; k++) {
        memcpy(b.data, good.data, good.size);
        for (int64_t hits = 1 + test_below(&random, 8); hits > 0; hits--)
            b.data[test_below(&random, (int64_t)b.size)] = (unsigned char)random_bits(&random);
        try_bytes(b);
    }
    free(b.data);
    free(good.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_found_again),
        cmocka_unit_test(nodes_are_told_apart_by_parent_text_and_kind),
        cmocka_unit_test(calls_keep_their_skeleton),
        cmocka_unit_test(skeletons_have_numbers_and_names_of_their_own),
        cmocka_unit_test(texts_of_version_1_say_the_skeleton),
        cmocka_unit_test(many_nodes_are_found_again),
        cmocka_unit_test(lanes_are_on_ranks_in_blocks),
        cmocka_unit_test(sorting_orders_and_keeps_everything),
        cmocka_unit_test(files_give_back_what_was_written),
        cmocka_unit_test(works_belong_to_their_kernels),
        cmocka_unit_test(writing_to_nowhere_fails_with_a_message),
        cmocka_unit_test(impossible_events_are_refused),
        cmocka_unit_test(wrong_headers_are_refused),
        cmocka_unit_test(files_cut_off_anywhere_are_refused),
        cmocka_unit_test(flipped_bytes_do_no_harm),
        cmocka_unit_test(random_damage_does_no_harm),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

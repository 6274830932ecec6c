/* Streams at their edges: failures name the first failing element whatever the threads; a map overwrites what nobody
 * else holds and nothing else; scalar expressions over a batch. */
#include "ctest/support/streams.h"

static cell itself(const cell *x)
{
    return *x;
}

static cell three_operations(const cell *x)
{
    return (cell){{bits_of(fabs(real_of(x->leaf[0]) * 2.0 + 1.0))}};
}

static const end_case plus = {"B_Op (B_Plus)", NULL, NULL, "B_Con (B_Int 5)", {{5}}};
static const end_case bare_plus = {"B_Op (B_Plus)", NULL, NULL, "", {{0}}};
static const end_case positive = {"B_Op (B_Gt) . B_Alltup [B_Id, B_Con (B_Int 0)]", NULL, NULL, "", {{0}}};

/* ---- failures ---- */

static void run_failing(const head_case *h, bmf_stream_tail tail, const end_case *e, int threads, const cell *cells,
                        int64_t instances, const int64_t *length, char *message, int *status)
{
    world w;
    lists l;
    bmf_value value, out;
    uint64_t state = 1;
    open_world(&w, threads, instances);
    make_lists(&w, PACKED, h->first, instances, length, 0, &state, &l, &value);
    for (int64_t i = 0; i < l.begin[instances - 1] + l.length[instances - 1]; i++)
        put_cell(value.child, i, &cells[i]);
    batch b = {.in = value.type, .element = h->first};
    bmf_expression *stream = make_stream(&w, h, &b, tail, e);
    *status = evaluate_stream(&w.evaluator, stream, &w.instances, &value, &out);
    strcpy(message, w.ctx.message);
    if (*status == BMF_OK)
        value_free(&out);
    free_lists(&l);
    close_world(&w);
}

/* The message is the same on any number of threads and holds the texts. */
static void expect_failure(const head_case *h, bmf_stream_tail tail, const end_case *e, const cell *cells,
                           int64_t instances, const int64_t *length, const char *first, const char *second)
{
    char message[BMF_MESSAGE_SIZE], again[BMF_MESSAGE_SIZE];
    int status;
    run_failing(h, tail, e, 1, cells, instances, length, message, &status);
    assert_int_not_equal(status, BMF_OK);
    if (!strstr(message, first) || !strstr(message, second))
        fail_msg("'%s' lacks '%s' or '%s'", message, first, second);
    for (int threads = 2; threads <= MAX_THREADS; threads++) {
        run_failing(h, tail, e, threads, cells, instances, length, again, &status);
        assert_int_not_equal(status, BMF_OK);
        assert_string_equal(message, again);
    }
}

#define INVERSE "B_Op (B_Divide) . B_Alltup [B_Con (B_Int 100), B_Id]"

static void the_first_failing_element_is_named(void **state)
{
    enum { INSTANCES = 30, LENGTH = 1000, COUNT = INSTANCES * LENGTH };
    static cell cells[COUNT];
    int64_t length[INSTANCES];
    const head_case head = {BMF_HEAD_LIST, &bmf_type_int, NULL, INVERSE, NULL};
    (void)state;
    for (int64_t i = 0; i < INSTANCES; i++)
        length[i] = LENGTH;
    for (int64_t i = 0; i < COUNT; i++)
        cells[i] = (cell){{1}};
    cells[7 * LENGTH + 123].leaf[0] = 0;
    cells[7 * LENGTH + 124].leaf[0] = 0;
    cells[8 * LENGTH + 2].leaf[0] = 0;
    cells[COUNT - 1].leaf[0] = 0;
    expect_failure(&head, BMF_TAIL_LIST, NULL, cells, INSTANCES, length, "element 123", "element 7 ");
    expect_failure(&head, BMF_TAIL_REDUCE, &plus, cells, INSTANCES, length, "element 123", "element 7 ");
    expect_failure(&head, BMF_TAIL_SCAN, &plus, cells, INSTANCES, length, "element 123", "element 7 ");
    expect_failure(&head, BMF_TAIL_FILTER, &positive, cells, INSTANCES, length, "element 123", "element 7 ");
    expect_failure(&head, BMF_TAIL_COUNT, &positive, cells, INSTANCES, length, "element 123", "element 7 ");
}

static void the_first_overflowing_segment_is_named(void **state)
{
    enum { INSTANCES = 5, COUNT = 40000 };
    static cell cells[COUNT];
    const int64_t length[INSTANCES] = {20, 9980, 5000, 20000, 5000};
    const head_case head = {BMF_HEAD_LIST, &bmf_type_int, NULL, "B_Id", itself};
    const end_case composed = {
        "B_Op (B_Plus) . B_Alltup [B_Addr (B_Num 1) (B_Num 2), B_Addr (B_Num 2) (B_Num 2)]", NULL, NULL, "", {{0}}};
    (void)state;
    for (int64_t i = 0; i < COUNT; i++)
        cells[i] = (cell){{1}};
    cells[10100].leaf[0] = cells[14000].leaf[0] = INT64_MAX / 2;
    cells[20000].leaf[0] = cells[30000].leaf[0] = INT64_MAX - 5;
    for (bmf_stream_tail tail = BMF_TAIL_REDUCE; tail <= BMF_TAIL_SCAN; tail++) {
        expect_failure(&head, tail, &bare_plus, cells, INSTANCES, length, "B_Plus", "element 2 ");
        expect_failure(&head, tail, &composed, cells, INSTANCES, length, "B_Plus", "element 2 ");
    }
}

static void an_empty_list_needs_a_default(void **state)
{
    static const cell cells[6];
    const int64_t length[4] = {3, 2, 0, 1};
    const head_case head = {BMF_HEAD_LIST, &bmf_type_int, NULL, "B_Id", itself};
    (void)state;
    expect_failure(&head, BMF_TAIL_REDUCE, &bare_plus, cells, 4, length, "empty", "element 2 ");
}

static void ragged_zips_and_negative_iotas(void **state)
{
    world w;
    lists l, m;
    uint64_t random = 5;
    bmf_value one, two, pair, out;
    const int64_t first[3] = {4, 5, 6}, second[3] = {4, 6, 7};
    const head_case zip = {BMF_HEAD_ZIP, &bmf_type_int, &bmf_type_int, "B_Op (B_Plus)", NULL};
    const head_case iota = {BMF_HEAD_IOTA, &bmf_type_int, NULL, "B_Id", itself};
    (void)state;
    open_world(&w, 2, 3);
    make_lists(&w, PACKED, &bmf_type_int, 3, first, 0, &random, &l, &one);
    make_lists(&w, PACKED, &bmf_type_int, 3, second, 0, &random, &m, &two);
    make_pair(&one, &two, &pair);
    batch b = {.in = pair.type, .element = bmf_type_pair(&bmf_type_int, &bmf_type_int)};
    assert_int_not_equal(
        evaluate_stream(&w.evaluator, make_stream(&w, &zip, &b, BMF_TAIL_LIST, NULL), &w.instances, &pair, &out),
        BMF_OK);
    assert_non_null(strstr(w.ctx.message, "5"));
    assert_non_null(strstr(w.ctx.message, "6"));
    assert_non_null(strstr(w.ctx.message, "element 1 "));
    free_lists(&l);
    free_lists(&m);
    assert_int_equal(value_create(&w.ctx, &bmf_type_int, 3, &one), BMF_OK);
    for (int64_t i = 0; i < 3; i++)
        put_cell(&one, i, &(cell){{i == 2 ? -4 : 3}});
    b = (batch){.in = &bmf_type_int, .element = &bmf_type_int};
    assert_int_not_equal(
        evaluate_stream(&w.evaluator, make_stream(&w, &iota, &b, BMF_TAIL_LIST, NULL), &w.instances, &one, &out),
        BMF_OK);
    assert_non_null(strstr(w.ctx.message, "-4"));
    assert_non_null(strstr(w.ctx.message, "element 2 "));
    close_world(&w);
}

/* ---- memory ---- */

static void a_map_overwrites_what_nobody_else_holds(void **state)
{
    const head_case head = {BMF_HEAD_LIST, &bmf_type_real, NULL, TWICE_AND_ONE, three_operations};
    (void)state;
    for (int shared = 0; shared < 2; shared++) {
        world w;
        lists l;
        bmf_value value, out, other = {0};
        uint64_t random = 9;
        const int64_t length[2] = {3000, 5000};
        open_world(&w, 2, 2);
        make_lists(&w, PACKED, &bmf_type_real, 2, length, 0, &random, &l, &value);
        const void *data = value.child->data;
        batch b = {.in = value.type, .element = &bmf_type_real};
        if (shared)
            value_share(&value, &other);
        bmf_expression *stream = make_stream(&w, &head, &b, BMF_TAIL_LIST, NULL);
        assert_int_equal(evaluate_stream(&w.evaluator, stream, &w.instances, &value, &out), BMF_OK);
        assert_int_equal(out.child->data == data, !shared);
        for (int64_t i = 0; i < 8000; i++) {
            cell made = get_cell(out.child, i), expected = three_operations(&l.element[i]);
            assert_int_equal(made.leaf[0], expected.leaf[0]);
            if (shared)
                assert_int_equal(get_cell(other.child, i).leaf[0], l.element[i].leaf[0]);
        }
        value_free(&other);
        value_free(&out);
        free_lists(&l);
        close_world(&w);
    }
}

/* ---- scalars over a batch ---- */

static void scalars_compute_every_context(void **state)
{
    (void)state;
    for (int threads = 1; threads <= MAX_THREADS; threads++)
        for (int broadcast = 0; broadcast < 2; broadcast++) {
            enum { COUNT = 20000 };
            world w;
            bmf_value x, out;
            uint64_t random = 3;
            static cell cells[COUNT];
            open_world(&w, threads, COUNT);
            assert_int_equal(value_create(&w.ctx, &bmf_type_real, COUNT, &x), BMF_OK);
            for (int64_t i = 0; i < COUNT; i++) {
                cells[i] = broadcast && i > 0 ? cells[0] : random_cell(&bmf_type_real, &random);
                put_cell(&x, i, &cells[i]);
            }
            if (broadcast)
                x.stride = 0;
            bmf_expression *scalar = expression_create(w.arena, BMF_EXPRESSION_SCALAR, (bmf_span){-1, 0, 0}, 1);
            scalar->child[0] = typed(&w, TWICE_AND_ONE, &bmf_type_real);
            scalar->in = scalar->out = &bmf_type_real;
            assert_int_equal(evaluate_scalar(&w.evaluator, scalar, &w.instances, &x, &out), BMF_OK);
            assert_int_equal(out.count, COUNT);
            for (int64_t i = 0; i < COUNT; i++)
                assert_int_equal(get_cell(&out, i).leaf[0], three_operations(&cells[i]).leaf[0]);
            value_free(&out);
            close_world(&w);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_failing_element_is_named),
        cmocka_unit_test(the_first_overflowing_segment_is_named),
        cmocka_unit_test(an_empty_list_needs_a_default),
        cmocka_unit_test(ragged_zips_and_negative_iotas),
        cmocka_unit_test(a_map_overwrites_what_nobody_else_holds),
        cmocka_unit_test(scalars_compute_every_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

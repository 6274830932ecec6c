/* Sums of products of many lists with many others, which are computed many at a time where lists repeat.
 *
 * Method: zips of views of two arrays: rows of the same list on one side and the same lists on the other, as products
 * of matrices make them, on either side, with segments among them that fit into no row; random shapes around the sizes
 * of blocks, random reals, 1 to MAX_THREADS threads. The reference adds the products of each segment up by the fixed
 * tree, node by node, and then the default; results agree to the last bit. */
#include "ctest/support/streams.h"

enum { SHAPES = 40, MOST_ROWS = 150, MOST_COLUMNS = 40, MOST_LENGTH = 700 };

typedef struct shape {
    int64_t rows, columns, length, segments;
    int64_t *begin[2], *size; /* of every segment */
} shape;

/* The node of `width` products, a power of two. */
static double node(const double *x, const double *y, int64_t width)
{
    if (width == 1)
        return *x * *y;
    return node(x, y, width / 2) + node(x + width / 2, y + width / 2, width / 2);
}

/* 1.5, and the nodes of the binary digits of length. */
static double expected(const double *x, const double *y, int64_t length)
{
    double sum = 0;
    int64_t at = 0;
    for (int64_t width = INT64_C(1) << 40; width > 0; width /= 2)
        if (length & width) {
            const double value = node(x + at, y + at, width);
            sum = at == 0 ? value : sum + value;
            at += width;
        }
    return length == 0 ? 1.5 : 1.5 + sum;
}

/* One in three shapes has segments that break the rows. */
static shape random_shape(uint64_t *random)
{
    shape s = {.rows = 1 + test_below(random, MOST_ROWS),
               .columns = 1 + test_below(random, MOST_COLUMNS),
               .length = test_below(random, MOST_LENGTH)};
    const int64_t side = test_below(random, 2), broken = test_below(random, 3) == 0 ? 3 : 0;
    s.segments = s.rows * s.columns;
    s.begin[0] = allocate(s.segments * 8);
    s.begin[1] = allocate(s.segments * 8);
    s.size = allocate(s.segments * 8);
    for (int64_t k = 0; k < s.segments; k++) {
        s.begin[side][k] = k / s.columns % 7 * 11;
        s.begin[1 - side][k] = k % s.columns * 3;
        s.size[k] = s.length;
    }
    for (int64_t k = 0; k < broken; k++) {
        const int64_t which = test_below(random, s.segments);
        s.begin[1 - side][which] = test_below(random, 100);
        s.size[which] = test_below(random, s.length + 1);
    }
    return s;
}

static void free_shape(shape *s)
{
    free(s->begin[0]);
    free(s->begin[1]);
    free(s->size);
}

/* Views of an array of reals. */
static void make_views(world *w, const shape *s, int side, uint64_t *random, bmf_value *out, double **array)
{
    enum { ELEMENTS = MOST_LENGTH + 7 * 11 + 3 * MOST_COLUMNS + 100 };
    bmf_value child;
    bmf_buffer *begin = buffer_create(s->segments * 8 + 8), *end = buffer_create(s->segments * 8 + 8);
    assert_int_equal(value_create(&w->ctx, &bmf_type_real, ELEMENTS, &child), BMF_OK);
    *array = child.data;
    for (int64_t i = 0; i < ELEMENTS; i++)
        (*array)[i] = (double)(test_below(random, 2000001) - 1000000) * 1e-4;
    for (int64_t k = 0; k < s->segments; k++) {
        ((int64_t *)begin->data)[k] = s->begin[side][k];
        ((int64_t *)end->data)[k] = s->begin[side][k] + s->size[k];
    }
    *out = (bmf_value){.type = bmf_type_list(&bmf_type_real),
                       .count = s->segments,
                       .buffer = begin,
                       .second = end,
                       .begin = begin->data,
                       .end = end->data,
                       .step = 1,
                       .child = allocate((int64_t)sizeof child)};
    *out->child = child;
}

static void try_shape(const shape *s, int threads, int number)
{
    static const end_case plus = {"B_Op (B_Plus)", NULL, NULL, "B_Con (B_Real 1.5)", {{0}}};
    const head_case zip = {BMF_HEAD_ZIP, &bmf_type_real, &bmf_type_real, "B_Op (B_Times)", NULL};
    uint64_t random = (uint64_t)number;
    world w;
    bmf_value one, two, pair, out;
    double *x, *y;
    open_world(&w, threads, s->segments);
    make_views(&w, s, 0, &random, &one, &x);
    make_views(&w, s, 1, &random, &two, &y);
    make_pair(&one, &two, &pair);
    batch b = {.in = pair.type, .element = bmf_type_pair(&bmf_type_real, &bmf_type_real)};
    double *reference = allocate(s->segments * 8);
    for (int64_t k = 0; k < s->segments; k++)
        reference[k] = expected(x + s->begin[0][k], y + s->begin[1][k], s->size[k]);
    bmf_expression *stream = make_stream(&w, &zip, &b, BMF_TAIL_REDUCE, &plus);
    assert_int_equal(evaluate_stream(&w.evaluator, stream, &w.instances, &pair, &out), BMF_OK);
    assert_int_equal(out.count, s->segments);
    for (int64_t k = 0; k < s->segments; k++)
        if (memcmp((char *)out.data + k * out.stride, &reference[k], 8) != 0)
            fail_msg("shape %d, %lld x %lld of %lld on %d threads: segment %lld differs", number, (long long)s->rows,
                     (long long)s->columns, (long long)s->length, threads, (long long)k);
    free(reference);
    value_free(&out);
    close_world(&w);
}

static void products_keep_the_tree(void **state)
{
    uint64_t random = 11;
    (void)state;
    for (int number = 0; number < SHAPES; number++) {
        shape s = random_shape(&random);
        for (int threads = 1; threads <= MAX_THREADS; threads += 2)
            try_shape(&s, threads, number);
        free_shape(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(products_keep_the_tree)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

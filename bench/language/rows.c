/* The rows of the language benchmark: programs, their data, and the loops beside them.
 *
 * Reals are whole numbers below 1024 (or quarters of such sums), so that sums are exact in every order and results
 * compare to the last bit. */
#include <stdlib.h>
#include <string.h>

#include "bench/language/language.h"
#include "bench/skeletons/skeletons.h"

/* ---- data ---- */

static int no_memory(const language_case *c)
{
    return bmf_fail(c->ctx, BMF_ERROR_MEMORY, "no memory for %s over %lld elements", c->row->name,
                    (long long)c->elements);
}

static int fill_numbers(language_case *c, int64_t salt, bmf_buffer **buffer)
{
    *buffer = buffer_create(c->elements * (int64_t)sizeof(double));
    if (!*buffer)
        return no_memory(c);
    double *x = (*buffer)->data;
#pragma omp parallel for num_threads(c->ctx->threads) schedule(static)
    for (int64_t i = 0; i < c->elements; i++)
        x[i] = (double)(bench_hash(i ^ salt) & 1023);
    c->input_bytes += c->elements * (int64_t)sizeof(double);
    return BMF_OK;
}

static int expect_words(language_case *c, int64_t count)
{
    c->expected_count = count;
    c->expected = buffer_create((count + 1) * (int64_t)sizeof(double));
    if (!c->expected)
        return no_memory(c);
    char *data = c->expected->data;
#pragma omp parallel for num_threads(c->ctx->threads) schedule(static)
    for (int64_t page = 0; page < count * 8; page += 4096)
        data[page] = 0;
    return BMF_OK;
}

/* A batch over a buffer that the case goes on holding. */
static bmf_value reals(const language_case *c, bmf_buffer *buffer)
{
    return (bmf_value){.type = &bmf_type_real,
                       .count = c->elements,
                       .buffer = buffer_retain(buffer),
                       .data = buffer->data,
                       .stride = (int64_t)sizeof(double)};
}

/* One list of all elements of a batch. */
static int one_list(const language_case *c, bmf_value *child, bmf_value *list)
{
    bmf_buffer *offsets = buffer_create(2 * (int64_t)sizeof(int64_t));
    if (!offsets)
        return no_memory(c);
    memcpy(offsets->data, (int64_t[2]){0, child->count}, 2 * sizeof(int64_t));
    value_create_list(1, offsets, child, list);
    return BMF_OK;
}

static int prepare_reals(language_case *c)
{
    BMF_TRY(fill_numbers(c, 0, &c->x));
    bmf_value x = reals(c, c->x);
    return one_list(c, &x, &c->input);
}

static int prepare_total(language_case *c)
{
    BMF_TRY(prepare_reals(c));
    return expect_words(c, 1);
}

static int prepare_same(language_case *c)
{
    BMF_TRY(prepare_reals(c));
    return expect_words(c, c->elements);
}

static int prepare_dot(language_case *c)
{
    bmf_value list[2];
    BMF_TRY(fill_numbers(c, 0, &c->x));
    BMF_TRY(fill_numbers(c, -1, &c->y));
    bmf_value x = reals(c, c->x), y = reals(c, c->y);
    BMF_TRY(one_list(c, &x, &list[0]));
    BMF_TRY(one_list(c, &y, &list[1]));
    value_create_tuple(2, list, &c->input);
    return expect_words(c, 1);
}

/* Lengths 0 .. 100. */
static int prepare_lists(language_case *c)
{
    bmf_value inner;
    c->lists = c->elements / 50 > 0 ? c->elements / 50 : 1;
    c->starts = buffer_create((c->lists + 1) * (int64_t)sizeof(int64_t));
    if (!c->starts)
        return no_memory(c);
    int64_t *start = c->starts->data;
    start[0] = 0;
    for (int64_t i = 0; i < c->lists; i++)
        start[i + 1] = start[i] + (int64_t)(bench_hash(i + 77) % 101);
    c->elements = start[c->lists];
    c->input_bytes = (c->lists + 1) * (int64_t)sizeof(int64_t);
    BMF_TRY(fill_numbers(c, 0, &c->x));
    bmf_value x = reals(c, c->x);
    value_create_list(c->lists, buffer_retain(c->starts), &x, &inner);
    BMF_TRY(one_list(c, &inner, &c->input));
    return expect_words(c, c->lists);
}

/* Points of a square around the set, row by row. */
static int prepare_points(language_case *c)
{
    int64_t side = 1;
    bmf_value point;
    while ((side + 1) * (side + 1) <= c->elements)
        side++;
    c->elements = side * side;
    BMF_TRY(fill_numbers(c, 0, &c->x));
    BMF_TRY(fill_numbers(c, 0, &c->y));
    double *x = c->x->data, *y = c->y->data;
    for (int64_t i = 0; i < c->elements; i++) {
        x[i] = -2.0 + 3.0 * (double)(i % side) / (double)side;
        y[i] = -1.5 + 3.0 * (double)(i / side) / (double)side;
    }
    bmf_value both[2] = {reals(c, c->x), reals(c, c->y)};
    value_create_tuple(2, both, &point);
    BMF_TRY(one_list(c, &point, &c->input));
    return expect_words(c, c->elements);
}

/* ---- references ---- */

static void put_word(language_case *c, const void *word)
{
    memcpy(c->expected->data, word, sizeof(double));
}

static void sum_of_squares(language_case *c)
{
    put_word(c, &(double){language_sum_of_squares(c->ctx->threads, c->elements, c->x->data)});
}

static void dot(language_case *c)
{
    put_word(c, &(double){language_dot(c->ctx->threads, c->elements, c->x->data, c->y->data)});
}

static void scan(language_case *c)
{
    language_scan(c->ctx->threads, c->elements, c->x->data, c->expected->data);
}

static void map(language_case *c)
{
    language_map(c->ctx->threads, c->elements, c->x->data, c->expected->data);
}

static void inner_sums(language_case *c)
{
    language_inner_sums(c->ctx->threads, c->lists, c->starts->data, c->x->data, c->expected->data);
}

static void mandelbrot(language_case *c)
{
    language_mandelbrot(c->ctx->threads, c->elements, c->x->data, c->y->data, c->expected->data);
}

static void count(language_case *c)
{
    put_word(c, &(int64_t){language_count(c->ctx->threads, c->elements, c->x->data)});
}

static void filter(language_case *c)
{
    c->expected_count = language_filter(c->ctx->threads, c->elements, c->x->data, c->expected->data);
}

/* ---- results ---- */

static const bmf_value *itself(const bmf_value *out)
{
    return out;
}

static const bmf_value *elements(const bmf_value *out)
{
    return out->child;
}

/* ---- the table ---- */

#define MAPPED                                                                                                         \
    "B_Op (B_Times) . B_Alltup [B_Op (B_Plus) . B_Alltup [B_Op (B_Times) . B_Alltup [B_Id, B_Con (B_Real 2)], "        \
    "B_Con (B_Real 1)], B_Con (B_Real 0.25)]"
#define ABOVE "B_Op (B_Gt) . B_Alltup [B_Id, B_Con (B_Real 600)]"
#define MANDELBROT                                                                                                     \
    "$a = B_Addr (B_Num 1) (B_Num 5) $b = B_Addr (B_Num 2) (B_Num 5) $x = B_Addr (B_Num 3) (B_Num 5) "                 \
    "$y = B_Addr (B_Num 4) (B_Num 5) $n = B_Addr (B_Num 5) (B_Num 5) "                                                 \
    "$aa = B_Op (B_Times) . B_Alltup [$a, $a] $bb = B_Op (B_Times) . B_Alltup [$b, $b] "                               \
    "$ab = B_Op (B_Times) . B_Alltup [$a, $b] "                                                                        \
    "$inside = B_Op (B_Le) . B_Alltup [B_Op (B_Plus) . B_Alltup [$aa, $bb], B_Con (B_Real 4)] "                        \
    "$early = B_Op (B_Lt) . B_Alltup [$n, B_Con (B_Int 256)] "                                                         \
    "$nexta = B_Op (B_Plus) . B_Alltup [B_Op (B_Minus) . B_Alltup [$aa, $bb], $x] "                                    \
    "$nextb = B_Op (B_Plus) . B_Alltup [B_Op (B_Times) . B_Alltup [B_Con (B_Real 2), $ab], $y] "                       \
    "$step = B_Alltup [$nexta, $nextb, $x, $y, B_Op (B_Plus) . B_Alltup [$n, B_Con (B_Int 1)]] "                       \
    "$start = B_Alltup [B_Con (B_Real 0), B_Con (B_Real 0), B_Addr (B_Num 1) (B_Num 2), B_Addr (B_Num 2) "             \
    "(B_Num 2), B_Con (B_Int 0)] "                                                                                     \
    "B_Map ($n . B_While (B_Op (B_And) . B_Alltup [$early, $inside]) ($step) . $start) [{0.5, 0.5}]"

const language_row bench_language_rows[] = {
    {"sum-of-squares", "sum of the squares of reals",
     "B_Reduce (B_Op (B_Plus)) (B_Con (B_Real 0)) . B_Map (B_Op (B_Times) . B_Alltup [B_Id, B_Id]) [1.5]", 1, 1.3, 0,
     prepare_total, sum_of_squares, itself},
    {"scan", "sums of all prefixes of (2 x + 1) / 4", "B_Scan (B_Op (B_Plus)) . B_Map (" MAPPED ") [1.5]", 1, 1.3, 0,
     prepare_same, scan, elements},
    {"dot", "dot product by zip and reduce",
     "B_Reduce (B_Op (B_Plus)) (B_Con (B_Real 0)) . B_Zip (B_Op (B_Times)) {[1.5], [1.5]}", 1, 1.3, 0, prepare_dot, dot,
     itself},
    {"inner-sums", "sum of each of n / 50 lists of 0 to 100 reals",
     "B_Map (B_Reduce (B_Op (B_Plus)) (B_Con (B_Real 0))) [[1.5]]", 2, 1.5, 0, prepare_lists, inner_sums, elements},
    {"mandelbrot", "steps of n / 100 points, at most 256, with B_While", MANDELBROT, 100, 2.0, 0, prepare_points,
     mandelbrot, elements},
    {"filter-count", "how many are above a limit", "B_Op (B_Length) . B_Filter (" ABOVE ") [1.5]", 1, 1.5, 0,
     prepare_total, count, itself},
    {"filter", "those above a limit", "B_Filter (" ABOVE ") [1.5]", 1, 1.5, 2.5, prepare_same, filter, elements},
    {"map", "(2 x + 1) / 4, in place", "B_Map (" MAPPED ") [1.5]", 1, 0, 2.5, prepare_same, map, elements},
};
const int bench_language_row_count = sizeof bench_language_rows / sizeof bench_language_rows[0];

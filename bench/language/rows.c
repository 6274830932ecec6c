/* The rows of the language benchmark: programs, their data, and the loops beside them.
 *
 * Reals are whole numbers below 1024 (or quarters of such sums), so that sums are exact in every order and results
 * compare to the last bit. */
#include <stdlib.h>
#include <string.h>

#include "bench/language/language.h"
#include "bench/peers/peers.h"
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

/* Square matrices whose sides are multiples of 8: the rows of one, the columns of the other. */
static int prepare_matrices(language_case *c)
{
    bmf_value list[2];
    bmf_buffer **const data[2] = {&c->x, &c->y};
    int64_t side = 8;
    while ((side + 8) * (side + 8) <= c->elements)
        side += 8;
    c->elements = side * side;
    c->lists = side;
    for (int k = 0; k < 2; k++) {
        bmf_value inner;
        bmf_buffer *offsets = buffer_create((side + 1) * (int64_t)sizeof(int64_t));
        if (!offsets)
            return no_memory(c);
        for (int64_t i = 0; i <= side; i++)
            ((int64_t *)offsets->data)[i] = i * side;
        BMF_TRY(fill_numbers(c, -k, data[k]));
        bmf_value x = reals(c, *data[k]);
        value_create_list(side, offsets, &x, &inner);
        BMF_TRY(one_list(c, &inner, &list[k]));
    }
    value_create_tuple(2, list, &c->input);
    return expect_words(c, c->elements);
}

/* Points of a square of side 1024. */
static int prepare_plane(language_case *c)
{
    bmf_value point;
    BMF_TRY(fill_numbers(c, 0, &c->x));
    BMF_TRY(fill_numbers(c, -1, &c->y));
    bmf_value both[2] = {reals(c, c->x), reals(c, c->y)};
    value_create_tuple(2, both, &point);
    BMF_TRY(one_list(c, &point, &c->input));
    return expect_words(c, c->elements);
}

static int prepare_bins(language_case *c)
{
    BMF_TRY(prepare_reals(c));
    return expect_words(c, LANGUAGE_BINS);
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

static void normalise(language_case *c)
{
    language_normalise(c->ctx->threads, c->elements, c->x->data, c->expected->data);
}

static void matrix_product(language_case *c)
{
    language_matrix_product(c->ctx->threads, c->lists, c->x->data, c->y->data, c->expected->data);
}

static void histogram(language_case *c)
{
    language_histogram(c->ctx->threads, c->elements, c->x->data, c->expected->data);
}

static void nearest(language_case *c)
{
    language_nearest(c->ctx->threads, c->elements, c->x->data, c->y->data, c->expected->data);
}

static void inner_maxima(language_case *c)
{
    language_inner_maxima(c->ctx->threads, c->lists, c->starts->data, c->x->data, c->expected->data);
}

static void sixteen(language_case *c)
{
    language_sixteen(c->ctx->threads, c->elements, c->x->data, c->expected->data);
}

/* ---- peers: C++ algorithms on TBB ---- */

static const bench_team alone = {MPI_COMM_SELF, 0, 1, 0};

static void peer_sum_of_squares(language_case *c)
{
    bench_peer(BENCH_REAL)->sum_of_squares(&alone, c->elements, c->x->data, c->expected->data);
}

static void peer_dot(language_case *c)
{
    bench_peer(BENCH_REAL)->dot(&alone, c->elements, c->x->data, c->y->data, c->expected->data);
}

/* ---- results ---- */

/* The columns of a tuple, one word each, are gathered to one. */
static const bmf_value *components(const bmf_value *out)
{
    static int64_t word[BMF_MAX_LEAVES];
    static bmf_value all;
    for (int k = 0; k < out->type->components; k++)
        memcpy(&word[k], out->child[k].data, sizeof *word);
    all = (bmf_value){.type = &bmf_type_int, .count = out->type->components, .data = word, .stride = sizeof *word};
    return &all;
}

static const bmf_value *inner_elements(const bmf_value *out)
{
    return out->child->child;
}

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

#define PLUS_REALS "B_Reduce (B_Op (B_Plus)) (B_Con (B_Real 0))"
#define NORMALISE                                                                                                      \
    "$s = B_Addr (B_Num 1) (B_Num 3) $q = B_Addr (B_Num 2) (B_Num 3) $n = B_Addr (B_Num 3) (B_Num 3) "                 \
    "$square = B_Op (B_Times) . B_Alltup [B_Id, B_Id] $plus = " PLUS_REALS " "                                         \
    "$mean = B_Op (B_Divide) . B_Alltup [$s, $n] "                                                                     \
    "$deviation = B_Op (B_Sqrt) . B_Op (B_Minus) . B_Alltup [B_Op (B_Divide) . B_Alltup [$q, $n], $square . $mean] "   \
    "$moments = B_Alltup [$mean, $deviation] . B_Alltup [$plus, $plus . B_Map ($square), "                             \
    "B_Op (B_Real) . B_Op (B_Length)] "                                                                                \
    "$x = B_Addr (B_Num 2) (B_Num 2) $m = B_Addr (B_Num 1) (B_Num 2) . B_Addr (B_Num 1) (B_Num 2) "                    \
    "$d = B_Addr (B_Num 2) (B_Num 2) . B_Addr (B_Num 1) (B_Num 2) "                                                    \
    "B_Map (B_Op (B_Divide) . B_Alltup [B_Op (B_Minus) . B_Alltup [$x, $m], $d]) . B_Op (B_Distl) . "                  \
    "B_Alltup [$moments, B_Id] [1.5]"
#define MATRIX_PRODUCT                                                                                                 \
    "$dot = " PLUS_REALS " . B_Zip (B_Op (B_Times)) "                                                                  \
    "$swap = B_Alltup [B_Addr (B_Num 2) (B_Num 2), B_Addr (B_Num 1) (B_Num 2)] "                                       \
    "B_Map (B_Map ($dot) . B_Op (B_Distl) . $swap) . B_Op (B_Distl) . $swap {[[1.5]], [[1.5]]}"
#define BIN(from, below)                                                                                               \
    "B_Op (B_Length) . B_Filter (B_Op (B_And) . B_Alltup [B_Op (B_Ge) . B_Alltup [B_Id, B_Con (B_Real " from           \
    ")], B_Op (B_Lt) . B_Alltup [B_Id, B_Con (B_Real " below ")]])"
#define LOW_BINS  BIN("0", "103") ", " BIN("103", "206") ", " BIN("206", "309") ", " BIN("309", "412") ", "
#define HIGH_BINS BIN("515", "618") ", " BIN("618", "721") ", " BIN("721", "824") ", " BIN("824", "927") ", "
#define HISTOGRAM "B_Alltup [" LOW_BINS BIN("412", "515") ", " HIGH_BINS BIN("927", "1030") "] [1.5]"
#define DISTANCE(x, y)                                                                                                 \
    "B_Op (B_Plus) . B_Alltup [$square . B_Op (B_Minus) . B_Alltup [$x, B_Con (B_Real " x                              \
    ")], $square . B_Op (B_Minus) . B_Alltup [$y, B_Con (B_Real " y ")]]"
/* {x, y, the least distance so far, whose it is}, one centre on */
#define NEARER(k, x, y)                                                                                                \
    "B_Alltup [$x, $y, B_Op (B_Min) . B_Alltup [$best, " DISTANCE(x, y) "], B_If (B_Op (B_Lt) . B_Alltup [" DISTANCE(  \
        x, y) ", $best]) (B_Con (B_Int " k ")) ($which)]"
#define FIRST_CENTRES NEARER("1", "300", "100") " . " NEARER("0", "100", "200")
#define NEXT_CENTRES  NEARER("3", "400", "400") " . " NEARER("2", "700", "200")
#define OTHER_CENTRES NEARER("5", "100", "700") " . " NEARER("4", "800", "500")
#define LAST_CENTRES  NEARER("7", "900", "800") " . " NEARER("6", "500", "900")
#define NEAREST                                                                                                        \
    "$square = B_Op (B_Times) . B_Alltup [B_Id, B_Id] $x = B_Addr (B_Num 1) (B_Num 4) "                                \
    "$y = B_Addr (B_Num 2) (B_Num 4) $best = B_Addr (B_Num 3) (B_Num 4) $which = B_Addr (B_Num 4) (B_Num 4) "          \
    "$start = B_Alltup [B_Addr (B_Num 1) (B_Num 2), B_Addr (B_Num 2) (B_Num 2), B_Con (B_Real 1e9), "                  \
    "B_Con (B_Int -1)] B_Map ($which . " LAST_CENTRES " . " OTHER_CENTRES " . " NEXT_CENTRES " . " FIRST_CENTRES       \
    " . $start) [{0.5, 0.5}]"
#define WITH(operation, number) "B_Op (" operation ") . B_Alltup [B_Id, B_Con (B_Real " number ")] . "
#define LAST_FIVE                                                                                                      \
    WITH("B_Times", "0.5") WITH("B_Plus", "7") WITH("B_Min", "900") WITH("B_Max", "2") WITH("B_Minus", "3")
#define MIDDLE_SIX                                                                                                     \
    "B_Op (B_Abs) . " WITH("B_Times", "1.25")                                                                          \
        WITH("B_Minus", "40") "B_Op (B_Sqrt) . " WITH("B_Plus", "2") "B_Op (B_Abs) . "
#define FIRST_FIVE                                                                                                     \
    WITH("B_Minus", "300") WITH("B_Times", "1.5") WITH("B_Plus", "11") WITH("B_Minus", "5") WITH("B_Times", "2")
#define SIXTEEN "B_Map (" LAST_FIVE MIDDLE_SIX FIRST_FIVE "B_Id) [1.5]"

#define BAR 1.1

const language_row bench_language_rows[] = {
    {"sum-of-squares", "sum of the squares of reals",
     "B_Reduce (B_Op (B_Plus)) (B_Con (B_Real 0)) . B_Map (B_Op (B_Times) . B_Alltup [B_Id, B_Id]) [1.5]", 1, BAR, 0,
     prepare_total, sum_of_squares, itself, peer_sum_of_squares},
    {"scan", "sums of all prefixes of (2 x + 1) / 4", "B_Scan (B_Op (B_Plus)) . B_Map (" MAPPED ") [1.5]", 1, BAR, 0,
     prepare_same, scan, elements, NULL},
    {"dot", "dot product by zip and reduce",
     "B_Reduce (B_Op (B_Plus)) (B_Con (B_Real 0)) . B_Zip (B_Op (B_Times)) {[1.5], [1.5]}", 1, BAR, 0, prepare_dot, dot,
     itself, peer_dot},
    {"inner-sums", "sum of each of n / 50 lists of 0 to 100 reals",
     "B_Map (B_Reduce (B_Op (B_Plus)) (B_Con (B_Real 0))) [[1.5]]", 2, BAR, 0, prepare_lists, inner_sums, elements,
     NULL},
    {"mandelbrot", "steps of n / 100 points, at most 256, with B_While", MANDELBROT, 100, BAR, 0, prepare_points,
     mandelbrot, elements, NULL},
    {"filter-count", "how many are above a limit", "B_Op (B_Length) . B_Filter (" ABOVE ") [1.5]", 1, BAR, 0,
     prepare_total, count, itself, NULL},
    {"filter", "those above a limit", "B_Filter (" ABOVE ") [1.5]", 1, BAR, 2.5, prepare_same, filter, elements, NULL},
    {"map", "(2 x + 1) / 4, in place", "B_Map (" MAPPED ") [1.5]", 1, BAR, 2.5, prepare_same, map, elements, NULL},
    {"normalise", "x minus the mean by the deviation: two reductions and a map", NORMALISE, 1, BAR, 0, prepare_same,
     normalise, elements, NULL},
    {"matrix-product", "of the rows of one matrix and the columns of another, n / 95 elements", MATRIX_PRODUCT, 95, BAR,
     0, prepare_matrices, matrix_product, inner_elements, NULL},
    {"histogram", "how many are in each of 10 bins", HISTOGRAM, 1, BAR, 0, prepare_bins, histogram, components, NULL},
    {"nearest", "which of 8 centres is nearest to each of n / 10 points (a step of k-means)", NEAREST, 10, BAR, 0,
     prepare_plane, nearest, elements, NULL},
    {"inner-maxima", "maximum of each of n / 50 lists of 0 to 100 reals",
     "B_Map (B_Reduce (B_Op (B_Max)) (B_Con (B_Real 0))) [[1.5]]", 2, BAR, 0, prepare_lists, inner_maxima, elements,
     NULL},
    {"sixteen", "16 scalar operations", SIXTEEN, 1, BAR, 0, prepare_same, sixteen, elements, NULL},
};
const int bench_language_row_count = sizeof bench_language_rows / sizeof bench_language_rows[0];

/* Rows of the skeletons that compute: map, zip, reduce, scan, filter, iota and their relatives.
 *
 * The bytes a row must move (w = 8, an element of real): every input element read once, every output element written
 * once; nothing for what stays in registers or caches. An in-place row reads and writes the same array.
 */
#include "bench/skeletons/skeletons.h"
#include "runtime/data/list.h"

#include <stdlib.h>
#include <string.h>

enum { W = sizeof(double) };

/* A kernel for each type of element: name[BENCH_REAL], name[BENCH_INT]. */
#define MAP_KERNELS(name, expression)                                                                                  \
    BMF_MAP_KERNEL(name##_real, double, x, double, expression)                                                         \
    BMF_MAP_KERNEL(name##_int, int64_t, x, int64_t, expression)                                                        \
    static const bmf_kernel *const name[BENCH_TYPES] = {&name##_real, &name##_int};
#define ZIP_KERNELS(name, expression)                                                                                  \
    BMF_ZIP_KERNEL(name##_real, double, x, double, y, double, expression)                                              \
    BMF_ZIP_KERNEL(name##_int, int64_t, x, int64_t, y, int64_t, expression)                                            \
    static const bmf_kernel *const name[BENCH_TYPES] = {&name##_real, &name##_int};

MAP_KERNELS(line, 2 * x + 1)
MAP_KERNELS(mirror, 1023 - x)
MAP_KERNELS(square, x *x)
ZIP_KERNELS(sum_of_two, x + y)
ZIP_KERNELS(difference, y - x)
ZIP_KERNELS(product_of_two, x *y)
BMF_MAP_KERNEL(small_real, double, x, bool, x < 512.0)
BMF_MAP_KERNEL(small_int, int64_t, x, bool, x < 512)
static const bmf_kernel *const small[BENCH_TYPES] = {&small_real, &small_int};
static const bmf_operator *const plus[BENCH_TYPES] = {&bmf_plus_real, &bmf_plus_int};

/* Quarter turns and a reflection: their products are such matrices again, exact, and depend on the order. */
BMF_INLINE bench_matrix matrix_of(int64_t i)
{
    const bench_matrix choice[4] = {{1, 0, 0, 1}, {0, -1, 1, 0}, {0, 1, -1, 0}, {1, 0, 0, -1}};
    return choice[bench_hash(i) & 3];
}
BMF_INLINE bench_matrix matrix_times(bench_matrix x, bench_matrix y)
{
    return (bench_matrix){x.a * y.a + x.b * y.c, x.a * y.b + x.b * y.d, x.c * y.a + x.d * y.c, x.c * y.b + x.d * y.d};
}
BMF_MAP_KERNEL(matrices, int64_t, i, bench_matrix, matrix_of(i))
BMF_FOLD_KERNEL(matrix_product, bench_matrix, x, y, matrix_times(x, y), {1, 0, 0, 1})

/* ---- prepare ---- */

static int prepare_one(bench_case *c, double passes)
{
    c->min_bytes = passes * W * (double)c->elements;
    return bench_numbers(c, c->elements, &c->x);
}

static int prepare_read(bench_case *c)
{
    return prepare_one(c, 1);
}

static int prepare_map(bench_case *c)
{
    BMF_TRY(prepare_one(c, 2));
    return bench_expect(c, bench_local_count(c->x), W);
}

static int prepare_filter(bench_case *c)
{
    BMF_TRY(prepare_map(c));
    c->min_bytes = 1.5 * W * (double)c->elements;
    return BMF_OK;
}

static int prepare_two(bench_case *c, double passes)
{
    BMF_TRY(prepare_one(c, passes));
    return bench_other_numbers(c, c->elements, &c->y);
}

static int prepare_read_two(bench_case *c)
{
    return prepare_two(c, 2);
}

static int prepare_zip(bench_case *c)
{
    BMF_TRY(prepare_two(c, 3));
    return bench_expect(c, bench_local_count(c->x), W);
}

static void copy_input(bench_case *c)
{
    const size_t bytes = (size_t)bench_local_count(c->x) * W;
    if (bytes > 0)
        memcpy(bench_expected(c), bench_data(c->x), bytes);
}

/* In place, the reference works on its own copy of the input. */
static int prepare_map_in_place(bench_case *c)
{
    BMF_TRY(prepare_map(c));
    copy_input(c);
    return BMF_OK;
}

static int prepare_zip_in_place(bench_case *c)
{
    BMF_TRY(prepare_zip(c));
    copy_input(c);
    return BMF_OK;
}

static int prepare_scan_in_place(bench_case *c)
{
    BMF_TRY(prepare_map(c));
    return bench_numbers(c, c->elements, &c->y);
}

static int restore_from_y(bench_case *c)
{
    const size_t bytes = (size_t)bench_local_count(c->x) * W;
    if (bytes > 0) {
        memcpy(bench_data(c->x), bench_data(c->y), bytes);
        memcpy(bench_expected(c), bench_data(c->y), bytes);
    }
    return BMF_OK;
}

static int prepare_iota(bench_case *c)
{
    BMF_TRY(prepare_one(c, 1));
    return bench_expect(c, bench_local_count(c->x), W);
}

static int prepare_matrices(bench_case *c)
{
    c->min_bytes = (double)sizeof(bench_matrix) * (double)c->elements;
    return bmf_tabulate(c->ctx, c->elements, &matrices, &c->x);
}

/* ---- skeletons and references ---- */

static int run_map(bench_case *c)
{
    return bmf_map(c->x, line[c->type], bench_out(c));
}
static int hand_map(bench_case *c)
{
    c->loops->map(&c->team, c->expected_count, bench_data(c->x), bench_expected(c));
    return BMF_OK;
}

static int run_map_in_place(bench_case *c)
{
    return bmf_map_in_place(c->x, mirror[c->type]);
}
static int hand_map_in_place(bench_case *c)
{
    c->loops->mirror(&c->team, c->expected_count, bench_expected(c));
    return BMF_OK;
}

static int run_zip(bench_case *c)
{
    return bmf_zip(c->x, c->y, sum_of_two[c->type], bench_out(c));
}
static int hand_zip(bench_case *c)
{
    c->loops->zip(&c->team, c->expected_count, bench_data(c->x), bench_data(c->y), bench_expected(c));
    return BMF_OK;
}

static int run_zip_in_place(bench_case *c)
{
    return bmf_zip_in_place(c->x, c->y, difference[c->type]);
}
static int hand_zip_in_place(bench_case *c)
{
    c->loops->zip_in_place(&c->team, c->expected_count, bench_expected(c), bench_data(c->y));
    return BMF_OK;
}

static int run_reduce(bench_case *c)
{
    return bmf_reduce(c->x, plus[c->type], &c->value);
}
static int run_reduce_free(bench_case *c)
{
    bmf_set_reproducible(c->ctx, false);
    const int status = bmf_reduce(c->x, plus[c->type], &c->value);
    bmf_set_reproducible(c->ctx, true);
    return status;
}
static int hand_reduce(bench_case *c)
{
    c->loops->sum(&c->team, bench_local_count(c->x), bench_data(c->x), &c->expected_value);
    return BMF_OK;
}

static int run_map_reduce(bench_case *c)
{
    return bmf_map_reduce(c->x, square[c->type], plus[c->type], &c->value);
}
static int hand_map_reduce(bench_case *c)
{
    c->loops->sum_of_squares(&c->team, bench_local_count(c->x), bench_data(c->x), &c->expected_value);
    return BMF_OK;
}

static int run_zip_map_reduce(bench_case *c)
{
    return bmf_zip_map_reduce(c->x, c->y, product_of_two[c->type], plus[c->type], &c->value);
}
static int hand_zip_map_reduce(bench_case *c)
{
    c->loops->dot(&c->team, bench_local_count(c->x), bench_data(c->x), bench_data(c->y), &c->expected_value);
    return BMF_OK;
}

static int run_scan(bench_case *c)
{
    return bmf_scan(c->x, plus[c->type], BMF_INCLUSIVE, bench_out(c));
}
static int hand_scan(bench_case *c)
{
    c->loops->scan(&c->team, c->expected_count, bench_data(c->x), bench_expected(c));
    return BMF_OK;
}

static int run_scan_exclusive(bench_case *c)
{
    return bmf_scan(c->x, plus[c->type], BMF_EXCLUSIVE, bench_out(c));
}
static int hand_scan_exclusive(bench_case *c)
{
    c->loops->scan_exclusive(&c->team, c->expected_count, bench_data(c->x), bench_expected(c));
    return BMF_OK;
}

static int run_scan_in_place(bench_case *c)
{
    return bmf_scan_in_place(c->x, plus[c->type], BMF_INCLUSIVE);
}
static int hand_scan_in_place(bench_case *c)
{
    c->loops->scan(&c->team, c->expected_count, bench_expected(c), bench_expected(c));
    return BMF_OK;
}

static int run_map_scan(bench_case *c)
{
    return bmf_map_scan(c->x, line[c->type], plus[c->type], BMF_INCLUSIVE, bench_out(c));
}
static int hand_map_scan(bench_case *c)
{
    c->loops->map_scan(&c->team, c->expected_count, bench_data(c->x), bench_expected(c));
    return BMF_OK;
}

static int run_filter(bench_case *c)
{
    return bmf_filter(c->x, small[c->type], bench_out(c));
}
static int hand_filter(bench_case *c)
{
    c->expected_count = c->loops->filter(&c->team, bench_local_count(c->x), bench_data(c->x), bench_expected(c));
    return BMF_OK;
}

static int run_iota(bench_case *c)
{
    return (c->type == BENCH_INT ? bmf_iota : bmf_iota_real)(c->ctx, c->elements, bench_out(c));
}
static int hand_iota(bench_case *c)
{
    c->loops->iota(&c->team, bench_local_begin(c->x), c->expected_count, bench_expected(c));
    return BMF_OK;
}

static int run_reduce_struct(bench_case *c)
{
    return bmf_reduce(c->x, &matrix_product, &c->value.matrix);
}
static int hand_reduce_struct(bench_case *c)
{
    c->loops->product(&c->team, bench_local_count(c->x), bench_data(c->x), &c->expected_value.matrix);
    return BMF_OK;
}

static int verify_matrix(bench_case *c)
{
    const bench_matrix *v = &c->value.matrix, *e = &c->expected_value.matrix;
    const bool same = v->a == e->a && v->b == e->b && v->c == e->c && v->d == e->d;
    return bmf_agree(c->ctx,
                     same ? BMF_OK
                          : bmf_fail(c->ctx, BMF_ERROR_INTERNAL, "a wrong product of matrices (%s)", c->loops->name));
}

static int verify_x(bench_case *c)
{
    return bench_same_list(c, c->x);
}

const bench_row bench_compute_rows[] = {
    {"map",
     "reads 8 n, writes 8 n",
     prepare_map,
     run_map,
     hand_map,
     bench_verify_out,
     NULL,
     NULL,
     BENCH_COPY,
     {.fraction = 0.95},
     1,
     BENCH_PEER},
    {"map-in-place",
     "reads 8 n, writes 8 n, the same array",
     prepare_map_in_place,
     run_map_in_place,
     hand_map_in_place,
     verify_x,
     NULL,
     NULL,
     BENCH_COPY,
     {.fraction = 0.95},
     1,
     0},
    {"zip",
     "reads 16 n, writes 8 n",
     prepare_zip,
     run_zip,
     hand_zip,
     bench_verify_out,
     NULL,
     NULL,
     BENCH_COPY,
     {.fraction = 0.95},
     1,
     BENCH_PEER},
    {"zip-in-place",
     "reads 16 n, writes 8 n",
     prepare_zip_in_place,
     run_zip_in_place,
     hand_zip_in_place,
     verify_x,
     NULL,
     NULL,
     BENCH_COPY,
     {.fraction = 0.95},
     1,
     0},
    {"reduce",
     "reads 8 n",
     prepare_read,
     run_reduce,
     hand_reduce,
     bench_verify_total,
     NULL,
     run_reduce_free,
     BENCH_READ,
     {.fraction = 0.95, .rival = 1.10},
     1,
     BENCH_PEER},
    {"reduce-free",
     "reads 8 n",
     prepare_read,
     run_reduce_free,
     hand_reduce,
     bench_verify_total,
     NULL,
     NULL,
     BENCH_READ,
     {.fraction = 0.95},
     1,
     BENCH_PEER},
    {"map-reduce",
     "reads 8 n",
     prepare_read,
     run_map_reduce,
     hand_map_reduce,
     bench_verify_total,
     NULL,
     NULL,
     BENCH_READ,
     {.fraction = 0.95},
     1,
     BENCH_PEER},
    {"zip-map-reduce",
     "reads 16 n",
     prepare_read_two,
     run_zip_map_reduce,
     hand_zip_map_reduce,
     bench_verify_total,
     NULL,
     NULL,
     BENCH_READ,
     {.fraction = 0.95},
     1,
     BENCH_PEER},
    {"reduce-struct",
     "reads 32 n",
     prepare_matrices,
     run_reduce_struct,
     hand_reduce_struct,
     verify_matrix,
     NULL,
     NULL,
     BENCH_READ,
     {.fraction = 0.85},
     4,
     BENCH_PEER | BENCH_REAL_ONLY},
    {"scan",
     "reads 8 n, writes 8 n",
     prepare_map,
     run_scan,
     hand_scan,
     bench_verify_out,
     NULL,
     NULL,
     BENCH_COPY,
     {.fraction = 0.85},
     1,
     BENCH_PEER},
    {"scan-exclusive",
     "reads 8 n, writes 8 n",
     prepare_map,
     run_scan_exclusive,
     hand_scan_exclusive,
     bench_verify_out,
     NULL,
     NULL,
     BENCH_COPY,
     {.fraction = 0.85},
     1,
     BENCH_PEER},
    {"scan-in-place",
     "reads 8 n, writes 8 n, the same array",
     prepare_scan_in_place,
     run_scan_in_place,
     hand_scan_in_place,
     verify_x,
     restore_from_y,
     NULL,
     BENCH_COPY,
     {.fraction = 0.85},
     1,
     0},
    {"map-scan",
     "reads 8 n, writes 8 n",
     prepare_map,
     run_map_scan,
     hand_map_scan,
     bench_verify_out,
     NULL,
     NULL,
     BENCH_COPY,
     {.fraction = 0.85},
     1,
     BENCH_PEER},
    {"stencil",
     "reads 8 n, writes 8 n",
     bench_prepare_stencil,
     bench_run_stencil,
     bench_hand_stencil,
     bench_verify_out,
     NULL,
     NULL,
     BENCH_COPY,
     {.fraction = 0.80},
     1,
     BENCH_REAL_ONLY},
    {"sort",
     "reads 8 n, writes 8 n",
     bench_prepare_sort,
     bench_run_sort,
     bench_hand_sort,
     bench_verify_out,
     NULL,
     NULL,
     BENCH_COPY,
     {.ratio = 0.25},
     4,
     BENCH_PEER},
    {"sum-by-10-keys",
     "reads 16 n",
     bench_prepare_few_keys,
     bench_run_few_keys,
     bench_hand_few_keys,
     bench_verify_out,
     NULL,
     NULL,
     BENCH_READ,
     {.ratio = 1.2},
     1,
     BENCH_REAL_ONLY},
    {"sum-by-million-keys",
     "reads 16 n",
     bench_prepare_many_keys,
     bench_run_many_keys,
     bench_hand_many_keys,
     bench_verify_out,
     NULL,
     NULL,
     BENCH_READ,
     {.ratio = 1.2},
     1,
     BENCH_REAL_ONLY},
    {"filter",
     "reads 8 n, writes 4 n",
     prepare_filter,
     run_filter,
     hand_filter,
     bench_verify_out,
     NULL,
     NULL,
     BENCH_COPY,
     {.fraction = 0.60},
     1,
     BENCH_PEER},
    {"iota",
     "writes 8 n",
     prepare_iota,
     run_iota,
     hand_iota,
     bench_verify_out,
     NULL,
     NULL,
     BENCH_WRITE,
     {.fraction = 0.90},
     1,
     BENCH_PEER},
};
const int bench_compute_row_count = sizeof bench_compute_rows / sizeof *bench_compute_rows;

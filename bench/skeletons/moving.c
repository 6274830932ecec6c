/* Rows of the skeletons that move elements: split, gather, rebalance, concatenate, project, distl.
 *
 * The bytes a row must move (w = 8): every element that changes its rank, or has to stand in a new array, is read once
 * and written once; a projection also reads its indices. What may be shared moves nothing: with one rank split, gather,
 * rebalance and distl have no limit.
 */
#include "bench/skeletons/skeletons.h"

#include <limits.h>
#include <string.h>

#include "runtime/backend/backend.h"
#include "runtime/data/list.h"

enum { W = sizeof(double) };

/* Half of the work of a copy is to read, half to write. */
static double copied(int64_t elements)
{
    return 2.0 * W * (double)elements;
}

static int prepare_even(bench_case *c)
{
    if (c->team.ranks > 1 && c->elements > INT_MAX)
        return bmf_fail(c->ctx, BMF_ERROR_ARGUMENT, "on several ranks MPI's loops take at most %d elements", INT_MAX);
    BMF_TRY(bench_numbers(c, c->elements, &c->x));
    bench_cut(c, c->x, c->from);
    memcpy(c->to, c->from, (size_t)(c->team.ranks + 1) * sizeof *c->to);
    return BMF_OK;
}

/* Swaps x for its gathered form, which is placed on processor 0. y keeps the even one. */
static int prepare_split(bench_case *c)
{
    BMF_TRY(prepare_even(c));
    c->y = c->x;
    c->x = NULL;
    BMF_TRY(bmf_gather(c->y, &c->x));
    c->min_bytes = copied(c->elements - c->to[1]);
    return bench_expect(c, bench_local_count(c->y), W);
}

static int run_split(bench_case *c)
{
    return bmf_split(c->x, bmf_processors(c->ctx), 0, bench_out(c));
}

/* MPI_IN_PLACE: rank 0's own share stays where it is. */
static int hand_split(bench_case *c)
{
    reference_scatter(&c->team, c->to, bench_data(c->x), bench_expected(c));
    return BMF_OK;
}

/* The root's share of the reference was left in place, so the others are compared with the reference and the root's
 * with x. */
static int verify_split(bench_case *c)
{
    const size_t bytes = (size_t)c->expected_count * W;
    if (c->team.rank == 0 && bytes > 0)
        memcpy(bench_expected(c), bench_data(c->x), bytes);
    return bench_verify_out(c);
}

static int prepare_gather(bench_case *c)
{
    BMF_TRY(prepare_even(c));
    c->min_bytes = bmf_processors(c->ctx) > 1 ? copied(c->elements) : 0;
    return bench_expect(c, c->team.rank == 0 ? c->elements : 0, W);
}

static int run_gather(bench_case *c)
{
    return bmf_gather(c->x, bench_out(c));
}
static int hand_gather(bench_case *c)
{
    reference_gather(&c->team, c->from, bench_data(c->x), bench_expected(c));
    return BMF_OK;
}

static void put_number(const bench_case *c, int64_t i, int64_t number)
{
    if (c->type == BENCH_INT)
        ((int64_t *)bench_data(c->x))[i] = number;
    else
        ((double *)bench_data(c->x))[i] = (double)number;
}

/* A list whose part k is k + 1 times as long as the first. */
static int prepare_rebalance(bench_case *c)
{
    BMF_TRY(prepare_even(c));
    const int64_t parts = c->x->partition->parts;
    int64_t start[parts + 1];
    for (int64_t k = 0; k <= parts; k++)
        start[k] = (int64_t)((double)c->elements * (double)k * (double)(k + 1) / ((double)parts * (double)(parts + 1)));
    start[parts] = c->elements;
    bmf_partition *skewed;
    BMF_TRY(bmf_partition_resized(c->ctx, c->x->partition, start, &skewed));
    c->y = c->x;
    c->x = NULL;
    const int status = bmf_list_create(c->ctx, c->type == BENCH_INT ? &bmf_type_int : &bmf_type_real, skewed, &c->x);
    bmf_partition_release(skewed);
    BMF_TRY(status);
    const int64_t begin = bench_local_begin(c->x), count = bench_local_count(c->x);
    for (int64_t i = 0; i < count; i++)
        put_number(c, i, (int64_t)(bench_hash(begin + i) & 1023));
    bench_cut(c, c->x, c->from);
    c->min_bytes = parts > 1 ? copied(c->elements) : 0;
    return bench_expect(c, bench_local_count(c->y), W);
}

static int run_rebalance(bench_case *c)
{
    return bmf_rebalance(c->x, bench_out(c));
}
static int hand_rebalance(bench_case *c)
{
    c->loops->move(&c->team, c->from, 0, bench_data(c->x), c->to, bench_expected(c));
    return BMF_OK;
}

static int prepare_project(bench_case *c, const bmf_kernel *index)
{
    const bmf_kernel bound = bmf_kernel_bind(index, &c->elements);
    BMF_TRY(prepare_even(c));
    BMF_TRY(bmf_tabulate(c->ctx, c->elements, &bound, &c->y));
    c->min_bytes = 3.0 * W * (double)c->elements;
    return bench_expect(c, bench_local_count(c->y), W);
}

BMF_MAP_KERNEL_WITH(random_index, int64_t, length, int64_t, i, int64_t, bench_hash(i) % (uint64_t)*length)
BMF_MAP_KERNEL_WITH(reverse_index, int64_t, length, int64_t, i, int64_t, *length - 1 - i)

static int prepare_project_random(bench_case *c)
{
    return prepare_project(c, &random_index);
}
static int prepare_project_reverse(bench_case *c)
{
    return prepare_project(c, &reverse_index);
}

static int run_project(bench_case *c)
{
    return bmf_project(c->x, c->y, bench_out(c));
}
static int hand_project(bench_case *c)
{
    return c->loops->project(&c->team, c->from, bench_data(c->x), c->expected_count, c->y->column.data,
                             bench_expected(c)) == 0
               ? BMF_OK
               : BMF_ERROR_MEMORY;
}

/* Two halves: x and y have n / 2 and the rest of the elements. The reference puts y's behind x's. */
static int prepare_concatenate(bench_case *c)
{
    const int64_t half = c->elements / 2;
    bmf_partition *even;
    BMF_TRY(bench_numbers(c, half, &c->x));
    BMF_TRY(bench_other_numbers(c, c->elements - half, &c->y));
    BMF_TRY(bmf_partition_even(c->ctx, c->elements, &even));
    for (int r = 0; r <= c->team.ranks; r++)
        c->to[r] = even->start[bmf_first_processor(c->ctx, r)];
    bmf_partition_release(even);
    c->min_bytes = copied(c->elements);
    return bench_expect(c, c->to[c->team.rank + 1] - c->to[c->team.rank], W);
}

static int run_concatenate(bench_case *c)
{
    return bmf_concatenate(c->x, c->y, bench_out(c));
}
static int hand_concatenate(bench_case *c)
{
    bench_cut(c, c->x, c->from);
    c->loops->move(&c->team, c->from, 0, bench_data(c->x), c->to, bench_expected(c));
    bench_cut(c, c->y, c->from);
    c->loops->move(&c->team, c->from, c->elements / 2, bench_data(c->y), c->to, bench_expected(c));
    return BMF_OK;
}

/* One real to every processor, beside n elements that stay where they are. */
static int prepare_distl(bench_case *c)
{
    static const double value = 42.0;
    BMF_TRY(prepare_even(c));
    return bmf_place(c->ctx, 0, &bmf_type_real, 1, &value, &c->y);
}

static int run_distl(bench_case *c)
{
    return bmf_distl(c->y, c->x, bench_out(c));
}
static int hand_distl(bench_case *c)
{
    c->expected_value.real = reference_broadcast(&c->team, 42.0);
    return BMF_OK;
}

static bool pairs_are_right(const bench_case *c)
{
    const bmf_column *pairs = &c->out->column;
    if (pairs->count != bench_local_count(c->x))
        return false;
    if (pairs->count == 0)
        return true;
    const bmf_column *value = &pairs->child[0], *element = &pairs->child[1];
    return *(const double *)value->data == c->expected_value.real && value->stride == 0 &&
           memcmp(element->data, bench_data(c->x), (size_t)pairs->count * W) == 0;
}

static int verify_distl(bench_case *c)
{
    return bmf_agree(c->ctx,
                     pairs_are_right(c) ? BMF_OK : bmf_fail(c->ctx, BMF_ERROR_INTERNAL, "wrong pairs of distl"));
}

#define MOVING_BAR                                                                                                     \
    {                                                                                                                  \
        .fraction = 0.80                                                                                               \
    }
#define NO_BAR                                                                                                         \
    {                                                                                                                  \
        .fraction = 0                                                                                                  \
    }

const bench_row bench_moving_rows[] = {
    {"distl", "nothing but one value", prepare_distl, run_distl, hand_distl, verify_distl, NULL, NULL, BENCH_NO_LIMIT,
     NO_BAR, 4, BENCH_BRIEF | BENCH_REAL_ONLY},
    {"split", "reads and writes 8 n (P - 1) / P", prepare_split, run_split, hand_split, verify_split, NULL, NULL,
     BENCH_COPY, MOVING_BAR, 4, 0},
    {"gather", "reads and writes 8 n, nothing if P is 1", prepare_gather, run_gather, hand_gather, bench_verify_out,
     NULL, NULL, BENCH_COPY, MOVING_BAR, 4, 0},
    {"rebalance", "reads and writes 8 n, nothing if P is 1", prepare_rebalance, run_rebalance, hand_rebalance,
     bench_verify_out, NULL, NULL, BENCH_COPY, MOVING_BAR, 4, 0},
    {"concatenate",
     "reads and writes 8 n",
     prepare_concatenate,
     run_concatenate,
     hand_concatenate,
     bench_verify_out,
     NULL,
     NULL,
     BENCH_COPY,
     {.fraction = 0.90, .fraction_between = 0.80},
     4,
     BENCH_PEER},
    {"project-random",
     "reads 8 n indices and 8 n elements, writes 8 n",
     prepare_project_random,
     run_project,
     hand_project,
     bench_verify_out,
     NULL,
     NULL,
     BENCH_COPY,
     {.ratio = 1.0},
     4,
     BENCH_PEER},
    {"project-reverse",
     "reads 8 n indices and 8 n elements, writes 8 n",
     prepare_project_reverse,
     run_project,
     hand_project,
     bench_verify_out,
     NULL,
     NULL,
     BENCH_COPY,
     {.fraction = 0.80},
     4,
     BENCH_PEER},
};
const int bench_moving_row_count = sizeof bench_moving_rows / sizeof *bench_moving_rows;

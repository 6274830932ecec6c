/* make_errors CASE: a program that makes one mistake, for errors.bats. It should never reach its last line. */
#include <bmf.h>
#include <bmf/mpi.h>
#include <stdio.h>
#include <string.h>

#include "runtime/base/allocate.h"

BMF_MAP_KERNEL(identity, int64_t, i, int64_t, i)
BMF_ZIP_KERNEL(sum, int64_t, a, int64_t, b, int64_t, a + b)
BMF_FOLD_KERNEL_NO_IDENTITY(first, int64_t, a, b, ((void)b, a), BMF_EXACT)

/* Fails with code 7 at element 5. */
static int fail_at_five(const void *context, int64_t count, const bmf_slice *in, const bmf_slice *out)
{
    (void)context;
    for (int64_t i = 0; i < count; i++) {
        BMF_AT(int64_t, out[0], i) = BMF_AT(int64_t, in[0], i);
        if (BMF_AT(int64_t, in[0], i) == 5)
            return 7;
    }
    return 0;
}

static const bmf_kernel fragile = {.name = "fragile",
                                   .block = fail_at_five,
                                   .inputs = 1,
                                   .input = {&bmf_type_int},
                                   .output = &bmf_type_int,
                                   .may_fail = true};

/* An error in a context of half of the ranks, while the others wait for messages that will not come. */
static int fail_in_half(bmf_context *ctx)
{
    const int first_half = 2 * bmf_rank(ctx) < bmf_ranks(ctx);
    bmf_context *half;
    bmf_list *xs;
    double total;
    MPI_Comm comm;
    MPI_Comm_split(MPI_COMM_WORLD, first_half, bmf_rank(ctx), &comm);
    BMF_CHECK(bmf_open_with(comm, NULL, &half));
    BMF_CHECK(bmf_iota(half, 10, &xs));
    if (!first_half)
        MPI_Barrier(MPI_COMM_WORLD);
    return bmf_reduce(xs, &bmf_plus_real, &total);
}

static int make_mistake(bmf_context *ctx, const char *mistake)
{
    bmf_list *xs, *ys;
    int64_t total;
    double real;
    BMF_CHECK(bmf_iota(ctx, 10, &xs));
    if (strcmp(mistake, "zip-length") == 0) {
        BMF_CHECK(bmf_iota(ctx, 11, &ys));
        return bmf_zip(xs, ys, &sum, &ys);
    }
    if (strcmp(mistake, "zip-place") == 0) {
        BMF_CHECK(bmf_gather(xs, &ys));
        return bmf_zip(xs, ys, &sum, &ys);
    }
    if (strcmp(mistake, "index") == 0)
        return bmf_index(xs, 10, &total);
    if (strcmp(mistake, "project") == 0) {
        static const int64_t indices[] = {3, 1, 4, 1, 10, 9};
        BMF_CHECK(bmf_spread(ctx, &bmf_type_int, 6, indices, &ys));
        return bmf_project(xs, ys, &ys);
    }
    if (strcmp(mistake, "under-way") == 0) {
        bmf_reduction *reduction;
        BMF_CHECK(bmf_reduce_begin(xs, &bmf_plus_int, &reduction));
        return bmf_close(ctx);
    }
    if (strcmp(mistake, "kernel") == 0)
        return bmf_map(xs, &fragile, &ys);
    if (strcmp(mistake, "kernel-in-place") == 0)
        return bmf_map_in_place(xs, &fragile);
    if (strcmp(mistake, "fused-kernel") == 0)
        return bmf_map_reduce(xs, &fragile, &bmf_plus_int, &total);
    if (strcmp(mistake, "type") == 0)
        return bmf_reduce(xs, &bmf_plus_real, &real);
    if (strcmp(mistake, "empty") == 0) {
        BMF_CHECK(bmf_iota(ctx, 0, &ys));
        return bmf_reduce(ys, &first, &total);
    }
    if (strcmp(mistake, "split") == 0) {
        BMF_CHECK(bmf_place(ctx, 0, &bmf_type_int, 0, NULL, &ys));
        return bmf_split(ys, 1000, 0, &xs);
    }
    if (strcmp(mistake, "split-nothing") == 0) {
        BMF_CHECK(bmf_place(ctx, 0, &bmf_type_int, 0, NULL, &ys));
        return bmf_split(ys, 0, 0, &xs);
    }
    if (strcmp(mistake, "memory") == 0 && bmf_rank(ctx) == bmf_ranks(ctx) - 1)
        allocate((int64_t)1 << 60);
    if (strcmp(mistake, "half") == 0)
        return fail_in_half(ctx);
    if (strcmp(mistake, "one-rank") == 0 && bmf_rank(ctx) == bmf_ranks(ctx) - 1)
        return bmf_fail(ctx, BMF_ERROR_FILE, "only the last rank sees this");
    BMF_CHECK(bmf_map(xs, &identity, &ys));
    for (int i = 0; i < 3; i++)
        BMF_CHECK(bmf_reduce(ys, &bmf_plus_int, &total));
    return BMF_OK;
}

int main(int argc, char **argv)
{
    bmf_context *ctx;
    BMF_CHECK(bmf_open(&argc, &argv, &ctx));
    if (argc > 1 && strcmp(argv[1], "open-again") == 0) {
        bmf_close(ctx);
        BMF_CHECK(bmf_open(&argc, &argv, &ctx));
    }
    BMF_CHECK(make_mistake(ctx, argc > 1 ? argv[1] : ""));
    if (bmf_is_root(ctx))
        puts("no mistake");
    return bmf_close(ctx);
}

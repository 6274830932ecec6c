/* make_misuse CASE: a program that misuses bmf once, for checked.bats; without CASE, one that does not. Exits with 7 if
 * nothing says so. Linked as users' programs are. */
#include <bmf.h>
#include <bmf/mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNNOTICED = 7, ELEMENTS = 10 };

BMF_MAP_KERNEL(square, int64_t, i, int64_t, i *i)
BMF_MAP_KERNEL(cube, int64_t, i, int64_t, i *i *i)
BMF_ZIP_KERNEL(sum, int64_t, a, int64_t, b, int64_t, a + b)

/* What all cases have. */
typedef struct setting {
    bmf_context *ctx, *other; /* on the same ranks */
    bmf_list *xs, *ys, *foreign, *out;
    bmf_partition *partition;
    int64_t total;
    bool last; /* this is the last rank, of several */
} setting;

/* ---- NULL ---- */

static void null_list(setting *s)
{
    BMF_CHECK(bmf_map(NULL, &square, &s->out));
}
static void null_second_list(setting *s)
{
    BMF_CHECK(bmf_zip(s->xs, NULL, &sum, &s->out));
}
static void null_kernel(setting *s)
{
    BMF_CHECK(bmf_map(s->xs, NULL, &s->out));
}
static void null_operator(setting *s)
{
    BMF_CHECK(bmf_reduce(s->xs, NULL, &s->total));
}
static void null_output(setting *s)
{
    BMF_CHECK(bmf_map(s->xs, &square, NULL));
}
static void null_value(setting *s)
{
    BMF_CHECK(bmf_reduce(s->xs, &bmf_plus_int, NULL));
}
static void null_context(setting *s)
{
    BMF_CHECK(bmf_iota(NULL, ELEMENTS, &s->out));
}
static void null_in_void(setting *s)
{
    (void)s;
    bmf_barrier(NULL);
}
static void null_in_value(setting *s)
{
    s->total = bmf_length(NULL);
}
static void null_type(setting *s)
{
    BMF_CHECK(bmf_spread(s->ctx, NULL, 0, NULL, &s->out));
}
static void null_path(setting *s)
{
    BMF_CHECK(bmf_npy_write(s->xs, NULL));
}
static void null_function(setting *s)
{
    BMF_CHECK(bmf_each_part(s->ctx, s->partition, "nothing", NULL, NULL));
}
static void null_permutation(setting *s)
{
    (void)s;
    bmf_permutation_gray(5, NULL);
}
static void null_trace(setting *s)
{
    s->total = bmf_trace_runs(NULL);
}

/* ---- after the end ---- */

static void free_twice(setting *s)
{
    bmf_list_free(s->xs);
    bmf_list_free(s->xs);
}
static void use_after_free(setting *s)
{
    bmf_list_free(s->xs);
    /* Memory of that size is what malloc would give again. */
    BMF_CHECK(bmf_iota(s->ctx, ELEMENTS, &s->out));
    BMF_CHECK(bmf_reduce(s->xs, &bmf_plus_int, &s->total));
}
static void partition_after_list(setting *s)
{
    bmf_partition *borrowed;
    BMF_CHECK(bmf_gather(s->xs, &s->out));
    borrowed = bmf_list_partition(s->out);
    bmf_list_free(s->out);
    s->total = bmf_partition_parts(borrowed);
}
static void release_twice(setting *s)
{
    bmf_partition_release(s->partition);
    bmf_partition_release(s->partition);
}
static void plan_after_free(setting *s)
{
    bmf_permutation p;
    bmf_permute_plan *plan;
    const int64_t bytes = 8;
    bmf_permutation_gray(5, &p);
    BMF_CHECK(bmf_permute_plan_create(s->ctx, &p, 1, &bytes, BMF_PERMUTE_AUTO, &plan));
    bmf_permute_plan_free(plan);
    s->total = bmf_permute_plan_rounds(plan);
}
static void close_all(setting *s)
{
    bmf_list_free(s->xs);
    bmf_list_free(s->ys);
    bmf_list_free(s->foreign);
    bmf_partition_release(s->partition);
    if (bmf_close(s->other) || bmf_close(s->ctx))
        exit(UNNOTICED);
}
static void close_twice(setting *s)
{
    close_all(s);
    s->total = bmf_close(s->ctx);
}
static void use_after_close(setting *s)
{
    close_all(s);
    s->total = bmf_processors(s->ctx);
}
static void open_after_close(setting *s)
{
    close_all(s);
    BMF_CHECK(bmf_open(NULL, NULL, &s->ctx));
}
static void close_with_lists(setting *s)
{
    bmf_list_free(s->xs);
    s->total = bmf_close(s->ctx);
}

/* ---- something else ---- */

static void wrong_kind(setting *s)
{
    s->total = bmf_length((const bmf_list *)(const void *)s->partition);
}
static void no_list(setting *s)
{
    BMF_CHECK(bmf_reduce((const bmf_list *)(const void *)s, &bmf_plus_int, &s->total));
}
static void other_context(setting *s)
{
    BMF_CHECK(bmf_zip(s->xs, s->foreign, &sum, &s->out));
}
static void other_context_partition(setting *s)
{
    BMF_CHECK(bmf_list_create(s->other, &bmf_type_int, s->partition, &s->out));
}
static void lengths(setting *s)
{
    BMF_CHECK(bmf_zip(s->xs, s->ys, &sum, &s->out));
}
static void old_machine(setting *s)
{
    BMF_CHECK(bmf_set_processors(s->ctx, 64));
    BMF_CHECK(bmf_map(s->xs, &square, &s->out));
}
static void leaf(setting *s)
{
    int64_t stride;
    if (!bmf_list_data(s->xs, 1, &stride))
        exit(UNNOTICED);
}
static void part(setting *s)
{
    s->total = bmf_partition_processor(s->partition, bmf_partition_parts(s->partition));
}
static void bits(setting *s)
{
    bmf_permutation p;
    (void)s;
    bmf_permutation_bit_reversal(64, &p);
}
static void kernel_version(setting *s)
{
    bmf_kernel newer = square;
    newer.version = BMF_KERNEL_VERSION + 1;
    BMF_CHECK(bmf_map(s->xs, &newer, &s->out));
}
static void kernel_block(setting *s)
{
    bmf_kernel empty = square;
    empty.block = NULL;
    BMF_CHECK(bmf_map(s->xs, &empty, &s->out));
}
static void kernel_inputs(setting *s)
{
    bmf_kernel many = square;
    many.inputs = BMF_MAX_INPUTS + 1;
    BMF_CHECK(bmf_map_in_place(s->xs, &many));
}
static void kernel_type(setting *s)
{
    static const bmf_type narrow = {.kind = BMF_REAL, .size = 4};
    bmf_kernel wrong = square;
    wrong.output = &narrow;
    BMF_CHECK(bmf_map(s->xs, &wrong, &s->out));
}
static void operator_version(setting *s)
{
    bmf_operator newer = bmf_plus_int;
    newer.version = -1;
    BMF_CHECK(bmf_scan(s->xs, &newer, BMF_INCLUSIVE, &s->out));
}
static void operator_flags(setting *s)
{
    bmf_operator odd = bmf_plus_int;
    odd.flags |= 64;
    BMF_CHECK(bmf_reduce(s->xs, &odd, &s->total));
}
static void operator_columns(setting *s)
{
    bmf_operator odd = bmf_plus_real;
    odd.flags = 0;
    BMF_CHECK(bmf_reduce(s->xs, &odd, &s->total));
}
static void region(setting *s)
{
    bmf_region_begin(s->ctx, "one");
    bmf_region_end(s->ctx);
    bmf_region_end(s->ctx);
}

/* ---- threads ---- */

static void *reduce_elsewhere(void *state)
{
    setting *s = state;
    BMF_CHECK(bmf_reduce(s->xs, &bmf_plus_int, &s->total));
    return NULL;
}
static void *free_elsewhere(void *state)
{
    bmf_list_free(((setting *)state)->xs);
    return NULL;
}
static void in_thread(setting *s, void *(*run)(void *state))
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, s) != 0)
        exit(UNNOTICED);
    pthread_join(thread, NULL);
}
static void thread_reduces(setting *s)
{
    in_thread(s, reduce_elsewhere);
}
static void thread_frees(setting *s)
{
    in_thread(s, free_elsewhere);
}
/* The last rank's thread does what the ranks themselves should. */
static void one_thread_reduces(setting *s)
{
    if (s->last || bmf_ranks(s->ctx) == 1)
        in_thread(s, reduce_elsewhere);
    else
        reduce_elsewhere(s);
}
static void two_threads_at_once(setting *s)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, reduce_elsewhere, s) != 0)
        exit(UNNOTICED);
    for (int k = 0; k < 1000; k++)
        BMF_CHECK(bmf_reduce(s->ys, &bmf_plus_int, &s->total));
    pthread_join(thread, NULL);
}

static int reduce_inside(void *state, int64_t part, int64_t begin, int64_t end)
{
    setting *s = state;
    (void)part, (void)begin, (void)end;
    BMF_CHECK(bmf_reduce(s->xs, &bmf_plus_int, &s->total));
    return 0;
}
static void inside(setting *s)
{
    BMF_CHECK(bmf_each_part(s->ctx, s->partition, "inside", reduce_inside, s));
}

/* ---- ranks that differ ---- */

static void order(setting *s)
{
    if (s->last)
        BMF_CHECK(bmf_reduce(s->xs, &bmf_plus_int, &s->total));
    else
        BMF_CHECK(bmf_scan(s->xs, &bmf_max_int, BMF_INCLUSIVE, &s->out));
}
static void order_of_void(setting *s)
{
    if (s->last)
        bmf_barrier(s->ctx);
    else
        BMF_CHECK(bmf_map(s->xs, &square, &s->out));
}
static void order_void_first(setting *s)
{
    if (!s->last)
        bmf_barrier(s->ctx);
    else
        BMF_CHECK(bmf_map(s->xs, &square, &s->out));
}
static void order_of_numbers(setting *s)
{
    BMF_CHECK(bmf_iota(s->ctx, s->last ? 11 : 12, &s->out));
}
static void order_of_kernels(setting *s)
{
    BMF_CHECK(bmf_map(s->xs, s->last ? &cube : &square, &s->out));
}
static void order_of_lists(setting *s)
{
    BMF_CHECK(bmf_map(s->last ? s->ys : s->xs, &square, &s->out));
}
static void order_of_values(setting *s)
{
    const double value = s->last ? 1.5 : 2.5;
    BMF_CHECK(bmf_distl_value(&bmf_type_real, &value, s->xs, &s->out));
}
static void order_of_contexts(setting *s)
{
    bmf_barrier(s->last ? s->other : s->ctx);
    bmf_barrier(s->last ? s->ctx : s->other);
}
static void order_ignored(setting *s)
{
    if (s->last)
        (void)bmf_reduce(s->xs, &bmf_plus_int, &s->total);
    BMF_CHECK(bmf_scan(s->xs, &bmf_max_int, BMF_INCLUSIVE, &s->out));
}
static void one_null(setting *s)
{
    BMF_CHECK(bmf_map(s->xs, s->last ? NULL : &square, &s->out));
}
/* Nothing says which of the two contexts the last rank means. */
static void one_null_list(setting *s)
{
    BMF_CHECK(bmf_map(s->last ? NULL : s->xs, &square, &s->out));
}
static void one_looks(setting *s)
{
    if (s->last)
        s->total = bmf_length(NULL);
    BMF_CHECK(bmf_map(s->xs, &square, &s->out));
}
static void one_ends(setting *s)
{
    if (s->last)
        exit(0);
    BMF_CHECK(bmf_map(s->xs, &square, &s->out));
}
static void one_closes(setting *s)
{
    close_all(s);
    if (s->last)
        s->total = bmf_close(s->ctx);
}

static const struct {
    const char *name;
    void (*run)(setting *s);
} cases[] = {
    {"null-list", null_list},
    {"null-second-list", null_second_list},
    {"null-kernel", null_kernel},
    {"null-operator", null_operator},
    {"null-output", null_output},
    {"null-value", null_value},
    {"null-context", null_context},
    {"null-in-void", null_in_void},
    {"null-in-value", null_in_value},
    {"null-type", null_type},
    {"null-path", null_path},
    {"null-function", null_function},
    {"null-permutation", null_permutation},
    {"null-trace", null_trace},
    {"free-twice", free_twice},
    {"use-after-free", use_after_free},
    {"partition-after-list", partition_after_list},
    {"release-twice", release_twice},
    {"plan-after-free", plan_after_free},
    {"close-twice", close_twice},
    {"use-after-close", use_after_close},
    {"open-after-close", open_after_close},
    {"close-with-lists", close_with_lists},
    {"wrong-kind", wrong_kind},
    {"no-list", no_list},
    {"other-context", other_context},
    {"other-context-partition", other_context_partition},
    {"lengths", lengths},
    {"old-machine", old_machine},
    {"leaf", leaf},
    {"part", part},
    {"bits", bits},
    {"kernel-version", kernel_version},
    {"kernel-block", kernel_block},
    {"kernel-inputs", kernel_inputs},
    {"kernel-type", kernel_type},
    {"operator-version", operator_version},
    {"operator-flags", operator_flags},
    {"operator-columns", operator_columns},
    {"region", region},
    {"thread-reduces", thread_reduces},
    {"thread-frees", thread_frees},
    {"one-thread-reduces", one_thread_reduces},
    {"two-threads-at-once", two_threads_at_once},
    {"inside", inside},
    {"order", order},
    {"order-of-void", order_of_void},
    {"order-void-first", order_void_first},
    {"order-of-numbers", order_of_numbers},
    {"order-of-kernels", order_of_kernels},
    {"order-of-lists", order_of_lists},
    {"order-of-values", order_of_values},
    {"order-of-contexts", order_of_contexts},
    {"order-ignored", order_ignored},
    {"one-null", one_null},
    {"one-null-list", one_null_list},
    {"one-looks", one_looks},
    {"one-ends", one_ends},
    {"one-closes", one_closes},
};

int main(int argc, char **argv)
{
    setting s = {0};
    BMF_CHECK(bmf_open(&argc, &argv, &s.ctx));
    BMF_CHECK(bmf_open_with(MPI_COMM_WORLD, NULL, &s.other));
    s.last = bmf_rank(s.ctx) > 0 && bmf_rank(s.ctx) == bmf_ranks(s.ctx) - 1;
    BMF_CHECK(bmf_iota(s.ctx, ELEMENTS, &s.xs));
    BMF_CHECK(bmf_iota(s.ctx, ELEMENTS + 1, &s.ys));
    BMF_CHECK(bmf_iota(s.other, ELEMENTS, &s.foreign));
    BMF_CHECK(bmf_partition_even(s.ctx, ELEMENTS, &s.partition));
    for (size_t k = 0; argc > 1 && k < sizeof cases / sizeof cases[0]; k++) {
        if (strcmp(argv[1], cases[k].name) != 0)
            continue;
        cases[k].run(&s);
        return UNNOTICED;
    }
    close_all(&s);
    return 0;
}

/* race KIND: a program with a race that ThreadSanitizer must report, or without one, where it must be silent. It tells
 * whether a clean report of all other tests means anything.
 *
 *   part    processors of one list add to one number without a lock, on the threads that run skeletons
 *   kernel  a kernel writes a number of its own file
 *   region  a region of OpenMP of its own does so
 *   none    all of these with atomic numbers, or numbers of each thread, joined at the end of the region */
#include <bmf.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PROCESSORS = 64, THREADS = 4, PAUSE_US = 500, ELEMENTS = 1 << 18 };

static int64_t shared;
static atomic_llong together;
static bool races;

static int add_part(void *state, int64_t part, int64_t begin, int64_t end)
{
    int64_t *own = state;
    usleep(PAUSE_US); /* so that every thread gets some */
    if (races)
        shared += end - begin;
    atomic_fetch_add_explicit(&together, end - begin, memory_order_relaxed);
    own[part] = end - begin;
    return 0;
}

static int count_elements(const void *context, int64_t count, const bmf_slice *in, const bmf_slice *out)
{
    (void)context, (void)in;
    if (races)
        shared += count;
    for (int64_t i = 0; i < count; i++)
        BMF_AT(int64_t, out[0], i) = 1;
    return 0;
}

static const bmf_kernel counting = {
    .name = "counting", .block = count_elements, .inputs = 1, .input = {&bmf_type_int}, .output = &bmf_type_int};

static int64_t run_parts(bmf_list *xs)
{
    int64_t own[PROCESSORS] = {0}, sum = 0;
    BMF_CHECK(bmf_each_part(bmf_list_context(xs), bmf_list_partition(xs), "parts", add_part, own));
    for (int k = 0; k < PROCESSORS; k++)
        sum += own[k];
    return sum;
}

static int64_t run_kernel(bmf_list *xs)
{
    int64_t sum;
    BMF_CHECK(bmf_map_reduce(xs, &counting, &bmf_plus_int, &sum));
    return sum;
}

static int64_t run_region(void)
{
    int64_t sum = 0;
#pragma omp parallel for num_threads(THREADS) schedule(static) reduction(+ : sum)
    for (int64_t i = 0; i < ELEMENTS; i++) {
        sum++;
        if (races && i % 1024 == 0)
            shared++;
    }
    return sum;
}

int main(int argc, char **argv)
{
    bmf_context *ctx;
    bmf_list *xs;
    const char *kind = argc > 1 ? argv[1] : "";
    const bool all = strcmp(kind, "none") == 0;
    BMF_CHECK(bmf_open(&argc, &argv, &ctx));
    BMF_CHECK(bmf_iota(ctx, ELEMENTS, &xs));
    races = !all;
    if ((all || strcmp(kind, "part") == 0) && run_parts(xs) != ELEMENTS)
        return 1;
    if ((all || strcmp(kind, "kernel") == 0) && run_kernel(xs) != ELEMENTS)
        return 1;
    if ((all || strcmp(kind, "region") == 0) && run_region() != ELEMENTS)
        return 1;
    bmf_list_free(xs);
    return bmf_close(ctx);
}

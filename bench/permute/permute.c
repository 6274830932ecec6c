/* bmf-bench permute: permutations in memory beside copying the same bytes and beside the naive loop.
 *
 * Method: per permutation memcpy, streaming stores, the engine out of place and in place take turns
 * (bench/measure.h), and medians are compared; the naive loop runs once, on one thread, as it would be written. Every
 * element of every timed result is checked: element x holds numbers made from x, and the result is read back in the
 * order of the targets. One rank, all its threads; several ranks are the matter of ranks.c. Cost: with the
 * default options some minutes. */
#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "bench/commands.h"
#include "bench/limits.h"
#include "bench/machine.h"
#include "bench/measure.h"
#include "bench/names.h"
#include "bench/permute/permute.h"
#include "bmf/permute.h"
#include "permute/gf2.h"
#include "runtime/backend/backend.h"
#include "runtime/base/memory.h"
#include "runtime/base/random.h"
#include "drivers/command/mpirun.h"

enum { DEFAULT_BITS = 27, DEFAULT_RANKS_BITS = 24, MIN_BITS = 10, MAX_BITS = 32 };
enum { RANDOM = 20, DEFAULT_REPEATS = 5, MAX_REPEATS = 1000, NAME = 32, MAX_CASES = 64 };
/* Fractions of memcpy for words and larger elements, for smaller ones, in place; times the naive loop. */
static const double BAR = 0.90, SMALL_BAR = 0.75, IN_PLACE_BAR = 0.50, NAIVE_BAR = 10;
#define MAX_MBIT 1e6

typedef bench_permute_options options;

typedef struct permute_case {
    char name[NAME];
    int64_t element_bytes;
    bmf_permutation p;
    bool in_place, naive; /* measure these too */
    double seconds, in_place_seconds, memcpy_seconds, stream_seconds, naive_seconds;
    bench_spread fractions, in_place_fractions; /* of memcpy, turn by turn */
} permute_case;

typedef struct memory {
    bmf_context *ctx;
    bench_arrays arrays;
    char *source, *target;
    const permute_case *c;
    int repeats;
} memory;

/* ---- cases ---- */

static permute_case *next_case(permute_case *cases, int *count, const char *name, int bits, int64_t element_bytes)
{
    permute_case *c = &cases[(*count)++];
    *c = (permute_case){.element_bytes = element_bytes, .p = {.bits = bits}};
    snprintf(c->name, sizeof c->name, "%s", name);
    return c;
}

/* The permutations of words, and bit reversal and a random one for the other sizes, all of the same bytes. */
static int list_cases(int bits, permute_case *cases)
{
    int count = 0;
    uint64_t state = 1;
    const int by[3] = {bits / 2, bits / 4, 3};
    permute_case *c = next_case(cases, &count, "bitrev", bits, 8);
    c->in_place = c->naive = true;
    bmf_permutation_bit_reversal(bits, &c->p);
    for (int k = 0; k < 3; k++) {
        char name[NAME];
        snprintf(name, sizeof name, "transpose:%d", by[k]);
        c = next_case(cases, &count, name, bits, 8);
        c->in_place = c->naive = k == 0;
        bmf_permutation_rotation(bits, by[k], &c->p);
    }
    bmf_permutation_gray(bits, &next_case(cases, &count, "gray", bits, 8)->p);
    bmf_permutation_rotation(bits, 1, &next_case(cases, &count, "shuffle:1", bits, 8)->p);
    for (int k = 0; k < 2 * RANDOM; k++) {
        char name[NAME];
        snprintf(name, sizeof name, "%s %d", k < RANDOM ? "random" : "randombpc", k % RANDOM + 1);
        c = next_case(cases, &count, name, bits, 8);
        c->in_place = c->naive = k % RANDOM == 0;
        if (k < RANDOM)
            bmf_bit_matrix_random(bits, &state, &c->p.matrix);
        else
            bmf_bit_matrix_random_permutation(bits, &state, &c->p.matrix);
        c->p.complement = random_bits(&state) & low_bits(bits);
    }
    static const int size_bits[] = {0, 1, 2, 4, 6, 12};
    for (size_t k = 0; k < 2 * sizeof size_bits / sizeof size_bits[0]; k++) {
        const int e = size_bits[k / 2], n = bits + 3 - e;
        c = next_case(cases, &count, k % 2 ? "random" : "bitrev", n, INT64_C(1) << e);
        if (k % 2)
            bmf_bit_matrix_random(n, &state, &c->p.matrix);
        else
            bmf_permutation_bit_reversal(n, &c->p);
    }
    return count;
}

/* ---- elements ---- */

static unsigned char byte_of(uint64_t x, int64_t k)
{
    const uint64_t h = (x + 1) * UINT64_C(0x9e3779b97f4a7c15);
    return (unsigned char)((h >> (k % 8 * 8)) + (uint64_t)k / 8);
}

static void fill(const permute_case *c, char *data, int threads)
{
#pragma omp parallel for num_threads(threads)
    for (uint64_t x = 0; x < UINT64_C(1) << c->p.bits; x++)
        for (int64_t k = 0; k < c->element_bytes; k++)
            data[x * (uint64_t)c->element_bytes + (uint64_t)k] = (char)byte_of(x, k);
}

static int check(memory *m, const char *data)
{
    const permute_case *c = m->c;
    bmf_permutation back;
    bmf_permutation_inverse(&c->p, &back);
    int64_t wrong = 0;
#pragma omp parallel for num_threads(m->arrays.threads) reduction(+ : wrong)
    for (uint64_t y = 0; y < UINT64_C(1) << c->p.bits; y++) {
        const uint64_t x = bmf_permutation_apply(&back, y);
        for (int64_t k = 0; k < c->element_bytes; k++)
            wrong += (unsigned char)data[y * (uint64_t)c->element_bytes + (uint64_t)k] != byte_of(x, k);
    }
    return wrong == 0 ? BMF_OK
                      : bmf_fail(m->ctx, BMF_ERROR_INTERNAL, "%s: %lld bytes are wrong", c->name, (long long)wrong);
}

/* ---- actions ---- */

static int run_memcpy(void *state)
{
    bench_limit_run(BENCH_COPY, 0, &((memory *)state)->arrays);
    return BMF_OK;
}

static int run_stream(void *state)
{
    bench_limit_run(BENCH_COPY, 1, &((memory *)state)->arrays);
    return BMF_OK;
}

static int run_engine(void *state)
{
    memory *m = state;
    return bmf_local_permute(m->target, m->source, m->c->element_bytes, &m->c->p, m->arrays.threads);
}

static int clear_target(void *state)
{
    memory *m = state;
    bench_limit_run(BENCH_WRITE, 0, &m->arrays);
    return BMF_OK;
}

static int check_target(void *state)
{
    memory *m = state;
    return check(m, m->target);
}

static int run_in_place(void *state)
{
    memory *m = state;
    return bmf_local_permute_in_place(m->target, m->c->element_bytes, &m->c->p, m->arrays.threads);
}

static int measure_naive(memory *m, permute_case *c)
{
    const double begin = bmf_seconds(m->ctx);
    bmf_local_permute_naive(m->target, m->source, c->element_bytes, &c->p);
    c->naive_seconds = bmf_seconds(m->ctx) - begin;
    return check(m, m->target);
}

static int measure_case(memory *m, permute_case *c)
{
    m->c = c;
    fill(c, m->source, m->arrays.threads);
    bench_action action[] = {
        {.run = run_memcpy, .state = m},
        {.run = run_stream, .state = m},
        {.before = clear_target, .run = run_engine, .after = check_target, .state = m},
        {.before = run_memcpy, .run = run_in_place, .after = check_target, .state = m},
    };
    double turn[4][m->repeats];
    for (int k = 0; k < 4; k++)
        action[k].turn = turn[k];
    BMF_TRY(bench_measure(m->ctx, m->repeats, c->in_place ? 4 : 3, action));
    c->fractions = bench_ratios(m->repeats, turn[0], turn[2]);
    if (c->in_place)
        c->in_place_fractions = bench_ratios(m->repeats, turn[0], turn[3]);
    c->memcpy_seconds = action[0].seconds.median;
    c->stream_seconds = action[1].seconds.median;
    c->seconds = action[2].seconds.median;
    c->in_place_seconds = c->in_place ? action[3].seconds.median : 0;
    return c->naive ? measure_naive(m, c) : BMF_OK;
}

/* ---- report ---- */

static bool meets_bars(const permute_case *c)
{
    const double bar = c->element_bytes < 8 ? SMALL_BAR : BAR;
    return c->memcpy_seconds >= bar * c->seconds &&
           (!c->in_place || c->memcpy_seconds >= IN_PLACE_BAR * c->in_place_seconds) &&
           (!c->naive || c->naive_seconds >= NAIVE_BAR * c->seconds);
}

static void print_case(const permute_case *c, double bytes)
{
    printf("%-14s %5lld %9.2f %6.1f %9.2f  %.2f-%.2f %9.2f", c->name, (long long)c->element_bytes, 1e3 * c->seconds,
           2e-9 * bytes / c->seconds, c->memcpy_seconds / c->seconds, c->fractions.lower, c->fractions.upper,
           c->stream_seconds / c->seconds);
    if (c->in_place)
        printf(" %9.2f", c->memcpy_seconds / c->in_place_seconds);
    else
        printf(" %9s", "-");
    if (c->naive)
        printf(" %7.1f", c->naive_seconds / c->seconds);
    else
        printf(" %7s", "-");
    printf("%s\n", meets_bars(c) ? "" : "  below the bar");
}

static json_t *json_of(const permute_case *c)
{
    return json_pack("{s:s, s:i, s:I, s:f, s:f, s:f, s:f, s:f, s:f, s:[f, f]}", "name", c->name, "bits", c->p.bits,
                     "elem", (json_int_t)c->element_bytes, "seconds", c->seconds, "memcpy_seconds", c->memcpy_seconds,
                     "stream_seconds", c->stream_seconds, "in_place_seconds", c->in_place_seconds, "naive_seconds",
                     c->naive_seconds, "fraction_of_memcpy", c->memcpy_seconds / c->seconds, "fraction_quartiles",
                     c->fractions.lower, c->fractions.upper);
}

static int print_json(const options *o, int threads, int count, const permute_case *cases)
{
    json_t *rows = json_array();
    for (int k = 0; k < count; k++)
        if (bench_permute_chosen(o, cases[k].name))
            json_array_append_new(rows, json_of(&cases[k]));
    return json_print(json_pack("{s:o, s:i, s:i, s:i, s:b, s:o}", "machine", bench_machine_json(), "bits", o->bits,
                                "threads", threads, "repeats", o->repeats, "verified", 1, "rows", rows),
                      BMF_JSON_INDENT);
}

static void print_heading(const bmf_context *ctx, const options *o, int64_t bytes)
{
    bench_machine_print(stdout);
    printf("%lld MiB, %d threads, median of %d repeats; fractions of the speed of copying\n"
           "%-14s %5s %9s %6s %9s  %9s %9s %9s %7s\n",
           (long long)(bytes >> 20), bmf_threads(ctx), o->repeats, "permutation", "bytes", "ms", "GB/s", "memcpy",
           "quartiles", "stream", "in place", "/naive");
}

static int measure_all(bmf_context *ctx, const options *o, permute_case *cases, int count)
{
    const int64_t bytes = INT64_C(8) << o->bits;
    bmf_buffer *source = buffer_create(bytes), *target = buffer_create(bytes);
    int status = source && target ? BMF_OK : bmf_fail(ctx, BMF_ERROR_MEMORY, "no memory for 2^%d words twice", o->bits);
    if (status == BMF_OK) {
        memory m = {.ctx = ctx,
                    .arrays = {source->data, target->data, bytes, bmf_threads(ctx)},
                    .source = source->data,
                    .target = target->data,
                    .repeats = o->repeats};
        if (!o->json)
            print_heading(ctx, o, bytes);
        for (int k = 0; k < count && status == BMF_OK; k++) {
            if (!bench_permute_chosen(o, cases[k].name))
                continue;
            status = measure_case(&m, &cases[k]);
            if (status == BMF_OK && !o->json)
                print_case(&cases[k], (double)bytes);
        }
    }
    buffer_release(source);
    buffer_release(target);
    buffer_trim();
    return status;
}

static int run(bmf_context *ctx, void *values, const bmf_operands *operands)
{
    static permute_case cases[MAX_CASES];
    options *o = values;
    (void)operands;
    if (o->bits == 0)
        o->bits = bmf_ranks(ctx) > 1 ? DEFAULT_RANKS_BITS : DEFAULT_BITS;
    if (bmf_ranks(ctx) > 1) {
        BMF_CHECK(bench_permute_ranks(ctx, o));
        return 0;
    }
    const int count = list_cases(o->bits, cases);
    BMF_CHECK(measure_all(ctx, o, cases, count));
    return o->json ? print_json(o, bmf_threads(ctx), count, cases) : 0;
}

/* ---- options ---- */

static const char *const families[] = {"bitrev", "transpose", "gray", "shuffle", "random", "randombpc"};

static bool is_family(const char *name)
{
    for (size_t k = 0; k < sizeof families / sizeof *families; k++)
        if (strcmp(families[k], name) == 0)
            return true;
    return false;
}

static int read_only(const char *text, void *field)
{
    return read_names(text, is_family, field);
}

bool bench_permute_chosen(const bench_permute_options *o, const char *name)
{
    char family[NAME];
    snprintf(family, sizeof family, "%.*s", (int)strcspn(name, ": "), name);
    return !o->only || is_listed(o->only, family);
}

static const bmf_option table[] = {
    BMF_OPTION("bits", "N", BMF_WHOLE(options, bits, MIN_BITS, MAX_BITS),
               "of addresses, 10 to 32; default: 27 on one rank, 24 on several"),
    BMF_OPTION("repeats", "K", BMF_WHOLE(options, repeats, 1, MAX_REPEATS), "turns of which the medians are taken"),
    BMF_OPTION("only", "NAME,..", BMF_OTHER(options, only, read_only),
               "only these: bitrev, transpose, gray, shuffle, random, randombpc"),
    BMF_OPTION("link-mbit", "L", BMF_REAL(options, link_mbit, MAX_MBIT),
               "what the link of every rank carries each way, in 10^6 bits a second: prints the limit"),
    BMF_OPTION("json", NULL, BMF_FLAG(options, json), "one JSON object instead of the table"),
    BMF_OPTION_END};

static const options defaults = {.repeats = DEFAULT_REPEATS};

const bmf_driver bench_permute = {
    .name = "permute",
    .summary = "permutations in memory beside memcpy and the naive loop",
    .synopsis = BMF_MPIRUN_NAME " -n RANKS bmf-bench permute [OPTION]..",
    .about =
        "On one rank: times permutations of 2^N words of 8 bytes in memory, and of as many bytes in elements of other "
        "sizes, beside memcpy, streaming stores and the naive loop on one thread. On several ranks: times the methods "
        "of permutations between them, beside MPI_Alltoallv. Checks every element.",
    .example = "bmf-bench permute --bits 24 --bmf-threads 2",
    .exit_code = "0, 1 if a result was wrong, 2 for bad options. A missed bar is marked, and is no failure.",
    .note = "Columns on one rank: milliseconds; 2 N bytes a second; fraction of memcpy and its quartiles turn by "
            "turn; fraction of streaming; that of memcpy for the permutation in place; how many times faster than the "
            "naive loop. On several: megabytes that the "
            "busiest rank sends; milliseconds of the limit, of each method, of MPI_Alltoallv and of what trials chose "
            "(auto), its ratio to the fastest, and the quartiles of that turn by turn.",
    .options = table,
    .parallel = true,
    .defaults = &defaults,
    .size = sizeof defaults,
    .run = run};

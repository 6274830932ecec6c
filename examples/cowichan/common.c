/* The run of a Cowichan program: options, errors, rows, random numbers, checks. Files are in npy.c. */
#define _GNU_SOURCE
#include "bmf_mark.h"
#include "common.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *memory(int64_t count, size_t size)
{
    void *const result = calloc((size_t)(count > 0 ? count : 1), size);
    if (!result) {
        fprintf(stderr, "out of memory: %lld elements of %zu bytes\n", (long long)count, size);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return result;
}

_Noreturn static void leave(int code)
{
    MPI_Finalize();
    exit(code);
}

_Noreturn void fail(const struct run *run, int code, const char *format, ...)
{
    if (run->rank == 0) {
        va_list arguments;
        va_start(arguments, format);
        fprintf(stderr, "%s: ", run->program);
        vfprintf(stderr, format, arguments);
        fputc('\n', stderr);
        va_end(arguments);
        fflush(stderr);
    }
    leave(code);
}

void fail_if_root(const struct run *run, int code, const char *error)
{
    int failed = run->rank == 0 && error[0] != '\0';
    MPI_Bcast(&failed, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (failed)
        fail(run, code, "%s", error);
}

/* What every program takes. */
static void common_options(struct run *run, struct option *options)
{
    const struct option common[] = {
        {"n", OPTION_INT, &run->n, "size (20)"},
        {"seed", OPTION_INT, &run->seed, "of random input (681304)"},
        {"threads", OPTION_INT, &run->threads, "OpenMP threads of a rank, where loops over rows have them (1)"},
        {"in", OPTION_TEXT, &run->in, "input, a .npy file (random)"},
        {"out", OPTION_TEXT, &run->out, "output, a .npy file (none)"},
        {"check", OPTION_FLAG, &run->check, "compare with a sequential reference"},
        {"json", OPTION_FLAG, &run->json, "print the line as JSON"},
        {NULL, OPTION_FLAG, NULL, NULL},
    };
    memcpy(options, common, sizeof common);
}

static const struct option *find(const struct option *options, const char *name)
{
    for (; options->name; options++)
        if (strcmp(options->name, name) == 0)
            return options;
    return NULL;
}

static void print_options(const struct option *options)
{
    static const char *const value[] = {" N", " X", " F", ""};
    for (; options->name; options++)
        printf("  --%s%-*s %s\n", options->name, 14 - (int)strlen(options->name), value[options->kind], options->help);
}

static void set_option(const struct run *run, const struct option *option, const char *text)
{
    char *end = NULL;
    errno = 0;
    if (option->kind == OPTION_INT)
        *(int64_t *)option->value = strtoll(text, &end, 10);
    else if (option->kind == OPTION_REAL)
        *(double *)option->value = strtod(text, &end);
    else
        *(const char **)option->value = text;
    if (end && (end == text || *end != '\0' || errno != 0))
        fail(run, 2, "--%s %s: not a number", option->name, text);
}

static void parse(struct run *run, int argc, char **argv, const char *what, const struct option *common,
                  const struct option *own)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--help") == 0) {
            if (run->rank == 0) {
                printf("usage: %s [OPTION..]\n\n%s\n\n", run->program, what);
                print_options(common);
                print_options(own);
                printf("\nExit codes: 0, 1 if the run failed, 2 if what was asked is wrong.\n"
                       "Example: mpirun.mpich -n 2 %s --n 40 --check\n",
                       run->program);
            }
            leave(0);
        }
        const char *const name = strncmp(argv[i], "--", 2) == 0 ? argv[i] + 2 : "";
        const struct option *option = find(common, name);
        if (!option)
            option = find(own, name);
        if (!option)
            fail(run, 2, "unknown option '%s' (see --help)", argv[i]);
        if (option->kind == OPTION_FLAG)
            *(bool *)option->value = true;
        else if (i + 1 == argc)
            fail(run, 2, "%s needs a value", argv[i]);
        else
            set_option(run, option, argv[++i]);
    }
}

struct run run_open(int argc, char **argv, const char *program, const char *what, const struct option *options)
{
    struct run run = {.program = program, .n = 20, .seed = 681304, .threads = 1};
    struct option common[16];
    const struct option none = {NULL, OPTION_FLAG, NULL, NULL};
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &run.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &run.ranks);
    common_options(&run, common);
    parse(&run, argc, argv, what, common, options ? options : &none);
    if (run.n < 1 || run.n > INT32_MAX)
        fail(&run, 2, "--n %lld: a size is from 1 to 2147483647", (long long)run.n);
    if (run.threads < 1 || run.threads > 1024)
        fail(&run, 2, "--threads %lld: from 1 to 1024", (long long)run.threads);
    if (run.seed < 0 || run.seed > UINT32_MAX)
        fail(&run, 2, "--seed %lld: from 0 to 4294967295", (long long)run.seed);
    phase("input");
    return run;
}

enum { MAX_PHASES = 64, PHASE_NAME = 24 };

/* The phases of the parallel part on this rank, in the order in which they first began. */
static struct phases {
    bool counting; /* between run_begin and run_end */
    int count, now;
    double since;
    const char *name[MAX_PHASES];
    double seconds[MAX_PHASES];
} phases = {.now = -1};

static int find_phase(const char *name)
{
    int k = 0;
    while (k < phases.count && strcmp(phases.name[k], name) != 0)
        k++;
    return k;
}

static void end_phase(void)
{
    const double time = MPI_Wtime();
    if (phases.counting && phases.now >= 0)
        phases.seconds[phases.now] += time - phases.since;
    phases.since = time;
    phases.now = -1;
}

void phase(const char *name)
{
    bmf_phase(name);
    end_phase();
    const int k = find_phase(name);
    if (!phases.counting || k == MAX_PHASES)
        return;
    if (k == phases.count)
        phases.name[phases.count++] = name;
    phases.now = k;
}

void run_begin(struct run *run)
{
    bmf_value("n", (double)run->n);
    MPI_Barrier(MPI_COMM_WORLD);
    phases.counting = true;
    run->seconds = -MPI_Wtime();
}

void run_end(struct run *run)
{
    run->seconds += MPI_Wtime();
    end_phase();
    phases.counting = false;
}

/* Rank 0, which is never without rows, has all phases; slowest[k]: of its phase k, on rank 0. */
static void slowest_phases(double slowest[MAX_PHASES])
{
    int count = phases.count;
    double own[MAX_PHASES] = {0};
    MPI_Bcast(&count, 1, MPI_INT, 0, MPI_COMM_WORLD);
    for (int k = 0; k < count; k++) {
        char name[PHASE_NAME] = "";
        if (k < phases.count)
            snprintf(name, sizeof name, "%s", phases.name[k]);
        MPI_Bcast(name, PHASE_NAME, MPI_CHAR, 0, MPI_COMM_WORLD);
        const int mine = find_phase(name);
        own[k] = mine < phases.count ? phases.seconds[mine] : 0;
    }
    MPI_Reduce(own, slowest, count, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
}

static void print_object(const struct run *run, double seconds, const double *slowest, uint64_t checksum)
{
    printf("{\"program\": \"%s\", \"n\": %lld, \"p\": %d, \"seconds\": %.9g, \"phases\": {", run->program,
           (long long)run->n, run->ranks, seconds);
    for (int k = 0; k < phases.count; k++)
        printf("%s\"%s\": %.9g", k > 0 ? ", " : "", phases.name[k], slowest[k]);
    printf("}, \"checksum\": \"%016llx\"}\n", (unsigned long long)checksum);
}

int run_close(struct run *run, uint64_t checksum)
{
    double seconds, slowest[MAX_PHASES];
    MPI_Reduce(&run->seconds, &seconds, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (run->json)
        slowest_phases(slowest);
    if (run->rank == 0 && run->json)
        print_object(run, seconds, slowest, checksum);
    else if (run->rank == 0)
        printf("%s n %lld p %d seconds %.6f checksum %016llx\n", run->program, (long long)run->n, run->ranks, seconds,
               (unsigned long long)checksum);
    const bool printed = fflush(stdout) == 0;
    bmf_phase_end();
    MPI_Finalize();
    return printed ? 0 : 1;
}

struct deal deal_evenly(int64_t n, int ranks)
{
    struct deal deal = {ranks, memory(ranks, sizeof(int)), memory(ranks, sizeof(int))};
    for (int r = 0, first = 0; r < ranks; first += deal.count[r++]) {
        deal.count[r] = (int)(n / ranks) + (r < n % ranks);
        deal.first[r] = first;
    }
    return deal;
}

struct deal deal_counted(int64_t count, int ranks)
{
    struct deal deal = {ranks, memory(ranks, sizeof(int)), memory(ranks, sizeof(int))};
    const int own = (int)count;
    MPI_Allgather(&own, 1, MPI_INT, deal.count, 1, MPI_INT, MPI_COMM_WORLD);
    for (int r = 1; r < ranks; r++)
        deal.first[r] = deal.first[r - 1] + deal.count[r - 1];
    return deal;
}

int deal_owner(const struct deal *deal, int row)
{
    int r = 0;
    while (row >= deal->first[r] + deal->count[r])
        r++;
    return r;
}

struct matrix matrix_make_dealt(const struct run *run, int64_t columns, enum kind kind, struct deal deal)
{
    const int last = deal.ranks - 1;
    struct matrix matrix = {.rows = deal.first[last] + deal.count[last], .columns = (int)columns, .deal = deal};
    matrix.first = deal.first[run->rank];
    matrix.count = deal.count[run->rank];
    const int64_t cells = (int64_t)matrix.count * columns;
    if (kind == INTS)
        matrix.ints = memory(cells, sizeof(int32_t));
    else
        matrix.reals = memory(cells, sizeof(double));
    return matrix;
}

struct matrix matrix_make(const struct run *run, int64_t rows, int64_t columns, enum kind kind)
{
    if (rows * columns > INT32_MAX)
        fail(run, 2, "%lld x %lld cells are more than 2147483647", (long long)rows, (long long)columns);
    return matrix_make_dealt(run, columns, kind, deal_evenly(rows, run->ranks));
}

void matrix_free(struct matrix *matrix)
{
    free(matrix->deal.count);
    free(matrix->deal.first);
    free(matrix->ints);
    free(matrix->reals);
    *matrix = (struct matrix){0};
}

int32_t *int_row(const struct matrix *matrix, int i)
{
    return matrix->ints + (int64_t)(i - matrix->first) * matrix->columns;
}

double *real_row(const struct matrix *matrix, int i)
{
    return matrix->reals + (int64_t)(i - matrix->first) * matrix->columns;
}

static uint64_t mixed(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

uint64_t matrix_checksum(const struct matrix *matrix)
{
    uint64_t sum = 0, total;
    const uint64_t first = (uint64_t)matrix->first * (uint64_t)matrix->columns;
    const uint64_t cells = (uint64_t)matrix->count * (uint64_t)matrix->columns;
    for (uint64_t i = 0; i < cells; i++) {
        uint64_t bits = 0;
        if (matrix->ints)
            bits = (uint64_t)matrix->ints[i];
        else
            memcpy(&bits, &matrix->reals[i], sizeof bits);
        sum += mixed(mixed(first + i + 1) ^ bits);
    }
    MPI_Allreduce(&sum, &total, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return total;
}

/* The first element of `cells` that differs; -1 if none. */
static int64_t first_difference(const struct matrix *matrix, const void *whole, const void *expected, double tolerance)
{
    const int64_t cells = (int64_t)matrix->rows * matrix->columns;
    if (matrix->ints || tolerance == 0) {
        const size_t size = matrix->ints ? sizeof(int32_t) : sizeof(double);
        for (int64_t i = 0; i < cells; i++)
            if (memcmp((const char *)whole + size * (size_t)i, (const char *)expected + size * (size_t)i, size) != 0)
                return i;
        return -1;
    }
    const double *const a = whole, *const b = expected;
    double largest = 0;
    for (int64_t i = 0; i < cells; i++)
        largest = fmax(largest, fabs(b[i]));
    for (int64_t i = 0; i < cells; i++)
        if (!(fabs(a[i] - b[i]) <= tolerance * largest))
            return i;
    return -1;
}

void check_equal(const struct run *run, const char *what, const struct matrix *matrix, void *expected, double tolerance)
{
    void *const whole = matrix_gather(run, matrix);
    char error[200] = "";
    if (run->rank == 0) {
        const int64_t i = first_difference(matrix, whole, expected, tolerance);
        if (i >= 0)
            snprintf(error, sizeof error, "check: %s differs from the sequential reference in row %lld, column %lld",
                     what, (long long)(i / matrix->columns), (long long)(i % matrix->columns));
    }
    free(whole);
    free(expected);
    fail_if_root(run, 1, error);
}

double *matrix_to_all(const struct matrix *matrix)
{
    MPI_Datatype row;
    double *const whole = memory((int64_t)matrix->rows * matrix->columns, sizeof(double));
    MPI_Type_contiguous(matrix->columns, MPI_DOUBLE, &row);
    MPI_Type_commit(&row);
    MPI_Allgatherv(matrix->reals, matrix->count, row, whole, matrix->deal.count, matrix->deal.first, row,
                   MPI_COMM_WORLD);
    MPI_Type_free(&row);
    return whole;
}

uint32_t random_jump(uint32_t r, uint64_t k)
{
    uint32_t a = 1664525u, b = 1013904223u;
    for (; k > 0; k >>= 1) {
        if (k & 1)
            r = a * r + b;
        b = a * b + b;
        a *= a;
    }
    return r;
}

struct matrix random_matrix(const struct run *run, int64_t n)
{
    struct matrix matrix = matrix_make(run, n, n, INTS);
    const int64_t cells = (int64_t)matrix.count * n;
    uint32_t r = random_jump((uint32_t)run->seed, (uint64_t)matrix.first * (uint64_t)n);
    for (int64_t i = 0; i < cells; i++) {
        r = random_next(r);
        matrix.ints[i] = (int32_t)((uint64_t)r * RANDOM_VALUES >> 32);
    }
    return matrix;
}

struct matrix random_reals(const struct run *run, int64_t rows, int columns, uint32_t seed)
{
    struct matrix matrix = matrix_make(run, rows, columns, REALS);
    const int64_t cells = (int64_t)matrix.count * columns;
    uint32_t r = random_jump(seed, (uint64_t)matrix.first * (uint64_t)columns);
    for (int64_t i = 0; i < cells; i++) {
        r = random_next(r);
        matrix.reals[i] = r / 4294967296.0;
    }
    return matrix;
}

void system_open(struct run *run, const char *vector_path, struct matrix *a, struct matrix *b)
{
    const int64_t m = 5 * run->n / 2;
    if (!run->in != !vector_path)
        fail(run, 2, "--in and --vector belong together");
    if (run->in) {
        *a = matrix_read(run, run->in, REALS, 0);
        *b = matrix_read(run, vector_path, REALS, 1);
        if (b->rows != a->rows)
            fail(run, 2, "%s has %d elements, %s has %d rows", vector_path, b->rows, run->in, a->rows);
        run->n = a->rows;
        return;
    }
    *a = random_reals(run, m, (int)(m < INT32_MAX ? m : INT32_MAX), (uint32_t)run->seed);
    for (int i = a->first; i < a->first + a->count; i++)
        real_row(a, i)[i] = (double)m;
    *b = random_reals(run, m, 1, (uint32_t)run->seed + 1);
}

void output(const struct run *run, const struct matrix *matrix)
{
    phase("output");
    if (run->out)
        matrix_write(run, run->out, matrix);
}

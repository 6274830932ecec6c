/* Typical times of kernels from several runs; method and source in the header. */
#include "predict/model/measurements.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/base/hash.h"
#include "runtime/base/table.h"

static const double min_seconds = 1e-9;    /* a tick: no time below it is known */
static const double median_error = 1.2533; /* standard error of a median over that of a mean, normal noise */
enum { FIRST_EQUATION = 1, FEW_RUNS = 3 };

/* Kernels, and what is copied around messages. */
static bool is_measured(const bmf_action *action)
{
    return (action->kind == BMF_ACTION_COMPUTE && action->message == 0) ||
           (action->kind == BMF_ACTION_OVERHEAD && action->amount > 0);
}

/* ---- runs ---- */

static uint64_t add_shape(uint64_t shape, const bmf_actions *actions, const bmf_action *action)
{
    shape = hash_add(shape, (uint64_t)action->processor);
    shape = hash_add(shape, actions->scope[action->scope].node);
    shape = hash_add(shape, action->name);
    return hash_add(shape, (uint64_t)action->amount);
}

static void make_room(bmf_measurements *all, int64_t runs)
{
    all->seconds =
        reallocate_array(all->seconds, all->runs * all->kernels, runs * all->kernels, (int64_t)sizeof(double));
}

bool measurements_add(bmf_measurements *all, const bmf_actions *actions)
{
    uint64_t shape = 0;
    int64_t kernels = 0;
    for (int64_t k = 0; k < actions->count; k++)
        if (is_measured(&actions->action[k])) {
            shape = add_shape(shape, actions, &actions->action[k]);
            kernels++;
        }
    const bool same = all->runs == 0 || (all->shape == shape && all->kernels == kernels);
    if (!same)
        measurements_free(all);
    all->shape = shape;
    all->kernels = kernels;
    make_room(all, all->runs + 1);
    double *seconds = all->seconds + all->runs++ * kernels;
    for (int64_t k = 0; k < actions->count; k++)
        if (is_measured(&actions->action[k]))
            *seconds++ = actions->action[k].seconds;
    return same;
}

void measurements_free(bmf_measurements *all)
{
    free(all->seconds);
    *all = (bmf_measurements){0};
}

/* The runs that count. */
static int64_t first_run(const bmf_measurements *all)
{
    return all->runs > 2 ? 1 : 0;
}

static double seconds_of(const bmf_measurements *all, int64_t run, int64_t kernel)
{
    return fmax(all->seconds[run * all->kernels + kernel], min_seconds);
}

/* Logarithms of the runs' computing, less their median; runs[] has one for each that counts. Returns how many. */
static int64_t run_factors(const bmf_measurements *all, double factor[BMF_MEASURED_MAX])
{
    const int64_t first = first_run(all), runs = all->runs - first;
    double sorted[BMF_MEASURED_MAX];
    for (int64_t r = 0; r < runs; r++) {
        double sum = 0.0;
        for (int64_t k = 0; k < all->kernels; k++)
            sum += seconds_of(all, first + r, k);
        factor[r] = sorted[r] = log(fmax(sum, min_seconds));
    }
    const double middle = gsl_stats_median(sorted, 1, (size_t)runs);
    for (int64_t r = 0; r < runs; r++)
        factor[r] -= middle;
    return runs;
}

double measurements_error(const bmf_measurements *all)
{
    double factor[BMF_MEASURED_MAX];
    if (all->kernels == 0)
        return 0.0;
    if (all->runs < FEW_RUNS)
        return INFINITY;
    const int64_t runs = run_factors(all, factor);
    return median_error * gsl_stats_sd(factor, 1, (size_t)runs) / sqrt((double)runs);
}

/* ---- typical times ---- */

typedef struct typical {
    int64_t action;
    uint32_t node;
    uint16_t name;
    int64_t amount;
    double middle;  /* logarithm of the median */
    double squares; /* of what the logarithms of single times are off it, without what their runs share */
} typical;

static bool same_work(const typical *a, const typical *b)
{
    return a->node == b->node && a->name == b->name && a->amount == b->amount;
}

/* Kinds of work: the first kernel of each. */
typedef struct work_kinds {
    const typical *kernel;
    int64_t *first, *count, kinds, capacity;
    bmf_table table;
} work_kinds;

typedef struct wanted_work {
    const work_kinds *kinds;
    const typical *kernel;
} wanted_work;

static bool is_kind(const void *wanted, uint32_t number)
{
    const wanted_work *w = wanted;
    return same_work(&w->kinds->kernel[w->kinds->first[number]], w->kernel);
}

static uint32_t kind_of(work_kinds *kinds, int64_t k)
{
    const typical *kernel = &kinds->kernel[k];
    const uint64_t hash = hash_add(hash_add(hash_add(0, kernel->node), kernel->name), (uint64_t)kernel->amount);
    table_make_room(&kinds->table, kinds->kinds + 1);
    const uint32_t kind =
        table_find_or_add(&kinds->table, hash, is_kind, &(wanted_work){kinds, kernel}, (uint32_t)kinds->kinds);
    if (kind == kinds->kinds) {
        int64_t capacity = kinds->capacity;
        ARRAY_RESERVE(kinds->first, kinds->capacity, kinds->kinds + 1);
        ARRAY_RESERVE(kinds->count, capacity, kinds->kinds + 1);
        kinds->first[kinds->kinds] = k;
        kinds->count[kinds->kinds++] = 0;
    }
    return kind;
}

/* Puts kernels of the same work together; those of a kind stay in their order. */
static typical *group_by_work(typical *kernel, int64_t count)
{
    work_kinds kinds = {.kernel = kernel};
    uint32_t *kind = allocate(count * (int64_t)sizeof *kind);
    typical *grouped = allocate(count * (int64_t)sizeof *grouped);
    for (int64_t k = 0; k < count; k++) {
        kind[k] = k > 0 && same_work(&kernel[k], &kernel[k - 1]) ? kind[k - 1] : kind_of(&kinds, k);
        kinds.count[kind[k]]++;
    }
    for (int64_t k = 0, at = 0, next; k < kinds.kinds; k++, at = next) {
        next = at + kinds.count[k];
        kinds.count[k] = at;
    }
    for (int64_t k = 0; k < count; k++)
        grouped[kinds.count[kind[k]]++] = kernel[k];
    table_free(&kinds.table);
    free(kinds.first);
    free(kinds.count);
    free(kind);
    free(kernel);
    return grouped;
}

/* What the times of one kernel in all runs make. */
static void summarise(const bmf_measurements *all, int64_t kernel, const double *factor, typical *made)
{
    const int64_t first = first_run(all), runs = all->runs - first;
    double value[BMF_MEASURED_MAX], sorted[BMF_MEASURED_MAX];
    for (int64_t r = 0; r < runs; r++)
        value[r] = sorted[r] = log(seconds_of(all, first + r, kernel));
    made->middle = gsl_stats_median(sorted, 1, (size_t)runs);
    made->squares = 0.0;
    for (int64_t r = 0; r < runs; r++) {
        const double off = value[r] - made->middle - factor[r];
        made->squares += off * off;
    }
}

/* Processors that do the same (model_use_classes) have the times of a few of them: what these make is kept. */
enum { KEPT = 1024 };

typedef struct kept_kernels {
    int64_t kernel[KEPT]; /* -1: none */
    typical made[KEPT];
} kept_kernels;

static bool same_times(const bmf_measurements *all, int64_t a, int64_t b)
{
    bool same = true;
    for (int64_t r = first_run(all); r < all->runs && same; r++)
        same = seconds_of(all, r, a) == seconds_of(all, r, b);
    return same;
}

static void summarise_once(const bmf_measurements *all, int64_t kernel, const double *factor, kept_kernels *kept,
                           typical *made)
{
    uint64_t bits;
    memcpy(&bits, &all->seconds[(all->runs - 1) * all->kernels + kernel], sizeof bits);
    const uint64_t place = hash_add(0, bits) % KEPT;
    if (kept->kernel[place] >= 0 && same_times(all, kept->kernel[place], kernel)) {
        made->middle = kept->made[place].middle;
        made->squares = kept->made[place].squares;
        return;
    }
    summarise(all, kernel, factor, made);
    kept->kernel[place] = kernel;
    kept->made[place] = *made;
}

static typical *make_typical(const bmf_measurements *all, const bmf_actions *actions, const double *factor)
{
    typical *made = allocate(all->kernels * (int64_t)sizeof *made);
    kept_kernels *kept = allocate((int64_t)sizeof *kept);
    int64_t kernel = 0;
    for (int k = 0; k < KEPT; k++)
        kept->kernel[k] = -1;
    for (int64_t a = 0; a < actions->count; a++) {
        const bmf_action *action = &actions->action[a];
        if (!is_measured(action))
            continue;
        made[kernel] = (typical){
            .action = a, .node = actions->scope[action->scope].node, .name = action->name, .amount = action->amount};
        summarise_once(all, kernel, factor, kept, &made[kernel]);
        kernel++;
    }
    free(kept);
    return group_by_work(made, all->kernels);
}

/* Variance of single times of these kernels around their medians. */
static double own_variance(const typical *kernel, int64_t count, int64_t runs)
{
    double sum = 0.0;
    for (int64_t k = 0; k < count; k++)
        sum += kernel[k].squares;
    return runs > 1 ? sum / (double)(count * (runs - 1)) : 0.0;
}

/* Draws the medians of equal work together, as far as they differ by no more than noise does. */
static void pool(typical *kernel, int64_t count, double noise)
{
    double *middle = allocate(count * (int64_t)sizeof *middle), between = 0.0;
    for (int64_t k = 0; k < count; k++)
        middle[k] = kernel[k].middle;
    const double typical_middle = gsl_stats_median(middle, 1, (size_t)count);
    for (int64_t k = 0; k < count; k++)
        between += (kernel[k].middle - typical_middle) * (kernel[k].middle - typical_middle);
    between /= (double)(count - 1);
    const double kept = between > noise ? 1.0 - noise / between : 0.0;
    for (int64_t k = 0; k < count; k++)
        kernel[k].middle = typical_middle + kept * (kernel[k].middle - typical_middle);
    free(middle);
}

/* What the sampling of normal numbers makes of a standard deviation that few runs have shown: 95 % of the next runs
 * lie within Student's quantile of it. */
static double widened(double variance, int64_t runs)
{
    if (runs < 2)
        return 0.0;
    const double quantile = gsl_cdf_tdist_Pinv(0.975, (double)runs - 1.0) / gsl_cdf_ugaussian_Pinv(0.975);
    return sqrt(variance * (1.0 + 1.0 / (double)runs)) * quantile;
}

void measurements_apply(const bmf_measurements *all, bmf_actions *actions, double unknown)
{
    double factor[BMF_MEASURED_MAX] = {0.0};
    if (all->kernels == 0 || all->runs == 0)
        return;
    const int64_t runs = run_factors(all, factor);
    const double common = runs > 1 ? widened(gsl_stats_variance(factor, 1, (size_t)runs), runs) : unknown;
    typical *kernel = make_typical(all, actions, factor);
    actions->spread.common = sqrt(log1p(common * common));
    for (int64_t begin = 0, end; begin < all->kernels; begin = end) {
        for (end = begin + 1; end < all->kernels && same_work(&kernel[begin], &kernel[end]);)
            end++;
        const double own = own_variance(kernel + begin, end - begin, runs);
        if (end - begin > 1 && runs > 1)
            pool(kernel + begin, end - begin, own * median_error * median_error / (double)runs);
        for (int64_t k = begin; k < end; k++) {
            bmf_action *action = &actions->action[kernel[k].action];
            action->seconds = exp(kernel[k].middle);
            action->own = (float)sqrt(own * (1.0 + 1.0 / (double)runs));
            action->equation = FIRST_EQUATION;
        }
    }
    free(kernel);
}

/* ---- between processes ---- */

typedef struct header {
    char magic[16];
    uint64_t shape;
    int64_t kernels;
} header;

static const char magic[16] = "bmf measured 1\n";

bool measurements_append(const bmf_measurements *all, const char *path)
{
    header head = {.shape = all->shape, .kernels = all->kernels};
    FILE *file = fopen(path, "ab");
    memcpy(head.magic, magic, sizeof magic);
    if (!file)
        return false;
    const double *last = all->seconds + (all->runs - 1) * all->kernels;
    bool right = fwrite(&head, sizeof head, 1, file) == 1;
    right = fwrite(last, sizeof *last, (size_t)all->kernels, file) == (size_t)all->kernels && right;
    return fclose(file) == 0 && right;
}

/* The bytes that the file still has. */
static int64_t rest_of(FILE *file)
{
    const long at = ftell(file);
    fseek(file, 0, SEEK_END);
    const long end = ftell(file);
    fseek(file, at, SEEK_SET);
    return end - at;
}

static bool read_run(bmf_measurements *all, const header *head, FILE *file)
{
    if (memcmp(head->magic, magic, sizeof magic) != 0 || head->kernels < 0 || all->runs >= BMF_MEASURED_MAX - 1 ||
        head->kernels > rest_of(file) / (int64_t)sizeof(double))
        return false;
    if (all->runs > 0 && (head->shape != all->shape || head->kernels != all->kernels))
        measurements_free(all);
    all->shape = head->shape;
    all->kernels = head->kernels;
    make_room(all, all->runs + 1);
    double *seconds = all->seconds + all->runs++ * all->kernels;
    if (fread(seconds, sizeof *seconds, (size_t)all->kernels, file) != (size_t)all->kernels)
        return false;
    for (int64_t k = 0; k < all->kernels; k++)
        if (!(seconds[k] >= 0.0 && isfinite(seconds[k])))
            return false;
    return true;
}

bool measurements_read(bmf_measurements *all, const char *path)
{
    header head;
    bool right = true;
    FILE *file = fopen(path, "rb");
    if (!file)
        return true;
    while (right && fread(&head, 1, sizeof head, file) == sizeof head)
        right = read_run(all, &head, file);
    fclose(file);
    return right;
}

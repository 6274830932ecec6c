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

static uint64_t add_kernel(uint64_t shape, const bmf_actions *actions, const bmf_action *action)
{
    const uint64_t processor = (uint64_t)(uint32_t)action->processor, node = actions->scope[action->scope].node;
    shape = hash_add(shape, processor << 32 | node);
    return hash_add(shape, (uint64_t)action->amount ^ (uint64_t)action->name << 48);
}

/* Which of the slices are whose. */
static uint64_t add_families(uint64_t shape, const bmf_actions *actions)
{
    for (int64_t k = 0; k < actions->members; k++)
        shape = hash_add(shape,
                         (uint64_t)(uint32_t)actions->member[k].processor << 32 | (uint32_t)actions->member[k].slice);
    for (int64_t e = 0; e < actions->entries; e++)
        if (actions->entry[e].kind == BMF_ENTRY_FAMILY)
            shape = hash_add(hash_add(shape, (uint64_t)actions->entry[e].begin), (uint64_t)actions->entry[e].number);
    return shape;
}

static void make_room(bmf_measurements *all, int64_t runs)
{
    all->seconds =
        reallocate_array(all->seconds, all->runs * all->kernels, runs * all->kernels, (int64_t)sizeof(double));
}

/* For how many processors each kernel stands, from now on. */
static void count_copies(bmf_measurements *all, const bmf_actions *actions)
{
    int64_t *copies = actions_copies(actions), kernels = 0;
    for (int64_t k = 0; k < actions->stored_count; k++)
        if (is_measured(&actions->stored[k]))
            copies[kernels++] = copies[k];
    free(all->copies);
    all->copies = copies;
}

/* The first run warms memory. */
static void see_shares(bmf_measurements *all, const bmf_actions *actions)
{
    int64_t kernel = 0;
    if (!actions->shares)
        return;
    if (!all->shares || all->runs <= 2) {
        free(all->shares);
        all->shares = allocate_clear(all->kernels, (int64_t)sizeof *all->shares);
    }
    for (int64_t k = 0; k < actions->stored_count; k++)
        if (is_measured(&actions->stored[k]))
            thread_shares_see(&all->shares[kernel++], &actions->shares[k]);
}

static double seconds_alone(const bmf_actions *actions, int64_t k)
{
    const bool shared = actions->shares && actions->shares[k].pieces > 0;
    return shared ? (double)actions->shares[k].seconds : actions->stored[k].seconds;
}

bool measurements_add(bmf_measurements *all, const bmf_actions *actions)
{
    uint64_t shape = add_families(0, actions);
    int64_t kernels = 0;
    for (int64_t k = 0; k < actions->stored_count; k++)
        if (is_measured(&actions->stored[k])) {
            shape = add_kernel(shape, actions, &actions->stored[k]);
            kernels++;
        }
    const bool same = all->runs == 0 || (all->shape == shape && all->kernels == kernels);
    if (!same)
        measurements_free(all);
    all->shape = shape;
    all->kernels = kernels;
    count_copies(all, actions);
    make_room(all, all->runs + 1);
    double *seconds = all->seconds + all->runs++ * kernels;
    for (int64_t k = 0; k < actions->stored_count; k++)
        if (is_measured(&actions->stored[k]))
            *seconds++ = seconds_alone(actions, k);
    see_shares(all, actions);
    return same;
}

void measurements_free(bmf_measurements *all)
{
    free(all->seconds);
    free(all->copies);
    free(all->shares);
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

static int64_t copies_of(const bmf_measurements *all, int64_t kernel)
{
    return all->copies ? all->copies[kernel] : 1;
}

/* Logarithms of the runs' computing, less their median; runs[] has one for each that counts. Returns how many. */
static int64_t run_factors(const bmf_measurements *all, double factor[BMF_MEASURED_MAX])
{
    const int64_t first = first_run(all), runs = all->runs - first;
    double sorted[BMF_MEASURED_MAX];
    for (int64_t r = 0; r < runs; r++) {
        double sum = 0.0;
        for (int64_t k = 0; k < all->kernels; k++)
            sum += (double)copies_of(all, k) * seconds_of(all, first + r, k);
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

/* A kernel in all runs. */
typedef struct typical {
    int64_t kernel, copies;
    int64_t amount;
    uint32_t node;
    uint16_t name;
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
static void summarise(const bmf_measurements *all, const double *factor, typical *made)
{
    const int64_t first = first_run(all), runs = all->runs - first;
    double value[BMF_MEASURED_MAX], sorted[BMF_MEASURED_MAX];
    for (int64_t r = 0; r < runs; r++)
        value[r] = sorted[r] = log(seconds_of(all, first + r, made->kernel));
    made->middle = gsl_stats_median(sorted, 1, (size_t)runs);
    made->squares = 0.0;
    for (int64_t r = 0; r < runs; r++) {
        const double off = value[r] - made->middle - factor[r];
        made->squares += off * off;
    }
}

/* Kernels of the same work behind each other. */
static typical *find_typical(const bmf_measurements *all, const bmf_actions *actions, const double *factor)
{
    typical *found = allocate_array(all->kernels, (int64_t)sizeof *found);
    int64_t kernel = 0;
    for (int64_t k = 0; k < actions->stored_count; k++) {
        const bmf_action *action = &actions->stored[k];
        if (!is_measured(action))
            continue;
        found[kernel] = (typical){.kernel = kernel,
                                  .copies = copies_of(all, kernel),
                                  .node = actions->scope[action->scope].node,
                                  .name = action->name,
                                  .amount = action->amount};
        summarise(all, factor, &found[kernel++]);
    }
    return group_by_work(found, all->kernels);
}

static int64_t count_kernels(const typical *kernel, int64_t count)
{
    int64_t kernels = 0;
    for (int64_t k = 0; k < count; k++)
        kernels += kernel[k].copies;
    return kernels;
}

/* Variance of single times of these kernels around their medians. */
static double own_variance(const typical *kernel, int64_t count, int64_t runs)
{
    double sum = 0.0;
    for (int64_t k = 0; k < count; k++)
        sum += (double)kernel[k].copies * kernel[k].squares;
    return runs > 1 ? sum / (double)(count_kernels(kernel, count) * (runs - 1)) : 0.0;
}

static int by_middle(const void *a, const void *b)
{
    const typical *x = a, *y = b;
    return x->middle < y->middle ? -1 : x->middle > y->middle;
}

/* That of the kernel with this number among all of them. */
static double middle_of(const typical *sorted, int64_t number)
{
    while (number >= sorted->copies)
        number -= sorted++->copies;
    return sorted->middle;
}

/* Draws the medians of equal work together, as far as they differ by no more than noise does. */
static void pool(typical *kernel, int64_t count, double noise)
{
    const int64_t kernels = count_kernels(kernel, count);
    double between = 0.0;
    qsort(kernel, (size_t)count, sizeof *kernel, by_middle);
    const double typical_middle = (middle_of(kernel, (kernels - 1) / 2) + middle_of(kernel, kernels / 2)) / 2.0;
    for (int64_t k = 0; k < count; k++) {
        const double off = kernel[k].middle - typical_middle;
        between += (double)kernel[k].copies * off * off;
    }
    between = kernels > 1 ? between / (double)(kernels - 1) : 0.0;
    const double kept = between > noise ? 1.0 - noise / between : 0.0;
    for (int64_t k = 0; k < count; k++)
        kernel[k].middle = typical_middle + kept * (kernel[k].middle - typical_middle);
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

/* What a kernel takes, and the error of one call. */
typedef struct estimate {
    double seconds;
    float own;
} estimate;

/* Of kernels of the same work. */
static void estimate_work(typical *kernel, int64_t count, int64_t runs, estimate *by_kernel)
{
    const double own = own_variance(kernel, count, runs);
    if (runs > 1)
        pool(kernel, count, own * median_error * median_error / (double)runs);
    for (int64_t k = 0; k < count; k++)
        by_kernel[kernel[k].kernel] = (estimate){exp(kernel[k].middle), (float)sqrt(own * (1.0 + 1.0 / (double)runs))};
}

static estimate *estimate_all(typical *found, int64_t count, int64_t runs)
{
    estimate *by_kernel = allocate_array(count, (int64_t)sizeof *by_kernel);
    for (int64_t begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && same_work(&found[begin], &found[end]);)
            end++;
        estimate_work(found + begin, end - begin, runs, by_kernel);
    }
    return by_kernel;
}

void measurements_apply(const bmf_measurements *all, bmf_actions *actions, double unknown)
{
    double factor[BMF_MEASURED_MAX] = {0.0};
    if (all->kernels == 0 || all->runs == 0)
        return;
    const int64_t runs = run_factors(all, factor);
    const double common = runs > 1 ? widened(gsl_stats_variance(factor, 1, (size_t)runs), runs) : unknown;
    actions->spread.common = sqrt(log1p(common * common));
    typical *found = find_typical(all, actions, factor);
    estimate *by_kernel = estimate_all(found, all->kernels, runs);
    for (int64_t k = 0, kernel = 0; k < actions->stored_count; k++) {
        bmf_action *action = &actions->stored[k];
        if (!is_measured(action))
            continue;
        if (all->shares && actions->shares)
            thread_shares_settle(&all->shares[kernel], &actions->shares[k]);
        action->seconds = by_kernel[kernel].seconds;
        action->own = by_kernel[kernel++].own;
        action->equation = FIRST_EQUATION;
    }
    actions_forget_list(actions);
    free(by_kernel);
    free(found);
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

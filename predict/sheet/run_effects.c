/* Variance components of runs; method and source in the header. */
#include "predict/sheet/run_effects.h"

#include <math.h>
#include <stdlib.h>

#include "predict/statistics/distribution.h"
#include "predict/statistics/sample.h"
#include "runtime/base/allocate.h"

static const double tick = 50e-9;         /* no time is known better */
static const double limit = 4.0;          /* robust standard deviations: what is farther off counts as that */
static const double normal_mad = 1.4826;  /* standard deviation over median absolute deviation, normal noise */
static const double tells_apart = 0.1;    /* of the pairs of operations, by time: less cannot tell run and operation */
static const double max_freedom = 1000.0; /* as many as any quantile needs */

/* The times of one operation in one run. */
typedef struct cell {
    int32_t session, size, run, operation;
    bool computing;
    int64_t times;
    double seconds, usual;
    double mean;    /* of the logarithms, those far off drawn in */
    double squares; /* of these around it */
    double weights; /* sum of squares of the events' shares of `usual` */
    double off;     /* logarithm of seconds over usual, less the mean of its session and size */
    double share;   /* of the computing of its size */
} cell;

typedef struct cells {
    int64_t count;
    cell *cell;
} cells;

/* Sums for one operation over its groups, which are the runs of one size and session. */
typedef struct pooled {
    double squares, freedom; /* of `off` */
    double events, event_freedom;
    double weights, weighted; /* mean of cell.weights */
} pooled;

static double ratio_of(const bmf_run_time *t)
{
    return log(fmax(t->seconds, tick) / fmax(t->usual, tick));
}

/* ---- cells ---- */

static int by_cell(const void *a, const void *b)
{
    const bmf_run_time *x = a, *y = b;
    if (x->operation != y->operation)
        return x->operation < y->operation ? -1 : 1;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    if (x->session != y->session)
        return x->session < y->session ? -1 : 1;
    return (x->run > y->run) - (x->run < y->run);
}

static bool same_cell(const bmf_run_time *a, const bmf_run_time *b)
{
    return a->operation == b->operation && a->run == b->run && a->size == b->size;
}

/* The middle of the logarithms of an operation at one size, and how far from it they count. */
static void find_limits(const bmf_run_time *time, int64_t count, double *middle, double *farthest)
{
    double *value = allocate_array(count, (int64_t)sizeof *value);
    for (int64_t k = 0; k < count; k++)
        value[k] = ratio_of(&time[k]);
    *middle = sample_median(value, count);
    for (int64_t k = 0; k < count; k++)
        value[k] = fabs(value[k] - *middle);
    *farthest = limit * normal_mad * sample_median(value, count);
    if (!(*farthest > 0.0))
        *farthest = INFINITY; /* more than half are equal: nothing says how far is too far */
    free(value);
}

static void fill_cell(const bmf_run_time *time, int64_t count, double middle, double farthest, cell *made)
{
    *made = (cell){.session = time->session,
                   .size = time->size,
                   .run = time->run,
                   .operation = time->operation,
                   .computing = time->computing,
                   .times = count};
    double sum = 0.0, squares = 0.0, usual = 0.0;
    for (int64_t k = 0; k < count; k++) {
        const double off = fmax(fmin(ratio_of(&time[k]) - middle, farthest), -farthest);
        const double weight = fmax(time[k].usual, tick);
        sum += off;
        squares += off * off;
        made->seconds += exp(middle + off) * weight;
        usual += weight;
        made->weights += weight * weight;
    }
    made->usual = usual;
    made->weights /= usual * usual;
    made->mean = sum / (double)count;
    made->squares = fmax(squares - sum * made->mean, 0.0);
}

static void make_cells(int64_t count, bmf_run_time *time, cells *made)
{
    if (count > 0)
        qsort(time, (size_t)count, sizeof *time, by_cell);
    *made = (cells){.cell = allocate_array(count, (int64_t)sizeof(cell))};
    for (int64_t begin = 0, end; begin < count; begin = end) {
        double middle, farthest;
        for (end = begin + 1;
             end < count && time[end].operation == time[begin].operation && time[end].size == time[begin].size;)
            end++;
        find_limits(time + begin, end - begin, &middle, &farthest);
        for (int64_t first = begin, last; first < end; first = last) {
            for (last = first + 1; last < end && same_cell(&time[first], &time[last]);)
                last++;
            fill_cell(time + first, last - first, middle, farthest, &made->cell[made->count++]);
        }
    }
}

static bool same_group(const cell *a, const cell *b)
{
    return a->operation == b->operation && a->size == b->size && a->session == b->session;
}

/* ---- operations ---- */

/* The cells of one operation at one size in one session. */
static void pool_group(cell *of, int64_t count, pooled *sum)
{
    double mean = 0.0;
    for (int64_t k = 0; k < count; k++) {
        of[k].off = log(of[k].seconds / of[k].usual);
        mean += of[k].off / (double)count;
        sum->events += of[k].squares;
        sum->event_freedom += (double)(of[k].times - 1);
        sum->weighted += of[k].weights;
        sum->weights += 1.0;
    }
    for (int64_t k = 0; k < count; k++) {
        of[k].off -= mean;
        sum->squares += of[k].off * of[k].off;
    }
    sum->freedom += (double)(count - 1);
}

static pooled *pool_operations(cells *all, int64_t operations)
{
    pooled *sum = allocate_clear(operations, (int64_t)sizeof *sum);
    for (int64_t begin = 0, end; begin < all->count; begin = end) {
        for (end = begin + 1; end < all->count && same_group(&all->cell[begin], &all->cell[end]);)
            end++;
        pool_group(all->cell + begin, end - begin, &sum[all->cell[begin].operation]);
    }
    return sum;
}

static double event_variance(const pooled *sum)
{
    return sum->event_freedom > 0.0 ? sum->events / sum->event_freedom : 0.0;
}

/* Of R of one operation, that of its events taken away. */
static double run_variance(const pooled *sum)
{
    if (!(sum->freedom > 0.0))
        return 0.0;
    return fmax(sum->squares / sum->freedom - event_variance(sum) * sum->weighted / sum->weights, 0.0);
}

/* ---- runs ---- */

typedef struct whole {
    int32_t session, size, run;
    double total;             /* logarithm of its seconds over the usual ones */
    double off, pairs, apart; /* T; sum of s^2; sum of s^2 times the variance of the operation's R */
    double events;            /* sum of s^2 times what events contribute to it */
} whole;

static int by_run(const void *a, const void *b)
{
    const cell *x = a, *y = b;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    if (x->session != y->session)
        return x->session < y->session ? -1 : 1;
    if (x->run != y->run)
        return x->run < y->run ? -1 : 1;
    return (x->operation > y->operation) - (x->operation < y->operation);
}

/* T of every run, in the order of sizes and sessions. */
static whole *find_wholes(cells *all, const pooled *sum, int64_t *runs)
{
    whole *made = allocate_array(all->count, (int64_t)sizeof *made);
    *runs = 0;
    qsort(all->cell, (size_t)all->count, sizeof *all->cell, by_run);
    for (int64_t begin = 0, end; begin < all->count; begin = end) {
        const cell *first = &all->cell[begin];
        double usual = 0.0, seconds = 0.0;
        for (end = begin; end < all->count && all->cell[end].run == first->run && all->cell[end].size == first->size;
             end++) {
            usual += all->cell[end].computing ? all->cell[end].usual : 0.0;
            seconds += all->cell[end].computing ? all->cell[end].seconds : 0.0;
        }
        if (!(usual > 0.0))
            continue;
        whole *run = &made[(*runs)++];
        *run =
            (whole){.session = first->session, .size = first->size, .run = first->run, .total = log(seconds / usual)};
        for (int64_t k = begin; k < end; k++) {
            const cell *of = &all->cell[k];
            const double share = of->usual / usual;
            if (!of->computing)
                continue;
            const pooled *own = &sum[of->operation];
            run->off += share * of->off;
            run->pairs += share * share;
            run->apart += own->freedom > 0.0 ? share * share * own->squares / own->freedom : 0.0;
            run->events += share * share * event_variance(own) * of->weights;
        }
    }
    return made;
}

/* Of the means of sessions; variance: of a run around its session's. */
static double session_variance(const whole *run, int64_t runs, double variance)
{
    double squares = 0.0, freedom = 0.0;
    for (int64_t begin = 0, end = 0; begin < runs; begin = end) {
        double sum = 0.0, sum_of_squares = 0.0, expected = 0.0, sessions = 0.0;
        while (end < runs && run[end].size == run[begin].size) {
            const int64_t first = end;
            double mean = 0.0;
            for (; end < runs && run[end].size == run[first].size && run[end].session == run[first].session; end++)
                mean += run[end].total;
            mean /= (double)(end - first);
            sum += mean;
            sum_of_squares += mean * mean;
            expected += variance / (double)(end - first);
            sessions += 1.0;
        }
        squares += sum_of_squares - sum * sum / sessions - expected * (1.0 - 1.0 / sessions);
        freedom += sessions - 1.0;
    }
    return freedom > 0.0 ? fmax(squares / freedom, 0.0) : 0.0;
}

/* Returns the variance of T around the mean of its size and session. */
static double find_common(const whole *run, int64_t runs, bmf_run_effects *found)
{
    double squares = 0.0, freedom = 0.0, pairs = 0.0, apart = 0.0, events = 0.0;
    for (int64_t begin = 0, end; begin < runs; begin = end) {
        for (end = begin; end < runs && run[end].size == run[begin].size && run[end].session == run[begin].session;
             end++) {
            squares += run[end].off * run[end].off; /* the mean of a group is 0, as that of each operation is */
            pairs += run[end].pairs / (double)runs;
            apart += run[end].apart / (double)runs;
            events += run[end].events / (double)runs;
        }
        freedom += (double)(end - begin - 1);
    }
    found->freedom = fmin(freedom, max_freedom);
    if (!(freedom > 0.0))
        return 0.0;
    const double variance = squares / freedom;
    const double run_only = 1.0 - pairs > tells_apart ? (variance - apart) / (1.0 - pairs) : variance - events;
    found->run = sqrt(fmin(fmax(run_only, 0.0), variance));
    return variance;
}

/* ---- all ---- */

static int64_t count_numbers(int64_t count, const bmf_run_time *time, bmf_run_effects *found)
{
    for (int64_t k = 0; k < count; k++) {
        found->operations = time[k].operation >= found->operations ? time[k].operation + 1 : found->operations;
        found->sessions = time[k].session >= found->sessions ? time[k].session + 1 : found->sessions;
    }
    return found->operations + 1;
}

/* Satterthwaite: few sessions say little of what sessions differ by. */
static void add_sessions(const whole *run, int64_t runs, double variance, bmf_run_effects *found)
{
    const double within = found->run * found->run, between = session_variance(run, runs, variance),
                 both = within + between;
    found->session = sqrt(between);
    if (between > 0.0)
        found->freedom = fmax(
            1.0, both * both / (within * within / found->freedom + between * between / (double)(found->sessions - 1)));
}

void run_effects_find(int64_t count, bmf_run_time *time, bmf_run_effects *found)
{
    cells all;
    *found = (bmf_run_effects){0};
    const int64_t operations = count_numbers(count, time, found);
    bool *computing = allocate_clear(operations, (int64_t)sizeof *computing);
    found->operation = allocate_clear(operations, (int64_t)sizeof *found->operation);
    for (int64_t k = 0; k < count; k++) {
        computing[time[k].operation] = time[k].computing;
        found->operation[time[k].operation].times++;
    }
    make_cells(count, time, &all);
    pooled *sum = pool_operations(&all, operations);
    whole *run = find_wholes(&all, sum, &found->runs);
    add_sessions(run, found->runs, find_common(run, found->runs, found), found);
    for (int64_t k = 0; k < found->operations; k++) {
        const double common = computing[k] ? found->run * found->run : 0.0;
        found->operation[k].event = sqrt(event_variance(&sum[k]));
        found->operation[k].run = sqrt(fmax(run_variance(&sum[k]) - common, 0.0));
    }
    free(computing);
    free(run);
    free(sum);
    free(all.cell);
}

void run_effects_free(bmf_run_effects *effects)
{
    free(effects->operation);
    *effects = (bmf_run_effects){0};
}

double run_effects_widened(double deviation, double freedom)
{
    if (!(freedom >= 1.0))
        return deviation;
    return deviation * student_quantile(0.975, freedom) / normal_quantile(0.975);
}

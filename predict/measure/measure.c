/* Measuring: the passes over all points.
 *
 * Method: groups of ranks are made once. First every point is tried twice, to warm up and to find out what a repetition
 * costs; then the time is shared (plan.c), and the repetitions are made in passes over all points, so that
 * those of one point lie seconds apart and see different moods of the machine. All ranks know the seconds of all
 * points, so they decide alike. Ranks outside a group sleep until it is done. Cost: about options->seconds. */
#include "predict/measure/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "predict/measure/measure_private.h"
#include "runtime/base/allocate.h"
#include "runtime/backend/clock.h"
#include "runtime/context/group.h"
#include "runtime/backend/wait.h"

enum { MAX_REPEATS = 10000, LARGEST_FACTOR = 1 << 20, MAX_THREADS = 4096 };
static const double PROGRESS_SECONDS = 0.1;
/* How much longer than planned it may take: when others use the machine too. */
static const double PATIENCE = 1.25;
/* Shares of the time: for finding out costs, planned and at most. */
static const double TRIAL_SHARE = 0.2, LARGEST_TRIAL_SHARE = 0.5;
/* A repetition that takes more of the time than this is too dear, and so are those of larger sizes. */
static const double LARGEST_COST_SHARE = 0.01;

typedef struct job {
    bmf_context *ctx;
    bmf_measure_options options; /* with what was left open filled in */
    measure_limits limits;
    measure_plan plan;
    measure_record record;
    measure_starter starter;
    measure_memory *memory;
    bmf_context **group; /* by its number of ranks; NULL: not in it, or there is none */
    char *directory;
    int64_t begin;
    double shown;       /* when progress was shown last */
    bool stopped, late; /* somebody wants to stop; the time is up */
    int64_t disturbed;  /* repetitions */
    double *result;     /* what allreduce takes */
} job;

static double elapsed(const job *j)
{
    return 1e-9 * (double)(monotonic_ns() - j->begin);
}

static void show_progress(job *j, double left, const char *what)
{
    const bmf_measure_options *o = &j->options;
    const double now = elapsed(j);
    if (!o->progress || j->ctx->rank != 0 || now - j->shown < PROGRESS_SECONDS)
        return;
    j->shown = now;
    o->progress(o->progress_state, now / (now + left), left, what);
}

/* ---- groups ---- */

/* New communicators and new memory: what they happen to be like must not be the same in all repetitions. */
static void close_groups(job *j)
{
    for (int ranks = 1; ranks <= j->ctx->ranks; ranks++) {
        bmf_close(j->group[ranks]);
        j->group[ranks] = NULL;
    }
    measure_memory_free(j->memory);
    j->memory = NULL;
    buffer_trim();
}

static int open_groups(job *j)
{
    bool *needed = allocate_clear(j->ctx->ranks + 1, (int64_t)sizeof *needed);
    int status = BMF_OK;
    for (int64_t i = 0; i < j->plan.count; i++)
        needed[j->plan.point[i].ranks] = true;
    for (int ranks = 1; ranks <= j->ctx->ranks && status == BMF_OK; ranks++)
        if (needed[ranks])
            status = group_open(j->ctx, ranks, &j->group[ranks]);
    free(needed);
    j->memory = measure_memory_create();
    return status;
}

/* ---- one point ---- */

enum { COST, LATE, FAILED, STOP, ELAPSED, FLAGS };

/* One repetition: its seconds, and whether it was interrupted. */
static int repeat_once(job *j, measure_site *site, double *seconds, double *disturbed)
{
    const measure_operation *op = site->operation;
    site->seconds = NAN;
    measure_memory_rewind(site);
    if (op->before)
        BMF_TRY(op->before(site));
    measure_start(&j->starter, site);
    BMF_TRY(op->run(site));
    *seconds = isnan(site->seconds) ? measure_elapsed(site) : site->seconds;
    *disturbed = measure_interruptions() != site->interruptions;
    return op->after ? op->after(site) : BMF_OK;
}

/* The first repetition warms up: it counts only when no other one is wanted. */
static int repeat(job *j, measure_site *site, int repetitions, double *result)
{
    double *seconds = result + FLAGS, *disturbed = seconds + (repetitions > 0 ? repetitions : 1);
    for (int k = 0; k <= repetitions; k++) {
        const int64_t begin = monotonic_ns();
        const int at = k > 0 ? k - 1 : 0;
        site->repetition = k;
        BMF_TRY(repeat_once(j, site, &seconds[at], &disturbed[at]));
        if (k > 0 || repetitions == 0)
            result[COST] = fmax(result[COST], 1e-9 * (double)(monotonic_ns() - begin));
    }
    return BMF_OK;
}

/* What a member of the group does. */
static int measure_in_group(job *j, bmf_context *group, const measure_point *point, int repetitions, double *result)
{
    const measure_operation *op = point->operation;
    measure_site site = {.ctx = group,
                         .operation = op,
                         .elements = point->elements,
                         .team = point->p,
                         .cached = point->cached,
                         .memory = j->memory,
                         .directory = j->directory};
    int status = bmf_agree(group, op->open ? op->open(&site) : BMF_OK);
    if (status == BMF_OK)
        status = repeat(j, &site, repetitions, result);
    if (op->close)
        op->close(&site);
    result[LATE] = j->starter.late;
    return status == BMF_OK ? BMF_OK : bmf_fail(j->ctx, status, "%s", bmf_error_text(group));
}

/* The group is done: everybody learns the largest of all ranks' results. Ranks outside wait asleep, for the group may
 * want their cores. */
static int meet(job *j, bool member, int status, int results)
{
    bmf_context *ctx = j->ctx;
    const bool oversubscribed = ctx->oversubscribed;
    MPI_Request request;
    j->result[FAILED] = status != BMF_OK;
    j->result[STOP] = j->options.stop && *j->options.stop;
    j->result[ELAPSED] = elapsed(j);
    ctx->oversubscribed = oversubscribed || !member;
    MPI_Iallreduce(MPI_IN_PLACE, j->result, results, MPI_DOUBLE, MPI_MAX, ctx->comm, &request);
    wait_all(ctx, 1, &request);
    ctx->oversubscribed = oversubscribed;
    j->stopped = j->stopped || j->result[STOP] > 0;
    j->late = j->late || j->result[ELAPSED] > PATIENCE * j->options.seconds;
    return j->result[FAILED] > 0 ? bmf_agree(ctx, status) : BMF_OK;
}

/* Measures some repetitions of a point; their seconds are result[FLAGS ..], followed by whether they were disturbed. */
static int measure_point_once(job *j, const measure_point *point, int repetitions)
{
    bmf_context *group = j->group[point->ranks];
    const int results = FLAGS + 2 * (repetitions > 0 ? repetitions : 1);
    int status;
    do {
        for (int k = 0; k < results; k++)
            j->result[k] = -1;
        j->starter.late = false;
        status = group ? measure_in_group(j, group, point, repetitions, j->result) : BMF_OK;
        status = meet(j, group, status, results);
    } while (status == BMF_OK && j->result[LATE] > 0 && measure_starter_widen(&j->starter));
    return status;
}

/* A point that fails is left out: the rest of the sheet is still worth having. */
static bool measure_some(job *j, measure_point *point, int repetitions)
{
    if (measure_point_once(j, point, repetitions) == BMF_OK)
        return true;
    point->left_out = true;
    point->planned = 0;
    return false;
}

/* ---- all points ---- */

/* Sizes of one operation and group that are likely to take too long are not even tried: larger ones than one that
 * did. */
static bool is_hopeless(const job *j, const measure_point *point)
{
    for (const measure_point *at = point; at->step > 0;)
        if ((--at)->cost > LARGEST_COST_SHARE * j->options.seconds)
            return true;
    return false;
}

/* Tries points that are not complete: twice, or once where waiting takes most of the time. */
static void try_point(job *j, measure_point *point)
{
    point->tried = true;
    if (measure_some(j, point, j->ctx->oversubscribed ? 0 : 1))
        point->cost = j->result[COST];
    show_progress(j, fmax(j->options.seconds - elapsed(j), 0), point->operation->name);
}

/* Every fourth size first, then those between, so that what there is no time for thins out the sizes of all
 * operations. */
static void find_costs(job *j)
{
    double spent = 0;
    for (int stride = 4; stride > 0; stride /= 2)
        for (int64_t i = 0; i < j->plan.count && !j->stopped; i++) {
            measure_point *point = &j->plan.point[i];
            if (point->step % stride != 0 || point->tried || point->left_out || point->count >= j->plan.repeats)
                continue;
            point->left_out = is_hopeless(j, point) || spent > LARGEST_TRIAL_SHARE * j->options.seconds;
            if (!point->left_out)
                try_point(j, point);
            spent = fmax(spent, j->result[ELAPSED]);
        }
}

#define LONGEST_TURN 0.4 /* seconds */

/* Repetitions until somebody who wants to stop is heard: launchers kill ranks a second after they asked them to end. */
static int turn_of(const measure_point *point, int repetitions)
{
    const double turn = point->cost > 0.0 ? LONGEST_TURN / point->cost : repetitions;
    return turn >= repetitions ? repetitions : turn > 1.0 ? (int)turn : 1;
}

static bool run_turn(job *j, measure_point *point, int repetitions)
{
    if (!measure_some(j, point, repetitions))
        return false;
    for (int k = 0; k < repetitions; k++) {
        point->seconds[point->count + k] = fmax(j->result[FLAGS + k], 0);
        j->disturbed += j->result[FLAGS + repetitions + k] > 0;
    }
    point->count += repetitions;
    return true;
}

static void run_pass(job *j, int pass)
{
    for (int64_t i = 0; i < j->plan.count && !j->stopped && !j->late; i++) {
        measure_point *point = &j->plan.point[i];
        int left = measure_plan_repetitions(point, pass);
        if (left == 0)
            continue;
        for (int turn; left > 0 && !j->stopped && !j->late; left -= turn) {
            turn = turn_of(point, left);
            if (!run_turn(j, point, turn))
                break;
        }
        if (!point->left_out)
            show_progress(j, measure_plan_left(&j->plan, pass, i + 1), point->operation->name);
    }
}

static int measure_all(job *j)
{
    find_costs(j);
    double left = j->options.seconds - elapsed(j);
    j->ctx->backend->bcast(j->ctx, 0, &left, sizeof left); /* everybody plans with the same number */
    measure_plan_share(&j->plan, fmax(left, 0.2 * j->options.seconds));
    for (int pass = 0; pass < MEASURE_PASSES && !j->stopped && !j->late; pass++) {
        close_groups(j);
        BMF_TRY(open_groups(j));
        run_pass(j, pass);
        BMF_TRY(measure_record_save(j->ctx, &j->record, &j->plan, &j->limits, false));
    }
    return measure_record_save(j->ctx, &j->record, &j->plan, &j->limits, !j->stopped);
}

/* ---- before and after ---- */

static int check_options(bmf_context *ctx, const bmf_measure_options *o)
{
    if (o->repeats < 0 || o->repeats > MAX_REPEATS)
        return bmf_fail(ctx, BMF_ERROR_ARGUMENT, "a point is repeated 1 to %d times, not %d", MAX_REPEATS, o->repeats);
    if (o->factor != 0 && (o->factor < 2 || o->factor > LARGEST_FACTOR))
        return bmf_fail(ctx, BMF_ERROR_ARGUMENT, "sizes grow by a factor of 2 to %d, not %d", LARGEST_FACTOR,
                        o->factor);
    if (o->threads < 0 || o->threads > MAX_THREADS)
        return bmf_fail(ctx, BMF_ERROR_ARGUMENT, "there can be 1 to %d threads, not %d", MAX_THREADS, o->threads);
    if (o->max_elements < 0 || o->min_elements < 0 || !(o->seconds >= 0))
        return bmf_fail(ctx, BMF_ERROR_ARGUMENT, "element counts and seconds cannot be negative");
    if (o->max_elements > 0 && o->min_elements > o->max_elements)
        return bmf_fail(ctx, BMF_ERROR_ARGUMENT, "there is no size between %lld and %lld elements",
                        (long long)o->min_elements, (long long)o->max_elements);
    return measure_check_list(ctx, o->operations);
}

/* An eighth of the memory of the host, shared by its ranks; the same everywhere. */
static measure_limits find_limits(bmf_context *ctx, const bmf_measure_options *o)
{
    const int64_t bytes = (int64_t)sysconf(_SC_PHYS_PAGES) * (int64_t)sysconf(_SC_PAGESIZE);
    const int64_t cache = (int64_t)sysconf(_SC_LEVEL3_CACHE_SIZE), min = (int64_t)32 << 20;
    measure_limits limits = {.ranks = ctx->ranks,
                             .oversubscribed = ctx->oversubscribed,
                             .team = o->threads > 0 ? o->threads : ctx->node_cores,
                             .memory = bytes / 8 / ctx->node_ranks,
                             .caches = 4 * (cache > min ? cache : min) / MEASURE_WORD};
    ctx->backend->bcast(ctx, 0, &limits, sizeof limits);
    return limits;
}

static char *directory_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    const size_t length = slash ? (size_t)(slash - path) : 1;
    char *directory = allocate((int64_t)length + 2);
    snprintf(directory, length + 2, "%.*s", (int)length, slash ? path : ".");
    if (slash == path)
        memcpy(directory, "/", 2);
    return directory;
}

static void close_job(job *j)
{
    if (j->group)
        close_groups(j);
    measure_record_close(&j->record);
    measure_plan_free(&j->plan);
    free(j->group);
    free(j->directory);
    free(j->result);
}

static void summarise(const job *j, bmf_measure_summary *s)
{
    const measure_operation *operation[MEASURE_MAX_OPERATIONS];
    const int operations = measure_operations(operation);
    *s = (bmf_measure_summary){.seconds = elapsed(j),
                               .interrupted = j->stopped,
                               .oversubscribed = j->ctx->oversubscribed,
                               .disturbed = j->disturbed};
    for (int64_t i = 0; i < j->plan.count; i++) {
        const measure_point *point = &j->plan.point[i];
        s->points += point->count > 0;
        s->repetitions += point->count;
        s->resumed += point->planned == 0 && point->count > 0;
        s->left_out += point->count == 0;
    }
    for (int k = 0; k < operations; k++)
        s->skipped += measure_is_listed(j->options.operations, operation[k]) &&
                      measure_unsupported_reason(operation[k], &j->limits);
}

/* How long a barrier of all ranks takes: what oversubscribed ranks spend most of their time with. */
static double barrier_seconds(bmf_context *ctx)
{
    enum { BARRIERS = 8 };
    bmf_barrier(ctx);
    const int64_t begin = monotonic_ns();
    for (int k = 0; k < BARRIERS; k++)
        bmf_barrier(ctx);
    return 1e-9 * (double)(monotonic_ns() - begin) / BARRIERS;
}

/* The smallest factor between sizes with which the first try of every point fits into its share of the time. The same
 * on every rank. */
static int choose_factor(job *j)
{
    enum { LARGEST_CHOICE = 64, BARRIERS_OF_POINT = 7 };
    static const double OTHER_SECONDS = 5e-4;
    double point = BARRIERS_OF_POINT * barrier_seconds(j->ctx) + OTHER_SECONDS;
    j->ctx->backend->bcast(j->ctx, 0, &point, sizeof point);
    for (int factor = 2;; factor *= 2) {
        measure_plan plan;
        j->options.factor = factor;
        measure_plan_create(&j->options, &j->limits, &plan);
        const double seconds = point * (double)plan.count;
        measure_plan_free(&plan);
        if (seconds <= TRIAL_SHARE * j->options.seconds || factor == LARGEST_CHOICE)
            return factor;
    }
}

static int prepare(job *j)
{
    bmf_measure_options *o = &j->options;
    o->seconds = o->seconds > 0 ? o->seconds : BMF_MEASURE_SECONDS;
    o->repeats = o->repeats > 0 ? o->repeats : BMF_MEASURE_REPEATS;
    if (o->factor == 0)
        BMF_TRY(measure_record_factor(j->ctx, o, &o->factor));
    if (o->factor == 0)
        o->factor = choose_factor(j);
    measure_plan_create(o, &j->limits, &j->plan);
    j->result = allocate((FLAGS + 2 * (j->plan.repeats + 1)) * (int64_t)sizeof(double));
    j->directory = directory_of(o->output);
    j->starter = measure_starter_create(j->ctx, o->clock);
    j->group = allocate_clear(j->ctx->ranks + 1, (int64_t)sizeof(bmf_context *));
    BMF_TRY(measure_record_open(j->ctx, o, &j->plan, &j->record));
    /* Now, not after a minute, is the time to learn that the file cannot be written. */
    BMF_TRY(measure_record_save(j->ctx, &j->record, &j->plan, &j->limits, false));
    return open_groups(j);
}

int measure_sheet(bmf_context *ctx, const bmf_measure_options *options, bmf_measure_summary *summary)
{
    BMF_TRY(bmf_agree(ctx, check_options(ctx, options)));
    measure_first_message(ctx);
    const int threads = ctx->threads;
    ctx->threads = options->threads > 0 ? options->threads : ctx->threads;
    job j = {.ctx = ctx, .options = *options, .limits = find_limits(ctx, options), .begin = monotonic_ns()};
    int status = prepare(&j);
    if (status == BMF_OK)
        status = measure_all(&j);
    if (status == BMF_OK)
        summarise(&j, summary);
    close_job(&j);
    ctx->threads = threads;
    return status;
}

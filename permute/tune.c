/* Trials and their memory.
 *
 * Method: all methods that the estimate does not put far behind take turns, TRIALS times; a run lasts until the last
 * rank is done. The one with the smallest median wins, since the next run is more likely to be an ordinary one than the
 * best; of those within a few per cent of it the first in the order of methods, so that noise decides little. Who took
 * four times as long as the best in the first turn is out. The file holds lines "KEY METHOD"; the last line with a key
 * counts, so remembering is appending. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bmf/permute.h"
#include "permute/exchange/exchange.h"
#include "runtime/base/allocate.h"
#include "runtime/backend/backend.h"

enum { TRIALS = 5, KEY_SIZE = 160, PATH_SIZE = 1024 };
static const double HOPELESS = 20; /* times the best estimate: not worth a trial */
static const double BEATEN = 4;    /* times the best first run: not worth another */
static const double TIE = 1.03;

/* ---- the file ---- */

static void make_key(const bmf_context *ctx, const bmf_permute_plan *plan, char key[KEY_SIZE])
{
    snprintf(key, KEY_SIZE, "processors=%" PRId64 " ranks=%d node=%d threads=%d bits=%d elem=%" PRId64 " r=%d row=%d",
             plan->processors, ctx->ranks, ctx->node_ranks, ctx->threads, plan->permutation.bits, plan->element_bytes,
             plan->rank, permute_plan_row_bits(plan));
}

/* Makes the folders on the way if asked to. False if the user has no cache folder. */
static bool find_path(char path[PATH_SIZE], bool make)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    int used;
    if (cache && *cache)
        used = snprintf(path, PATH_SIZE, "%s", cache);
    else if (home && *home)
        used = snprintf(path, PATH_SIZE, "%s/.cache", home);
    else
        return false;
    if (used < 0 || used > PATH_SIZE - 16)
        return false;
    if (make)
        mkdir(path, 0755);
    strcat(path, "/bmf");
    if (make)
        mkdir(path, 0755);
    strcat(path, "/permute");
    return true;
}

static bmf_permute_method recall(const char *key)
{
    char path[PATH_SIZE], line[KEY_SIZE + 32];
    bmf_permute_method found = BMF_PERMUTE_AUTO, method;
    size_t length = strlen(key);
    FILE *stream = find_path(path, false) ? fopen(path, "r") : NULL;
    if (!stream)
        return found;
    while (fgets(line, sizeof line, stream)) {
        line[strcspn(line, "\n")] = 0;
        if (strncmp(line, key, length) == 0 && line[length] == ' ' &&
            bmf_permute_method_find(line + length + 1, &method))
            found = method;
    }
    fclose(stream);
    return found;
}

static void remember(const char *key, bmf_permute_method method)
{
    char path[PATH_SIZE];
    FILE *stream = find_path(path, true) ? fopen(path, "a") : NULL;
    if (!stream)
        return;
    fprintf(stream, "%s %s\n", key, bmf_permute_method_name(method));
    fclose(stream);
}

/* ---- plans ---- */

/* The same permutation by another method. */
static int replan(bmf_context *ctx, bmf_permute_method method, bmf_permute_plan **plan)
{
    bmf_permute_plan *made;
    BMF_TRY(
        bmf_permute_plan_create(ctx, &(*plan)->permutation, (*plan)->columns, (*plan)->column_bytes, method, &made));
    bmf_permute_plan_free(*plan);
    *plan = made;
    return BMF_OK;
}

int bmf_permute_plan_create_tuned(bmf_context *ctx, const bmf_permutation *p, int columns, const int64_t *column_bytes,
                                  bmf_permute_method method, bmf_permute_plan **plan)
{
    char key[KEY_SIZE];
    int64_t known = BMF_PERMUTE_AUTO;
    BMF_TRY(bmf_permute_plan_create(ctx, p, columns, column_bytes, method, plan));
    if (method != BMF_PERMUTE_AUTO || ctx->processors == 1)
        return BMF_OK;
    make_key(ctx, *plan, key);
    if (ctx->rank == 0)
        known = recall(key);
    int status = ctx->backend->bcast(ctx, 0, &known, sizeof known);
    if (status == BMF_OK && known != BMF_PERMUTE_AUTO && known != (int64_t)(*plan)->method)
        status = replan(ctx, (bmf_permute_method)known, plan);
    if (status != BMF_OK) {
        bmf_permute_plan_free(*plan);
        *plan = NULL;
    }
    return status;
}

static int time_plan(bmf_context *ctx, const bmf_permute_plan *plan, const void *const *source, void *const *target,
                     double *seconds)
{
    bmf_barrier(ctx);
    const double begin = bmf_seconds(ctx);
    BMF_TRY(bmf_permute_execute(ctx, plan, source, target));
    return bmf_max_seconds(ctx, bmf_seconds(ctx) - begin, seconds);
}

/* The plans of methods that are not hopeless; NULL for the others. */
static int make_contestants(bmf_context *ctx, const bmf_permute_plan *plan, bmf_permute_plan **contestant)
{
    const double hopeless = HOPELESS * plan->seconds[plan->method];
    for (int method = 0; method < BMF_PERMUTE_METHODS; method++)
        if (plan->seconds[method] <= hopeless)
            BMF_TRY(bmf_permute_plan_create(ctx, &plan->permutation, plan->columns, plan->column_bytes,
                                            (bmf_permute_method)method, &contestant[method]));
    return BMF_OK;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/* Runs every method that is still in; the others' seconds are 0. The same on every rank. */
static int take_turn(bmf_context *ctx, bmf_permute_plan *const *contestant, const void *const *source,
                     void *const *target, double seconds[BMF_PERMUTE_METHODS])
{
    for (int method = 0; method < BMF_PERMUTE_METHODS; method++) {
        seconds[method] = 0;
        if (contestant[method])
            BMF_TRY(time_plan(ctx, contestant[method], source, target, &seconds[method]));
    }
    return BMF_OK;
}

static void drop_beaten(bmf_permute_plan **contestant, const double seconds[BMF_PERMUTE_METHODS])
{
    double best = INFINITY;
    for (int method = 0; method < BMF_PERMUTE_METHODS; method++)
        best = contestant[method] && seconds[method] < best ? seconds[method] : best;
    for (int method = 0; method < BMF_PERMUTE_METHODS; method++)
        if (contestant[method] && seconds[method] > BEATEN * best) {
            bmf_permute_plan_free(contestant[method]);
            contestant[method] = NULL;
        }
}

/* In turns, since machines drift; the first turn warms up connections and does not count. */
static int find_fastest(bmf_context *ctx, bmf_permute_plan **contestant, const void *const *source, void *const *target,
                        int *fastest)
{
    double run[BMF_PERMUTE_METHODS][TRIALS], seconds[BMF_PERMUTE_METHODS], best = INFINITY;
    BMF_TRY(take_turn(ctx, contestant, source, target, seconds));
    drop_beaten(contestant, seconds);
    for (int turn = 0; turn < TRIALS; turn++) {
        BMF_TRY(take_turn(ctx, contestant, source, target, seconds));
        for (int method = 0; method < BMF_PERMUTE_METHODS; method++)
            run[method][turn] = seconds[method];
    }
    for (int method = 0; method < BMF_PERMUTE_METHODS; method++) {
        if (!contestant[method])
            continue;
        qsort(run[method], TRIALS, sizeof(double), by_value);
        const double median = run[method][TRIALS / 2];
        if (median * TIE < best) {
            best = median;
            *fastest = method;
        }
    }
    return BMF_OK;
}

int bmf_permute_tune(bmf_context *ctx, const void *const *source, void *const *target, bmf_permute_plan **plan)
{
    char key[KEY_SIZE];
    bmf_permute_plan *contestant[BMF_PERMUTE_METHODS] = {NULL};
    int best = -1, status = make_contestants(ctx, *plan, contestant);
    if (status == BMF_OK)
        status = find_fastest(ctx, contestant, source, target, &best);
    if (status == BMF_OK) {
        bmf_permute_plan_free(*plan);
        *plan = contestant[best];
        contestant[best] = NULL;
        make_key(ctx, *plan, key);
        if (ctx->rank == 0)
            remember(key, (*plan)->method);
    }
    for (int method = 0; method < BMF_PERMUTE_METHODS; method++)
        bmf_permute_plan_free(contestant[method]);
    return status;
}

/* Trials and their memory.
 *
 * Method: all methods that the estimate does not put far behind take turns, TRIALS times; the fastest run of each
 * counts, until the last rank is done. The file holds lines "KEY METHOD"; the last line with a key counts, so
 * remembering is appending. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "bmf/permute.h"
#include "permute/exchange/exchange.h"
#include "runtime/base/allocate.h"
#include "runtime/backend/backend.h"

enum { TRIALS = 3, KEY_SIZE = 160, PATH_SIZE = 1024 };
static const double HOPELESS = 20; /* times the best estimate: not worth a trial */

/* ---- the file ---- */

static void make_key(const bmf_context *ctx, const bmf_permute_plan *plan, char key[KEY_SIZE])
{
    snprintf(key, KEY_SIZE, "processors=%" PRId64 " ranks=%d node=%d threads=%d bits=%d elem=%" PRId64 " r=%d",
             plan->processors, ctx->ranks, ctx->node_ranks, ctx->threads, plan->permutation.bits, plan->element_bytes,
             plan->rank);
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

/* In turns, since machines drift; the first turn warms up connections and does not count. */
static int find_fastest(bmf_context *ctx, bmf_permute_plan *const *contestant, const void *const *source,
                        void *const *target, int *fastest)
{
    double min[BMF_PERMUTE_METHODS] = {0}, seconds;
    *fastest = -1;
    for (int turn = 0; turn <= TRIALS; turn++)
        for (int method = 0; method < BMF_PERMUTE_METHODS; method++) {
            if (!contestant[method])
                continue;
            BMF_TRY(time_plan(ctx, contestant[method], source, target, &seconds));
            if (turn == 1 || (turn > 1 && seconds < min[method]))
                min[method] = seconds;
        }
    for (int method = 0; method < BMF_PERMUTE_METHODS; method++)
        if (contestant[method] && (*fastest < 0 || min[method] < min[*fastest]))
            *fastest = method;
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

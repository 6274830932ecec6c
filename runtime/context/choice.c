/* Which algorithm a skeleton uses: the forced one, or the cheapest.
 *
 * Method: times come from a table of measured ones if the context has one that knows all algorithms of the skeleton for
 * about so many ranks and items; otherwise they are estimated. Both depend only on what every rank knows. Cost: a
 * choice that is made again, nothing; otherwise the number of algorithms. */
#include <math.h>
#include <string.h>

#include "runtime/backend/backend.h"
#include "runtime/context/sizes.h"

/* True for the first algorithm of every skeleton. */
static bool opens_skeleton(int k)
{
    return k == 0 || strcmp(algorithms[k]->skeleton, algorithms[k - 1]->skeleton) != 0;
}

static void append(char *text, size_t size, size_t *used, const char *name)
{
    if (*used < size)
        *used += (size_t)snprintf(text + *used, size - *used, "%s%s", *used ? ", " : "", name);
}

/* "split, gather, .." or the algorithms or methods of one skeleton, for messages. */
static const char *list_known(const char *skeleton, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int k = 0; algorithms[k]; k++)
        if (skeleton ? strcmp(algorithms[k]->skeleton, skeleton) == 0 : opens_skeleton(k))
            append(text, size, &used, skeleton ? algorithms[k]->name : algorithms[k]->skeleton);
    for (int k = 0; k < BMF_METHODS; k++)
        if (skeleton ? strcmp(skeleton_methods[k].skeleton, skeleton) == 0
                     : method_find(skeleton_methods[k].skeleton, NULL) == &skeleton_methods[k])
            append(text, size, &used, skeleton ? skeleton_methods[k].name : skeleton_methods[k].skeleton);
    return text;
}

/* The number of a skeleton's first algorithm; -1 if it has no choice. */
static int first_of(const char *skeleton)
{
    for (int k = 0; algorithms[k]; k++)
        if (algorithms[k]->skeleton[0] == skeleton[0] && strcmp(algorithms[k]->skeleton, skeleton) == 0)
            return k;
    return -1;
}

static int refuse_algorithm(bmf_context *ctx, const char *skeleton, const char *algorithm)
{
    char known[256];
    return bmf_fail(ctx, BMF_ERROR_ARGUMENT, "%s has no algorithm '%s' (known: %s)", skeleton, algorithm,
                    list_known(skeleton, known, sizeof known));
}

static int set_method(bmf_context *ctx, const bmf_method *first, const char *name)
{
    const bmf_method *found = name ? method_find(first->skeleton, name) : NULL;
    if (name && !found)
        return refuse_algorithm(ctx, first->skeleton, name);
    ctx->method[first - skeleton_methods] = found;
    return BMF_OK;
}

const char *method_forced(const bmf_context *ctx, const char *skeleton)
{
    const bmf_method *forced = ctx->method[method_find(skeleton, NULL) - skeleton_methods];
    return forced ? forced->name : NULL;
}

int bmf_set_schedule(bmf_context *ctx, const char *skeleton, const char *algorithm)
{
    char known[256];
    const int first = first_of(skeleton);
    const bmf_method *method = method_find(skeleton, NULL);
    if (method)
        return set_method(ctx, method, algorithm);
    if (first < 0)
        return bmf_fail(ctx, BMF_ERROR_ARGUMENT, "no skeleton '%s' has a choice of algorithms (known: %s)", skeleton,
                        list_known(NULL, known, sizeof known));
    const bmf_algorithm *found = algorithm ? algorithm_find(skeleton, algorithm) : NULL;
    if (algorithm && !found)
        return refuse_algorithm(ctx, skeleton, algorithm);
    ctx->forced[first] = found;
    return BMF_OK;
}

/* Whether the table knows all algorithms of a skeleton here; one that it does not know could be the best. */
static bool is_measured(const bmf_context *ctx, const bmf_choice *choice)
{
    if (!ctx->costs || !cost_table_covers(ctx->costs, choice->skeleton, ctx->costs_ranks, choice->count))
        return false;
    for (int k = first_of(choice->skeleton); algorithms[k] && strcmp(algorithms[k]->skeleton, choice->skeleton) == 0;
         k++)
        if (isnan(cost_table_seconds(ctx->costs, choice->skeleton, algorithms[k]->name, ctx->costs_ranks, choice->count,
                                     choice->bytes)))
            return false;
    return true;
}

static double seconds_of(const bmf_context *ctx, const bmf_algorithm *algorithm, const bmf_choice *choice,
                         bool measured)
{
    return measured ? cost_table_seconds(ctx->costs, algorithm->skeleton, algorithm->name, ctx->costs_ranks,
                                         choice->count, choice->bytes)
                    : algorithm_estimate(algorithm, &ctx->cost, choice->count, choice->bytes);
}

double choice_seconds(const bmf_context *ctx, const bmf_algorithm *algorithm, const bmf_choice *choice, bool *measured)
{
    *measured = is_measured(ctx, choice);
    return seconds_of(ctx, algorithm, choice, *measured);
}

static const bmf_algorithm *cheapest(const bmf_context *ctx, const bmf_choice *choice, int first)
{
    const bmf_algorithm *best = NULL;
    const bool measured = is_measured(ctx, choice);
    double min_seconds = 0;
    for (int k = first; algorithms[k] && strcmp(algorithms[k]->skeleton, choice->skeleton) == 0; k++) {
        if (!is_candidate(algorithms[k], choice))
            continue;
        const double seconds = seconds_of(ctx, algorithms[k], choice, measured);
        if (!best || seconds < min_seconds) {
            min_seconds = seconds;
            best = algorithms[k];
        }
    }
    return best;
}

static int number_of(const bmf_algorithm *algorithm, int first)
{
    while (algorithms[first] != algorithm)
        first++;
    return first;
}

/* Of as many bytes as a larger argument has. */
static bmf_choice grow_choice(bmf_context *ctx, const bmf_choice *choice, int first)
{
    const bmf_size_range bytes = size_grown(ctx, (int64_t)choice->bytes);
    bmf_choice least = *choice, most = *choice;
    least.bytes = (double)bytes.low;
    most.bytes = (double)bytes.high;
    if (!ctx->forced[first] && cheapest(ctx, &least, first) != cheapest(ctx, &most, first))
        ctx->sizes->unsure = choice->skeleton;
    return most;
}

const bmf_algorithm *choose_algorithm(bmf_context *ctx, const bmf_choice *choice)
{
    const int first = first_of(choice->skeleton);
    const bmf_algorithm *forced = ctx->forced[first];
    bmf_choice grown;
    if (ctx->sizes && choice->bytes > 0) {
        grown = grow_choice(ctx, choice, first);
        choice = &grown;
    }
    bmf_chosen *last = &ctx->chosen[first];
    const bool again = ctx->costs && last->algorithm && last->count == choice->count && last->bytes == choice->bytes &&
                       last->to_first == choice->to_first;
    if (!again)
        *last = (bmf_chosen){choice->count, choice->bytes, choice->to_first, cheapest(ctx, choice, first)};
    const bmf_algorithm *best = forced && is_candidate(forced, choice) ? forced : last->algorithm;
    ctx->times_chosen[number_of(best, first)]++;
    return best;
}

/* Which algorithm a skeleton uses: the forced one, or the cheapest. */
#include <string.h>

#include "runtime/backend/backend.h"

/* True for the first algorithm of every skeleton. */
static bool opens_skeleton(int k)
{
    return k == 0 || strcmp(algorithms[k]->skeleton, algorithms[k - 1]->skeleton) != 0;
}

/* "split, gather, .." or the algorithms of one skeleton, for messages. */
static const char *list_known(const char *skeleton, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (int k = 0; algorithms[k] && used < size; k++)
        if (skeleton ? strcmp(algorithms[k]->skeleton, skeleton) == 0 : opens_skeleton(k))
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "",
                                     skeleton ? algorithms[k]->name : algorithms[k]->skeleton);
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

int bmf_set_schedule(bmf_context *ctx, const char *skeleton, const char *algorithm)
{
    char known[256];
    const int first = first_of(skeleton);
    if (first < 0)
        return bmf_fail(ctx, BMF_ERROR_ARGUMENT, "no skeleton '%s' has a choice of algorithms (known: %s)", skeleton,
                        list_known(NULL, known, sizeof known));
    const bmf_algorithm *found = algorithm ? algorithm_find(skeleton, algorithm) : NULL;
    if (algorithm && !found)
        return bmf_fail(ctx, BMF_ERROR_ARGUMENT, "%s has no algorithm '%s' (known: %s)", skeleton, algorithm,
                        list_known(skeleton, known, sizeof known));
    ctx->forced[first] = found;
    return BMF_OK;
}

const bmf_algorithm *choose_algorithm(const bmf_context *ctx, const bmf_choice *choice)
{
    const int first = first_of(choice->skeleton);
    const bmf_algorithm *best = NULL, *forced = ctx->forced[first];
    double min_seconds = 0;
    if (forced && is_candidate(forced, choice))
        return forced;
    for (int k = first; algorithms[k] && strcmp(algorithms[k]->skeleton, choice->skeleton) == 0; k++) {
        if (!is_candidate(algorithms[k], choice))
            continue;
        double seconds = algorithm_estimate(algorithms[k], &ctx->cost, choice->count, choice->bytes);
        if (!best || seconds < min_seconds) {
            min_seconds = seconds;
            best = algorithms[k];
        }
    }
    return best;
}

/* Calls with a choice of algorithms: split, gather, reduce, scan, distl, and permuting.
 *
 * Values of reductions and scans are blocks of words, combined by an exact operator, so that messages are one value. A
 * permutation reverses the bits of addresses: every processor sends to every other one. */
#include "predict/measure/schedule_calls.h"

#include <stdlib.h>
#include <string.h>

#include "permute/exchange/exchange.h"
#include "runtime/base/allocate.h"
#include "runtime/data/list.h"

enum { WORD = 8 };

static char *words(int64_t bytes)
{
    return allocate_clear(bytes / WORD + 1, WORD);
}

/* ---- algorithms of skeletons ---- */

static const bmf_algorithm *way_of(const char *skeleton, int way)
{
    int k = 0;
    while (strcmp(algorithms[k]->skeleton, skeleton) != 0)
        k++;
    return algorithms[k + way];
}

static int force(const schedule_site *site, const char *skeleton, int way)
{
    return bmf_set_schedule(site->ctx, skeleton, way_of(skeleton, way)->name);
}

static int choose(schedule_site *site, const char *skeleton, int *way)
{
    BMF_TRY(bmf_set_schedule(site->ctx, skeleton, NULL));
    const bmf_algorithm *chosen = choose_algorithm(
        site->ctx, &(bmf_choice){.skeleton = skeleton, .count = site->count, .bytes = (double)site->bytes});
    for (*way = 0; way_of(skeleton, *way) != chosen;)
        ++*way;
    return BMF_OK;
}

static void free_result(schedule_site *site)
{
    bmf_list_free(site->out);
    site->out = NULL;
}

#define FORCED(name, skeleton, call)                                                                                   \
    static int run_##name(schedule_site *site, int way)                                                                \
    {                                                                                                                  \
        BMF_TRY(force(site, skeleton, way));                                                                           \
        return call;                                                                                                   \
    }                                                                                                                  \
    static int choose_##name(schedule_site *site, int *way)                                                            \
    {                                                                                                                  \
        return choose(site, skeleton, way);                                                                            \
    }

/* ---- lists that move ---- */

static int open_whole(schedule_site *site)
{
    site->data = words(site->bytes);
    return bmf_place(site->ctx, 0, &bmf_type_int, site->bytes / WORD, site->data, &site->whole);
}

static int open_split(schedule_site *site)
{
    BMF_TRY(open_whole(site));
    return bmf_split(site->whole, site->count, 0, &site->spread);
}

static int open_value(schedule_site *site)
{
    BMF_TRY(bmf_iota(site->ctx, site->count, &site->spread));
    site->data = words(site->bytes);
    return bmf_place(site->ctx, 0, bmf_type_struct(site->bytes, "block"), 1, site->data, &site->whole);
}

FORCED(split, "split", bmf_split(site->whole, site->count, 0, &site->out))
FORCED(gather, "gather", bmf_gather(site->spread, &site->out))
FORCED(distl, "distl", bmf_distl(site->whole, site->spread, &site->out))

/* ---- values that are combined ---- */

static int combine_words(const void *context, int64_t count, const bmf_slice *in, const bmf_slice *out)
{
    const int64_t length = *(const int64_t *)context;
    for (int64_t i = 0; i < count; i++) {
        const uint64_t *x = (const uint64_t *)(const void *)((const char *)in[0].data + i * in[0].stride);
        const uint64_t *y = (const uint64_t *)(const void *)((const char *)in[1].data + i * in[1].stride);
        uint64_t *z = (uint64_t *)(void *)((char *)out[0].data + i * out[0].stride);
        for (int64_t k = 0; k < length; k++)
            z[k] = x[k] ^ y[k];
    }
    return 0;
}

static int open_values(schedule_site *site)
{
    const bmf_type *type = bmf_type_struct(site->bytes, "block");
    site->words = site->bytes / WORD;
    site->combined_by = (bmf_operator){.name = "exclusive or",
                                       .type = type,
                                       .combine = combine_words,
                                       .context = &site->words,
                                       .flags = BMF_COMMUTATIVE | BMF_EXACT,
                                       .version = BMF_OPERATOR_VERSION};
    site->data = words(site->count * site->bytes);
    site->target = words(site->bytes);
    return bmf_spread(site->ctx, type, site->count, site->data, &site->spread);
}

FORCED(reduce, "reduce", bmf_reduce(site->spread, &site->combined_by, site->target))
FORCED(scan, "scan", bmf_scan(site->spread, &site->combined_by, BMF_INCLUSIVE, &site->out))

/* ---- permuting ---- */

static const bmf_permute_method methods[] = {BMF_PERMUTE_ROUNDS, BMF_PERMUTE_ALLTOALLV};
enum { METHODS = sizeof methods / sizeof methods[0] };

static int open_permutation(schedule_site *site)
{
    const int64_t word = WORD, elements = site->count * (site->bytes / WORD);
    bmf_permutation reversal;
    bmf_permutation_bit_reversal(__builtin_ctzll((uint64_t)elements), &reversal);
    for (int k = 0; k <= METHODS; k++)
        BMF_TRY(bmf_permute_plan_create(site->ctx, &reversal, 1, &word, k < METHODS ? methods[k] : BMF_PERMUTE_AUTO,
                                        &site->plan[k]));
    site->data = words(site->ctx->local_processors * site->bytes);
    site->target = words(site->ctx->local_processors * site->bytes);
    return BMF_OK;
}

static int run_permutation(schedule_site *site, int way)
{
    const void *source = site->data;
    void *target = site->target;
    return bmf_permute_execute(site->ctx, site->plan[way], &source, &target);
}

/* The plan was made with the costs of the context when the site was opened; now they may be others. */
static int choose_permutation(schedule_site *site, int *way)
{
    const int64_t word = WORD;
    const bmf_permutation permutation = site->plan[METHODS]->permutation;
    bmf_permute_plan_free(site->plan[METHODS]);
    site->plan[METHODS] = NULL;
    BMF_TRY(bmf_permute_plan_create(site->ctx, &permutation, 1, &word, BMF_PERMUTE_AUTO, &site->plan[METHODS]));
    for (*way = 0; *way < METHODS - 1 && methods[*way] != site->plan[METHODS]->method;)
        ++*way;
    return BMF_OK;
}

/* ---- all ---- */

enum { KIB = 1 << 10, MIB = 1 << 20 };

static const schedule_call split = {"split",  true,       false,     false,       2,
                                    64 * MIB, open_whole, run_split, free_result, choose_split};
static const schedule_call gather = {"gather", true,       false,      false,       2,
                                     64 * MIB, open_split, run_gather, free_result, choose_gather};
static const schedule_call reduce = {"reduce", false,       true,       false,       8,
                                     4 * KIB,  open_values, run_reduce, free_result, choose_reduce};
static const schedule_call scan = {"scan",  false,       true,     false,       8,
                                   4 * KIB, open_values, run_scan, free_result, choose_scan};
static const schedule_call distl = {"distl",  false,      true,      false,       2,
                                    16 * MIB, open_value, run_distl, free_result, choose_distl};
static const schedule_call permute = {
    "permute", true, true, true, 2, 8 * MIB, open_permutation, run_permutation, free_result, choose_permutation};

const schedule_call *const schedule_calls[] = {&split, &gather, &reduce, &scan, &distl, &permute, NULL};

int schedule_call_ways(const schedule_call *call, const char *way[BMF_MEASURE_WAYS])
{
    int ways = 0;
    if (call == &permute)
        for (; ways < METHODS; ways++)
            way[ways] = bmf_permute_method_name(methods[ways]);
    for (int k = 0; algorithms[k] && call != &permute; k++)
        if (strcmp(algorithms[k]->skeleton, call->skeleton) == 0)
            way[ways++] = algorithms[k]->name;
    return ways;
}

void schedule_site_close(schedule_site *site)
{
    bmf_list_free(site->whole);
    bmf_list_free(site->spread);
    bmf_list_free(site->out);
    for (int k = 0; k < BMF_MEASURE_WAYS; k++)
        bmf_permute_plan_free(site->plan[k]);
    free(site->data);
    free(site->target);
}

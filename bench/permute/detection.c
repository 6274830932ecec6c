/* How many reads of an index list it costs to recognise a permutation.
 *
 * Method: the list of a random BMMC permutation, which has to be read to its end; reading it as fast as the machine can
 * (bench/limits.h) and detecting it take turns. */
#include "bench/limits.h"
#include "bench/permute/permute.h"
#include "permute/detect.h"
#include "runtime/backend/backend.h"
#include "runtime/base/memory.h"

enum { DETECT, FIRST_READ, ACTIONS = FIRST_READ + BENCH_CONTESTANTS };

typedef struct detection {
    bmf_context *ctx;
    bmf_permutation p;
    bench_arrays indices;
    int64_t first;
} detection;

typedef struct reading {
    const detection *d;
    int contestant;
} reading;

static int run_detection(void *state)
{
    const detection *d = state;
    bmf_permutation found;
    bool is;
    BMF_TRY(detect_permutation(d->ctx, d->indices.source, d->first, d->indices.bytes / (int64_t)sizeof(int64_t),
                               d->p.bits, &found, &is));
    return is && bmf_permutation_equal(&found, &d->p)
               ? BMF_OK
               : bmf_fail(d->ctx, BMF_ERROR_INTERNAL, "a permutation was not recognised");
}

static int run_reading(void *state)
{
    const reading *r = state;
    bench_limit_run(BENCH_READ, r->contestant, &r->d->indices);
    return BMF_OK;
}

int bench_permute_detection(bmf_context *ctx, const bench_permute_options *o, bench_spread *reads)
{
    const int64_t count = bmf_permute_local_count(ctx, o->bits);
    detection d = {.ctx = ctx, .first = bmf_permute_local_first(ctx, o->bits)};
    double seconds[ACTIONS][o->repeats];
    bench_action action[ACTIONS] = {{.run = run_detection, .state = &d, .turn = seconds[DETECT], .any_order = true}};
    reading contestant[BENCH_CONTESTANTS];
    BMF_TRY(bmf_permutation_parse(ctx, o->bits, "random:1", &d.p));
    bmf_buffer *buffer = working_buffer(count * (int64_t)sizeof(int64_t));
    int64_t *index = buffer->data;
    for (int64_t i = 0; i < count; i++)
        index[i] = (int64_t)bmf_permutation_apply(&d.p, (uint64_t)(d.first + i));
    d.indices = (bench_arrays){.source = index, .bytes = count * (int64_t)sizeof(int64_t), .threads = ctx->threads};
    for (int k = 0; k < BENCH_CONTESTANTS; k++) {
        contestant[k] = (reading){&d, k};
        action[FIRST_READ + k] = (bench_action){
            .run = run_reading, .state = &contestant[k], .turn = seconds[FIRST_READ + k], .any_order = true};
    }
    const int status = bench_measure(ctx, o->repeats, ACTIONS, action);
    int fastest = FIRST_READ;
    for (int k = FIRST_READ; k < ACTIONS; k++)
        fastest = action[k].seconds.median < action[fastest].seconds.median ? k : fastest;
    if (status == BMF_OK)
        *reads = bench_ratios(o->repeats, seconds[DETECT], seconds[fastest]);
    buffer_release(buffer);
    return status;
}

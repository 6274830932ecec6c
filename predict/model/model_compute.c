/* Computing of the model backend: kernels run here, and what they take goes into the actions.
 *
 * Method: pieces are added up by processor, since a machine's sheet knows what a call of a kernel costs a processor.
 * Where processors are ranks with threads, pieces are cut for these, and how they would share the call is found from
 * the times of the pieces, or from their elements where they are not timed.
 * Cost: O(pieces), and a look at the costs for each processor that has any. */
#include <stdio.h>
#include <stdlib.h>

#include "predict/kernels/kernels.h"
#include "predict/model/model_private.h"
#include "runtime/base/allocate.h"
#include "runtime/backend/host.h"

/* Adds up the pieces of every processor; processor[0..listed) are those that have any, in the order of their first
 * piece. */
static int64_t add_up(bmf_model *model, const bmf_work *work, const bmf_piece_time *times, int64_t *processor)
{
    int64_t listed = 0;
    for (int64_t i = 0; i < work->pieces; i++) {
        const bmf_piece *piece = &work->piece[i];
        int64_t p = piece->processor;
        if (!model->listed[p]) {
            model->listed[p] = true;
            model->elements[p] = 0;
            model->seconds[p] = 0.0;
            model->work[p] = (bmf_kernel_work){0};
            processor[listed++] = p;
        }
        model->elements[p] += piece->end - piece->begin;
        host_count(work, i, &model->work[p]);
        if (times)
            model->seconds[p] += (double)(times[i].end - times[i].begin) * 1e-9;
    }
    return listed;
}

/* How threads would share what each of the listed processors does. */
static void find_shares(bmf_model *model, const bmf_work *work, const bmf_piece_time *times, const int64_t *processor,
                        int64_t listed)
{
    int64_t *done = allocate_clear(listed, (int64_t)sizeof *done), *place = model->place;
    for (int64_t k = 0; k < listed; k++) {
        model->shares[processor[k]] = (bmf_thread_shares){.dynamic = work->dynamic};
        place[processor[k]] = k;
    }
    for (int64_t i = 0; i < work->pieces; i++) {
        const bmf_piece *piece = &work->piece[i];
        const int64_t p = piece->processor, elements = piece->end - piece->begin, begin = done[place[p]];
        const double weight = times ? (double)(times[i].end - times[i].begin) : (double)elements;
        thread_shares_add(&model->shares[p], begin, begin + elements, model->elements[p], weight);
        done[place[p]] += elements;
    }
    for (int64_t k = 0; k < listed; k++)
        thread_shares_finish(&model->shares[processor[k]]);
    free(done);
}

/* Memory that is new to this process would be to the processors, each its share. */
static void share_fresh(bmf_model *model, const int64_t *processor, int64_t listed)
{
    const int64_t fresh = host_fresh_bytes();
    double all = 0.0;
    for (int64_t k = 0; k < listed; k++)
        all += (double)model->elements[processor[k]];
    for (int64_t k = 0; k < listed && all > 0.0; k++)
        model->work[processor[k]].fresh = (int64_t)((double)fresh * (double)model->elements[processor[k]] / all);
}

/* Where times do not come from here many processors have the same. */
static void record_begin(bmf_model *model)
{
    if (!model->notes && !model_is_measured(model))
        actions_family_begin(model->actions);
}

static void record_end(bmf_model *model)
{
    if (!model->notes && !model_is_measured(model))
        actions_family_end(model->actions);
}

static int record_compute(bmf_context *ctx, const bmf_work *work, const bmf_piece_time *times)
{
    bmf_model *model = model_of(ctx);
    int64_t *processor = allocate(work->pieces * (int64_t)sizeof *processor);
    int64_t listed = add_up(model, work, times, processor);
    if (model->shares)
        find_shares(model, work, times, processor, listed);
    share_fresh(model, processor, listed);
    uint16_t name = (uint16_t)run_name(ctx->run, work->kernel);
    char operation[BMF_SAMPLE_NAME], preparation[BMF_SAMPLE_NAME], before[BMF_SAMPLE_NAME];
    kernel_operation(model_call(ctx), work->kernel, operation);
    kernel_preparation(work->kernel, preparation);
    const bool prepared = model_costs_know_overhead(model->costs, model_call(ctx), preparation, before);
    const char *operations = work->operations;
    char alone[BMF_SAMPLE_NAME + 2];
    snprintf(alone, sizeof alone, "%.*s ", BMF_SAMPLE_NAME, work->kernel);
    model->computed = true;
    record_begin(model);
    int status = BMF_OK;
    for (int64_t k = 0; k < listed; k++) {
        int64_t p = processor[k];
        bmf_model_kernel kernel = {
            .name = name, .round = work->round, .processor = p, .elements = model->elements[p], .prepared = prepared};
        const bmf_thread_shares *shares = model->shares ? &model->shares[p] : NULL;
        const bmf_model_call call = {.kernel = operation,
                                     .operations = operations ? operations : alone,
                                     .elements = kernel.elements,
                                     .work = &model->work[p],
                                     .measured = model->seconds[p],
                                     .shares = model->keeps_bytes && model->actions->keeps_shares ? NULL : shares};
        kernel.moved = kernel_work_moved(&model->work[p]);
        kernel.footprint = kernel_work_footprint(&model->work[p]);
        if (model->actions->keeps_shares) {
            kernel.shares = *shares;
            kernel.shares.seconds = (float)(model->seconds[p] / model->machine->power);
            kernel.shares.bound = (float)model_costs_bound(model->costs, &model->work[p]);
        }
        model->listed[p] = false;
        if (status == BMF_OK)
            status = model_costs_find(model->costs, ctx, &call, &kernel.cost);
        if (status == BMF_OK && prepared)
            status = model_costs_find(model->costs, ctx,
                                      &(bmf_model_call){.kernel = before, .elements = kernel.elements}, &kernel.before);
        if (status == BMF_OK)
            model_record_compute(model, &kernel);
    }
    record_end(model);
    free(processor);
    return status;
}

static int run_kernel(bmf_context *ctx, const bmf_work *work)
{
    const bool shared = model_of(ctx)->shares;
    if (model_is_silent(model_of(ctx)))
        return host_run(ctx, work, shared, NULL);
    bool measured = model_of(ctx)->machine->compute == BMF_COMPUTE_MEASURED;
    bmf_piece_time *times = measured ? allocate(work->pieces * (int64_t)sizeof *times) : NULL;
    int status = host_run(ctx, work, measured || shared, times);
    if (status == BMF_OK)
        status = record_compute(ctx, work, times);
    free(times);
    return status;
}

int model_compute(bmf_context *ctx, const bmf_work *work)
{
    model_copies_forget(model_of(ctx));
    const int status = run_kernel(ctx, work);
    model_copies_resume(model_of(ctx));
    return status;
}

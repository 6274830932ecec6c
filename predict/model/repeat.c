/* Rounds of loops that are not gone through: the actions of the last one once more for each of them.
 *
 * Cost: its messages once more a round, and entries of the log for its actions, which stay stored once. */
#include "predict/model/model_private.h"

#include "runtime/base/array.h"

bool model_mark(bmf_context *ctx, bmf_run_mark *mark)
{
    const bmf_model *model = model_of(ctx);
    if (model->notes)
        return false;
    *mark = (bmf_run_mark){.actions = model->actions->count,
                           .messages = model->actions->messages,
                           .rounds = model->actions->rounds,
                           .elements = model->computed_elements,
                           .statistics = ctx->statistics};
    return true;
}

static void repeat_statistics(bmf_statistics *now, const bmf_statistics *since, int64_t times)
{
    now->messages += times * (now->messages - since->messages);
    now->bytes += times * (now->bytes - since->bytes);
    now->rank_messages += times * (now->rank_messages - since->rank_messages);
    now->rank_bytes += times * (now->rank_bytes - since->rank_bytes);
}

int model_repeat(bmf_context *ctx, const bmf_run_mark *since, int64_t times)
{
    bmf_model *model = model_of(ctx);
    BMF_TRY(model_within_bound(ctx, times * (model->actions->messages - since->messages)));
    actions_repeat(model->actions, since->actions, since->messages, since->rounds, times);
    model->computed_elements += times * (model->computed_elements - since->elements);
    repeat_statistics(&ctx->statistics, &since->statistics, times);
    return BMF_OK;
}

uint32_t model_keep_time(bmf_model *model, const char *operation, int64_t elements, const bmf_kernel_work *work,
                         double seconds)
{
    return model->times ? kernel_times_keep(model->times, operation, elements, work, seconds) : 0;
}

void model_note_timed(bmf_model *model, uint32_t number)
{
    if (model->times)
        *ARRAY_APPEND(model->timed, model->timed_count, model->timed_capacity) = number;
}

/* What processors copy around messages: packing before they are sent, unpacking behind them, lists that are made whole.
 *
 * Method: as kernels, this is done here as in the real run, and timed by the processor time of the thread: inside of a
 * call, what lies between its beginning and the first messages, meetings left out, belongs to their senders, what lies
 * between messages and whatever comes next to those who took part, by the bytes that they received (those who received
 * none unpack what they kept, as much as the others on average). What lies before a kernel is its preparation, and does
 * not count. Processors whose messages of a round have less than a page get none: that is no copying to speak of, and
 * many processors would need many actions. Where kernels are not timed here nothing is.
 * Cost: two readings of a clock for each call into the backend; an action a processor and round. */
#include <stdlib.h>

#include "predict/model/model_private.h"
#include "runtime/backend/host.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"

enum { PAGE = 4096 };

void model_copies_enter(bmf_model *model)
{
    if (!model_is_measured(model))
        return;
    model->copies.inside = true;
    model->copies.seconds = 0.0;
    model->copies.count = 0;
    model_copies_resume(model);
}

void model_copies_resume(bmf_model *model)
{
    model->copies.counting = model->copies.inside;
    if (model->copies.counting)
        model->copies.since = host_processor_time();
}

/* The time so far is taken, and counting stops. */
static void pause_counting(bmf_model *model)
{
    bmf_model_copies *copies = &model->copies;
    if (copies->counting)
        copies->seconds += (double)(host_processor_time() - copies->since) * 1e-9;
    copies->counting = false;
}

/* The time becomes that of the processors that are listed. */
static void share_out(bmf_model *model)
{
    bmf_model_copies *copies = &model->copies;
    double all = 0.0;
    for (int64_t k = 0; k < copies->count; k++)
        all += (double)copies->share[k].bytes;
    for (int64_t k = 0; k < copies->count; k++) {
        const bmf_copied_share *share = &copies->share[k];
        if (share->bytes < PAGE)
            continue;
        const double seconds = copies->seconds * (double)share->bytes / all / model->machine->power;
        actions_copy(model->actions, share->processor, share->bytes, seconds);
        model_note_timed(model, model_keep_time(model, "copy", share->bytes, NULL, seconds));
    }
    copies->seconds = 0.0;
    copies->count = 0;
}

static bool has_large_ones(const bmf_message *message, int64_t count)
{
    bool found = false;
    for (int64_t k = 0; k < count && !found; k++)
        found = message[k].from != message[k].to && message[k].bytes >= PAGE;
    return found;
}

/* The bytes of a processor's messages are added to its entry of the list. */
static void list_processor(bmf_model *model, int64_t processor, int64_t bytes)
{
    bmf_model_copies *copies = &model->copies;
    if (!model->listed[processor]) {
        model->listed[processor] = true;
        model->elements[processor] = copies->count;
        *ARRAY_APPEND(copies->share, copies->count, copies->capacity) = (bmf_copied_share){processor, 0};
    }
    copies->share[model->elements[processor]].bytes += bytes;
}

static void list_done(bmf_model *model)
{
    for (int64_t k = 0; k < model->copies.count; k++)
        model->listed[model->copies.share[k].processor] = false;
}

void model_copies_pause(bmf_model *model)
{
    pause_counting(model);
    if (model->copies.count > 0)
        share_out(model);
}

void model_copies_forget(bmf_model *model)
{
    model_copies_pause(model);
    model->copies.seconds = 0.0;
}

void model_copies_send(bmf_model *model, const bmf_message *message, int64_t count)
{
    if (model->copies.inside && has_large_ones(message, count))
        for (int64_t k = 0; k < count; k++)
            if (message[k].from != message[k].to)
                list_processor(model, message[k].from, message[k].bytes);
    list_done(model);
    share_out(model);
}

void model_copies_received(bmf_model *model, const bmf_message *message, int64_t count)
{
    bmf_model_copies *copies = &model->copies;
    int64_t bytes = 0, receivers;
    copies->seconds = 0.0;
    if (!copies->inside || !has_large_ones(message, count))
        return;
    for (int64_t k = 0; k < count; k++)
        if (message[k].from != message[k].to) {
            list_processor(model, message[k].to, message[k].bytes);
            bytes += message[k].bytes;
        }
    receivers = copies->count;
    for (int64_t k = 0; k < count; k++)
        list_processor(model, message[k].from, 0);
    for (int64_t k = receivers; k < copies->count; k++)
        copies->share[k].bytes = bytes / receivers;
    list_done(model);
}

void model_copies_leave(bmf_model *model, bool operation)
{
    model_copies_pause(model);
    if (operation)
        model->copies.inside = false;
    model_copies_resume(model);
}

void model_copies_free(bmf_model *model)
{
    free(model->copies.share);
}

/* Processors looked at one after the other, recorded as if they had worked side by side.
 *
 * Ranks enter the same calls in the same order; what differs is what they compute in between. So when the program goes
 * through a part once for every processor, each time begins with the same instances of nodes, and what it records is
 * noted first. At the end the notes are merged: each call is entered and left once, and between two such marks stands
 * what every processor computed there: a family of the log, whose slices are what the times have noted.
 * Cost: some 250 bytes a note, and a copy of the nodes' instances a time; 8 bytes a processor.
 */
#include <stdlib.h>
#include <string.h>

#include "predict/model/model_private.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"

typedef enum note_kind { NOTE_COMPUTE, NOTE_ENTER, NOTE_LEAVE, NOTE_HELD } note_kind;

typedef struct note {
    note_kind kind;
    bmf_model_kernel kernel; /* COMPUTE */
    uint32_t node, instance; /* ENTER */
    uint16_t place;          /* ENTER */
    bmf_event_kind of;       /* ENTER */
    int64_t *amount;         /* LEAVE */
    int64_t processor, held; /* HELD */
} note;

struct bmf_model_notes {
    note *note;
    int64_t count, capacity;
    int64_t *start; /* of each pass's notes */
    int64_t passes, pass_capacity;
    bmf_member *member; /* processors; what each does is what a pass, its slice, has noted */
    int64_t members, member_capacity;
    bool silent;         /* nothing is noted */
    uint32_t *instances; /* of all nodes when this began */
    uint32_t nodes;
    bool parts_are_ranks; /* before it began */
};

static void add(bmf_model_notes *notes, note made)
{
    if (notes->silent) {
        free(made.amount);
        return;
    }
    *ARRAY_APPEND(notes->note, notes->count, notes->capacity) = made;
}

/* ---- recording ---- */

static void record_kernel(bmf_model *model, const bmf_model_kernel *kernel)
{
    bmf_actions *actions = model->actions;
    const bmf_model_cost *cost = &kernel->cost, *before = &kernel->before;
    if (kernel->prepared)
        actions_overhead(actions, kernel->processor, before->seconds, before->shared, before->own, before->equation);
    actions_compute(actions, kernel->processor, kernel->name, kernel->round, kernel->elements, cost->seconds,
                    cost->shared, cost->own, cost->equation);
    actions_moved(actions, kernel->moved, kernel->footprint);
    actions_shared(actions, &kernel->shares);
    model_note_timed(model, kernel->timed);
}

void model_record_compute(bmf_model *model, const bmf_model_kernel *kernel)
{
    model->computed_elements += kernel->elements;
    if (model->notes)
        add(model->notes, (note){.kind = NOTE_COMPUTE, .kernel = *kernel});
    else
        record_kernel(model, kernel);
}

void model_record_enter(bmf_model *model, uint32_t node, uint32_t instance, uint16_t place, bmf_event_kind kind)
{
    if (model->notes) {
        add(model->notes, (note){.kind = NOTE_ENTER, .node = node, .instance = instance, .place = place, .of = kind});
        return;
    }
    actions_enter(model->actions, node, instance, kind);
    actions_place(model->actions, place);
}

void model_record_held(bmf_model *model, int64_t processor, int64_t bytes)
{
    if (model->notes)
        add(model->notes, (note){.kind = NOTE_HELD, .processor = processor, .held = bytes});
    else
        actions_hold(model->actions, processor, bytes);
}

void model_record_leave(bmf_model *model, int64_t *amount)
{
    if (model->notes)
        add(model->notes, (note){.kind = NOTE_LEAVE, .amount = amount});
    else
        actions_leave(model->actions, amount);
}

/* ---- merging ---- */

static int64_t end_of_pass(const bmf_model_notes *notes, int64_t pass)
{
    return pass + 1 < notes->passes ? notes->start[pass + 1] : notes->count;
}

/* -1: it does not say. */
static int64_t processor_of(const note *noted)
{
    return noted->kind == NOTE_COMPUTE ? noted->kernel.processor : noted->kind == NOTE_HELD ? noted->processor : -1;
}

/* Records a mark once for all processors. */
static void pass_mark(bmf_model *model, const note *mark)
{
    if (mark->kind == NOTE_ENTER)
        model_record_enter(model, mark->node, mark->instance, mark->place, mark->of);
    else
        model_record_leave(model, mark->amount);
}

/* The first mark of a pass from `at` on, or its end. */
static int64_t next_mark(const bmf_model_notes *notes, int64_t at, int64_t end)
{
    while (at < end && (notes->note[at].kind == NOTE_COMPUTE || notes->note[at].kind == NOTE_HELD))
        at++;
    return at;
}

/* What a pass computed in notes [at, end), as the next slice of the log. */
static void slice_pass(bmf_model *model, const note *at, const note *end)
{
    actions_slice_begin(model->actions);
    for (; at < end; at++)
        if (at->kind == NOTE_COMPUTE)
            record_kernel(model, &at->kernel);
    actions_slice_end(model->actions);
}

static bool has_note(const bmf_model_notes *notes, const int64_t *at, const int64_t *mark, note_kind kind)
{
    bool found = false;
    for (int64_t p = 0; p < notes->passes && !found; p++)
        for (int64_t k = at[p]; k < mark[p] && !found; k++)
            found = notes->note[k].kind == kind;
    return found;
}

/* Records what all processors computed between two marks. members: theirs, as the log keeps them. */
static void pass_computing(bmf_model *model, const bmf_model_notes *notes, int64_t members, const int64_t *at,
                           const int64_t *mark)
{
    const int64_t slice = model->actions->slices;
    if (!has_note(notes, at, mark, NOTE_COMPUTE))
        return;
    for (int64_t p = 0; p < notes->passes; p++)
        slice_pass(model, notes->note + at[p], notes->note + mark[p]);
    actions_add_family(model->actions, members, notes->members, slice);
}

/* And what they held from then on. first: the number of the first action that they computed. */
static void pass_held(bmf_model *model, const bmf_model_notes *notes, int64_t first, const int64_t *at,
                      const int64_t *mark)
{
    int64_t position = first;
    if (!has_note(notes, at, mark, NOTE_HELD))
        return;
    for (int64_t k = 0; k < notes->members; k++) {
        const bmf_member *member = &notes->member[k];
        for (int64_t n = at[member->slice]; n < mark[member->slice]; n++) {
            const note *noted = &notes->note[n];
            if (noted->kind == NOTE_HELD)
                actions_hold_from(model->actions, member->processor, position, noted->held);
            else
                position += noted->kernel.prepared ? 2 : 1;
        }
    }
}

/* One step: everybody's computing, then the mark that all have reached. False when nobody has one. */
static bool merge_step(bmf_model *model, const bmf_model_notes *notes, int64_t members, int64_t *at, int64_t *mark)
{
    const note *reached = NULL;
    const int64_t first = model->actions->count;
    for (int64_t p = 0; p < notes->passes; p++)
        mark[p] = next_mark(notes, at[p], end_of_pass(notes, p));
    pass_computing(model, notes, members, at, mark);
    pass_held(model, notes, first, at, mark);
    for (int64_t p = 0; p < notes->passes; p++) {
        const int64_t end = end_of_pass(notes, p);
        at[p] = mark[p] < end ? mark[p] + 1 : end;
        if (mark[p] < end && !reached)
            reached = &notes->note[mark[p]];
        else if (mark[p] < end)
            free(notes->note[mark[p]].amount);
    }
    if (reached)
        pass_mark(model, reached);
    return reached;
}

/* A pass that is a processor's own says itself whose it is. */
static void name_members(const bmf_model_notes *notes)
{
    for (int64_t k = 0; k < notes->members; k++) {
        bmf_member *member = &notes->member[k];
        const int64_t end = end_of_pass(notes, member->slice);
        for (int64_t n = notes->start[member->slice]; n < end && member->processor < 0; n++)
            member->processor = (int32_t)processor_of(&notes->note[n]);
    }
}

static void merge(bmf_model *model, const bmf_model_notes *notes)
{
    int64_t *at = allocate(2 * notes->passes * (int64_t)sizeof *at);
    if (notes->passes > 0)
        memcpy(at, notes->start, (size_t)notes->passes * sizeof *at);
    name_members(notes);
    const int64_t members = actions_keep_members(model->actions, notes->member, notes->members);
    while (merge_step(model, notes, members, at, at + notes->passes)) {
    }
    free(at);
}

/* ---- steps ---- */

static void begin(bmf_context *ctx, bmf_model *model)
{
    bmf_model_notes *notes = model->notes = allocate_clear(1, (int64_t)sizeof *notes);
    notes->nodes = ctx->instances_capacity;
    notes->instances = allocate(notes->nodes * (int64_t)sizeof *notes->instances);
    if (notes->nodes > 0)
        memcpy(notes->instances, ctx->instances, notes->nodes * sizeof *notes->instances);
    notes->parts_are_ranks = ctx->parts_are_ranks;
    ctx->parts_are_ranks = false; /* what is here is one rank's */
}

/* Each begins with the same instances. */
static void restore_instances(bmf_context *ctx, const bmf_model_notes *notes)
{
    for (uint32_t k = 0; k < ctx->instances_capacity; k++)
        ctx->instances[k] = k < notes->nodes ? notes->instances[k] : 0;
}

static void next_processor(bmf_context *ctx, bmf_model_notes *notes)
{
    restore_instances(ctx, notes);
    *ARRAY_APPEND(notes->member, notes->members, notes->member_capacity) = (bmf_member){-1, (int32_t)notes->passes};
    *ARRAY_APPEND(notes->start, notes->passes, notes->pass_capacity) = notes->count;
}

void model_emulate_like(bmf_context *ctx, int64_t processor, int64_t pass)
{
    bmf_model_notes *notes = model_of_context(ctx)->notes;
    *ARRAY_APPEND(notes->member, notes->members, notes->member_capacity) =
        (bmf_member){(int32_t)processor, (int32_t)pass};
}

void model_notes_free(bmf_model_notes *notes)
{
    if (!notes)
        return;
    free(notes->note);
    free(notes->start);
    free(notes->member);
    free(notes->instances);
    free(notes);
}

/* Nothing was noted for good. */
static void cancel(bmf_context *ctx, bmf_model_notes *notes)
{
    for (int64_t k = 0; k < notes->count; k++)
        free(notes->note[k].amount);
    restore_instances(ctx, notes);
}

bool model_is_silent(const bmf_model *model)
{
    return model->notes && model->notes->silent;
}

void model_emulate_rank(bmf_context *ctx, bmf_rank_emulation_step step)
{
    bmf_model *model = model_of_context(ctx);
    bmf_model_notes *notes = model->notes;
    if (step == BMF_EMULATE_BEGIN) {
        begin(ctx, model);
        return;
    }
    notes->silent = step == BMF_EMULATE_BATCH;
    ctx->threads = notes->silent || !model_is_measured(model) ? model->threads : 1;
    if (step == BMF_EMULATE_NEXT)
        next_processor(ctx, notes);
    if (step != BMF_EMULATE_END && step != BMF_EMULATE_CANCEL)
        return;
    model->notes = NULL;
    ctx->parts_are_ranks = notes->parts_are_ranks;
    if (step == BMF_EMULATE_END)
        merge(model, notes);
    else
        cancel(ctx, notes);
    model_notes_free(notes);
}

/* Operations on placed lists that bring elements together: project, concatenation, zip, filter.
 *
 * Method: project and filter take elements by number, all instances' in one go; concatenation copies runs from both
 * lists in turn, unless one side is empty everywhere; zip only puts two batches of elements side by side.
 * Cost: a pass over the elements of the result; inner lists are not copied but viewed, except by concatenation of
 * lists with different elements behind them. */
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "runtime/base/search.h"
#include "skeletons/language/evaluate/operations.h"

/* ---- project ---- */

typedef struct project_state {
    const bmf_value *list, *number; /* number: elements of the packed lists of indices */
    const int64_t *offsets;
    int64_t instances, *place;
    bmf_failure first; /* of an element of the result */
} project_state;

static void place_some(void *state, int64_t begin, int64_t end)
{
    project_state *s = state;
    const char *data = s->number->data;
    int64_t stride = s->number->stride, i = last_not_above(s->offsets, s->instances, begin);
    for (int64_t j = begin; j < end; i++) {
        int64_t stop = s->offsets[i + 1] < end ? s->offsets[i + 1] : end;
        int64_t base = s->list->begin[i * s->list->step], length = s->list->end[i * s->list->step] - base;
        for (; j < stop; j++) {
            int64_t number = *(const int64_t *)(data + j * stride);
            if ((uint64_t)number >= (uint64_t)length) {
                note_first_failure(&s->first, j, number, length);
                return;
            }
            s->place[j] = base + number;
        }
    }
}

static int take_places(bmf_evaluator *evaluator, const bmf_expression *project, const bmf_frame *frame,
                       project_state *state, bmf_value *out)
{
    int64_t total = state->offsets[state->instances];
    bmf_pass pass;
    pass_open(evaluator, frame, "project", state->offsets, &pass);
    int status = pass_run(&pass, total, place_some, state);
    if (status == BMF_OK && state->first.kind != BMF_FAILURE_NONE) {
        state->first.element = last_not_above(state->offsets, state->instances, state->first.element);
        status = noted_failure(evaluator, frame, project, BMF_FAILURE_INDEX, &state->first);
    }
    if (status == BMF_OK)
        status = value_take_pass(&pass, &state->list->child[0], state->place, total, out);
    pass_close(&pass);
    return status;
}

int evaluate_project(bmf_evaluator *evaluator, bmf_expression *project, const bmf_frame *frame, bmf_value *x,
                     bmf_value *out)
{
    bmf_value *indices = &x->child[1], elements;
    BMF_TRY(value_pack_for(evaluator, frame, "pack", indices));
    int64_t total = indices->child[0].count;
    project_state state = {
        .list = &x->child[0], .number = &indices->child[0], .offsets = indices->begin, .instances = x->count};
    state.place = malloc((size_t)(total + 1) * sizeof *state.place);
    int status =
        state.place ? take_places(evaluator, project, frame, &state, &elements) : fail_no_memory(evaluator->ctx, total);
    free(state.place);
    if (status == BMF_OK)
        value_like(indices, &elements, out);
    return status;
}

/* ---- concatenation ---- */

typedef struct ends_state {
    const bmf_value *a, *b;
    int64_t *segment; /* 2 for each instance, as offsets */
    int64_t *offsets; /* of the results */
} ends_state;

static void measure_both(void *state, int64_t begin, int64_t end)
{
    const ends_state *s = state;
    for (int64_t i = begin; i < end; i++) {
        s->segment[2 * i + 1] = value_length(s->a, i);
        s->segment[2 * i + 2] = value_length(s->b, i);
    }
}

static void every_second(void *state, int64_t begin, int64_t end)
{
    const ends_state *s = state;
    for (int64_t i = begin; i < end; i++)
        s->offsets[i + 1] = s->segment[2 * i + 2];
}

static bool is_empty_everywhere(const bmf_value *list)
{
    for (int64_t i = 0; i < list->count; i++)
        if (value_length(list, i) > 0)
            return false;
    return true;
}

static int join_both(bmf_evaluator *evaluator, const bmf_frame *frame, ends_state *s, bmf_buffer *offsets,
                     bmf_value *out)
{
    const bmf_value *source[2] = {&s->a->child[0], &s->b->child[0]};
    const int64_t *begin[2] = {s->a->begin, s->b->begin}, step[2] = {s->a->step, s->b->step};
    int64_t count = s->a->count;
    bmf_pass pass = {.ctx = evaluator->ctx};
    bmf_value elements;
    pass_run(&pass, count, measure_both, s);
    if (!offsets_sum(evaluator->ctx, s->segment, 2 * count))
        return fail_no_memory(evaluator->ctx, INT64_MAX);
    s->offsets[0] = 0;
    pass_run(&pass, count, every_second, s);
    bmf_segments segments = {2, source, begin, step, 2 * count, s->segment};
    pass_open(evaluator, frame, "concatenate", s->offsets, &pass);
    int status = value_join(&pass, &segments, &elements);
    pass_close(&pass);
    if (status == BMF_OK)
        value_create_list(count, buffer_retain(offsets), &elements, out);
    return status;
}

int evaluate_concatenation(bmf_evaluator *evaluator, const bmf_frame *frame, bmf_value *x, bmf_value *out)
{
    ends_state state = {.a = &x->child[0], .b = &x->child[1]};
    if (is_empty_everywhere(state.b) || is_empty_everywhere(state.a)) {
        value_move(&x->child[is_empty_everywhere(state.b) ? 0 : 1], out);
        return BMF_OK;
    }
    bmf_buffer *segment = buffer_create((2 * x->count + 1) * (int64_t)sizeof(int64_t));
    bmf_buffer *offsets = buffer_create((x->count + 1) * (int64_t)sizeof(int64_t));
    int status = segment && offsets ? BMF_OK : fail_no_memory(evaluator->ctx, x->count);
    if (status == BMF_OK) {
        state.segment = segment->data;
        state.offsets = offsets->data;
        status = join_both(evaluator, frame, &state, offsets, out);
    }
    buffer_release(segment);
    buffer_release(offsets);
    return status;
}

/* ---- zip ---- */

typedef struct zip_state {
    const bmf_value *a, *b;
    bmf_failure first;
} zip_state;

static void compare_some(void *state, int64_t begin, int64_t end)
{
    zip_state *s = state;
    for (int64_t i = begin; i < end; i++) {
        int64_t a = value_length(s->a, i), b = value_length(s->b, i);
        if (a != b) {
            note_first_failure(&s->first, i, a, b);
            return;
        }
    }
}

static int check_lengths(bmf_evaluator *evaluator, const bmf_expression *zip, const bmf_frame *frame,
                         const bmf_value *x)
{
    zip_state state = {.a = &x->child[0], .b = &x->child[1]};
    bmf_pass pass = {.ctx = evaluator->ctx};
    BMF_TRY(pass_run(&pass, x->count, compare_some, &state));
    return noted_failure(evaluator, frame, zip, BMF_FAILURE_RAGGED, &state.first);
}

static bool are_same_views(const bmf_value *a, const bmf_value *b)
{
    return a->begin == b->begin && a->end == b->end && a->step == b->step && a->child[0].count == b->child[0].count;
}

/* Lists of pairs of two packed lists, or of two equal views. x keeps its shell. */
static int make_pairs(bmf_evaluator *evaluator, const bmf_frame *frame, bmf_value *x, bmf_value *out)
{
    bmf_value *a = &x->child[0], *b = &x->child[1], pair[2], pairs;
    if (!are_same_views(a, b)) {
        BMF_TRY(value_pack_for(evaluator, frame, "pack", a));
        BMF_TRY(value_pack_for(evaluator, frame, "pack", b));
    }
    value_move(&a->child[0], &pair[0]);
    value_move(&b->child[0], &pair[1]);
    value_create_tuple(2, pair, &pairs);
    value_like(a, &pairs, out);
    return BMF_OK;
}

int evaluate_zip(bmf_evaluator *evaluator, bmf_expression *zip, bmf_frame *frame, bmf_value *x, bmf_value *out)
{
    bmf_value pairs;
    int status = check_lengths(evaluator, zip, frame, x);
    if (zip->communicates) /* ranks have different lists, and an operator that waits for all ranks */
        status = bmf_agree(evaluator->ctx, status);
    if (status == BMF_OK)
        status = make_pairs(evaluator, frame, x, &pairs);
    value_free(x);
    if (status == BMF_OK && zip->children > 0)
        return evaluate_elements(evaluator, zip, zip->child[0], frame, &pairs, out);
    if (status == BMF_OK)
        value_move(&pairs, out);
    return status;
}

/* ---- filter ---- */

typedef struct kept_state {
    const int64_t *position; /* rising */
    int64_t kept;
    const int64_t *offsets; /* of the unfiltered lists */
    int64_t *new_offsets;
} kept_state;

/* Each list begins at the first kept element that is not before it. */
static void count_kept(void *state, int64_t begin, int64_t end)
{
    const kept_state *s = state;
    for (int64_t i = begin; i < end; i++)
        s->new_offsets[i + 1] = first_not_below(s->position, s->kept, s->offsets[i + 1]);
}

static int keep(bmf_evaluator *evaluator, const bmf_frame *frame, const bmf_value *x, const int64_t *position,
                int64_t kept, bmf_value *out)
{
    bmf_buffer *offsets = buffer_create((x->count + 1) * (int64_t)sizeof(int64_t));
    if (!offsets)
        return fail_no_memory(evaluator->ctx, x->count);
    kept_state state = {position, kept, x->begin, offsets->data};
    bmf_pass pass = {.ctx = evaluator->ctx};
    bmf_value elements;
    state.new_offsets[0] = 0;
    pass_run(&pass, x->count, count_kept, &state);
    pass_open(evaluator, frame, "filter", state.new_offsets, &pass);
    int status = value_take_pass(&pass, &x->child[0], position, kept, &elements);
    pass_close(&pass);
    if (status == BMF_OK) {
        value_create_list(x->count, offsets, &elements, out);
        return BMF_OK;
    }
    buffer_release(offsets);
    return status;
}

int evaluate_filter(bmf_evaluator *evaluator, bmf_expression *filter, bmf_frame *frame, bmf_value *x, bmf_value *out)
{
    bmf_value list, mask = {0};
    int64_t *position = NULL, kept = 0;
    int status = value_pack_for(evaluator, frame, "pack", x);
    if (status == BMF_OK) {
        value_share(x, &list);
        status = evaluate_elements(evaluator, filter, filter->child[0], frame, &list, &mask);
    }
    if (status == BMF_OK && mask.child[0].count > 0) /* there may be no predicate of elements that cannot be */
        status = mask_positions(evaluator->ctx, &mask.child[0], true, &position, &kept);
    if (status == BMF_OK && kept == x->child[0].count)
        value_move(x, out);
    else if (status == BMF_OK)
        status = keep(evaluator, frame, x, position, kept, out);
    free(position);
    value_free(&mask);
    value_free(x);
    return status;
}

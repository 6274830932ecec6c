/* Functions of elements and their neighbours, of lists and what stands around them.
 *
 * Method: the elements stand side by side with themselves, moved by every distance within reach, as the components of
 * tuples to which the function is applied. A long list is copied once, between what is before and behind it, and moved
 * by looking at it from other places on; it is worked on by itself. Of short lists each component is joined in one pass
 * over all of them.
 * Cost: a copy of the elements of long lists, 2 r copies of those of short ones. */
#include "skeletons/language/stencils/stencils.h"

#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "runtime/base/search.h"
#include "skeletons/language/evaluate/operations.h"

/* Elements a list from which on lists are worked on one by one. */
enum { LONG_LIST = 256 };

enum { SOURCES = 3 };

typedef struct windows {
    bmf_evaluator *evaluator;
    bmf_expression *stencil;
    bmf_frame *frame;
    const bmf_value *handed, *lists;
    const bmf_around *around;
    int64_t reach;
} windows;

static bool has_ends(const bmf_expression *stencil)
{
    return stencil_edge(stencil, 0, 0);
}

static int64_t clamp(int64_t x, int64_t most)
{
    return x < 0 ? 0 : x < most ? x : most;
}

/* ---- around lists ---- */

int around_lists(bmf_evaluator *evaluator, const bmf_value *lists, int64_t reach, bool ring, bmf_around *around)
{
    const int64_t count = lists->count, most = ring ? 2 * reach * count : 0;
    int64_t *index = allocate((most + 1) * (int64_t)sizeof *index), found = 0;
    *around = (bmf_around){.begin = allocate((count + 1) * (int64_t)sizeof *around->begin),
                           .before = allocate((count + 1) * (int64_t)sizeof *around->before)};
    around->begin[0] = 0;
    for (int64_t i = 0; i < count; i++) {
        const int64_t first = lists->begin[i], length = lists->end[i] - first;
        const int64_t side = ring && length > 0 ? reach : 0;
        for (int64_t k = 0; k < side; k++)
            index[found++] = first + length - 1 - (side - 1 - k) % length;
        for (int64_t k = 0; k < side; k++)
            index[found++] = first + k % length;
        around->before[i] = side;
        around->begin[i + 1] = found;
    }
    const int status = value_take(evaluator->ctx, &lists->child[0], index, found, &around->elements);
    free(index);
    return status;
}

/* ---- what is beyond the ends ---- */

/* Elements at which something beyond an end is made. */
typedef struct picked {
    int64_t *element, count;
    uint8_t *behind; /* the end is the last */
} picked;

static picked picked_create(int64_t most)
{
    return (picked){allocate((most + 1) * (int64_t)sizeof(int64_t)), 0, allocate(most + 1)};
}

static void picked_free(picked *all)
{
    free(all->element);
    free(all->behind);
}

static void pick(picked *all, int64_t element, bool behind)
{
    all->element[all->count] = element;
    all->behind[all->count++] = behind;
}

int handed_beside(bmf_context *ctx, const bmf_value *handed, const int64_t *list, bmf_value *values)
{
    bmf_value both[2] = {{0}, {0}};
    const int status = value_take(ctx, handed, list, values->count, &both[0]);
    if (status != BMF_OK) {
        value_free(values);
        return status;
    }
    value_move(values, &both[1]);
    value_create_tuple(2, both, values);
    return BMF_OK;
}

static int hand_to_elements(const windows *w, const int64_t *element, bmf_value *own)
{
    int64_t *list = allocate((own->count + 1) * (int64_t)sizeof *list);
    for (int64_t k = 0; k < own->count; k++)
        list[k] = last_not_above(w->lists->begin, w->lists->count, element[k]);
    const int status = handed_beside(w->evaluator->ctx, w->handed, list, own);
    free(list);
    return status;
}

/* What an end's function makes of elements of the lists. */
static int make_end(const windows *w, int side, const int64_t *element, int64_t count, bmf_value *made)
{
    bmf_frame elements, inner;
    bmf_value own;
    BMF_TRY(value_take(w->evaluator->ctx, &w->lists->child[0], element, count, &own));
    if (w->handed)
        BMF_TRY(hand_to_elements(w, element, &own));
    frame_open_elements(w->frame, w->stencil, w->lists->begin, &elements);
    frame_open_picked(&elements, w->stencil, element, count, &inner);
    const int status = evaluate_batch(w->evaluator, stencil_edge(w->stencil, 0, side), &inner, &own, made);
    frame_close(&inner);
    frame_close(&elements);
    return status;
}

static int make_beyond(const windows *w, const picked *all, bmf_value *made)
{
    bmf_value end[2] = {{0}, {0}};
    int status = BMF_OK;
    if (stencil_edge(w->stencil, 0, 0) == stencil_edge(w->stencil, 0, 1))
        return make_end(w, 0, all->element, all->count, made);
    for (int side = 0; side < 2 && status == BMF_OK; side++) {
        picked some = picked_create(all->count);
        for (int64_t k = 0; k < all->count; k++)
            if (all->behind[k] == side)
                pick(&some, all->element[k], side);
        status = make_end(w, side, some.element, some.count, &end[side]);
        picked_free(&some);
    }
    if (status == BMF_OK)
        status = value_merge(w->evaluator->ctx, all->behind, all->count, &end[1], &end[0], made);
    value_free(&end[0]), value_free(&end[1]);
    return status;
}

/* ---- the function ---- */

/* What is handed on to list i, of `length` elements; -1: to all lists, once for every element. */
static int hand_on(const windows *w, int64_t i, int64_t length, bmf_value *out)
{
    bmf_context *ctx = w->evaluator->ctx;
    if (i < 0)
        return value_repeat(ctx, w->handed, w->lists->begin, out);
    BMF_TRY(value_every(ctx, w->handed, i, 1, 1, out));
    value_broadcast(out, length);
    return BMF_OK;
}

/* The function of windows, whose components are taken over; i as above. */
static int apply_function(const windows *w, bmf_frame *frame, int64_t i, const bmf_value *like, bmf_value *component,
                          bmf_value *out)
{
    bmf_value both[2] = {{0}, {0}}, elements, list;
    value_create_tuple((int)(2 * w->reach + 1), component, &elements);
    if (w->handed) {
        value_move(&elements, &both[1]);
        const int status = hand_on(w, i, both[1].count, &both[0]);
        if (status != BMF_OK) {
            value_free(&both[1]);
            return status;
        }
        value_create_tuple(2, both, &elements);
    }
    value_like(like, &elements, &list);
    return evaluate_elements(w->evaluator, w->stencil, w->stencil->child[0], frame, &list, out);
}

/* ---- long lists ---- */

/* The same stands beyond an end whoever looks there. */
static bool looks_alike(const bmf_expression *stencil)
{
    return stencil->number[0] == 1 || edges_are_constant(stencil);
}

/* List i between what is before and behind it. beyond: what there is not, of all lists, from `used` on. */
static int surround(const windows *w, int64_t i, const bmf_value *beyond, int64_t used, bmf_value *out)
{
    const bmf_value *own = &w->lists->child[0], *near = &w->around->elements;
    const int64_t length = value_length(w->lists, i), before = w->around->before[i],
                  behind = around_behind(w->around, i);
    const bmf_value *source[] = {beyond ? beyond : own, near, own, near, beyond ? beyond : own};
    const int64_t begin[] = {used, w->around->begin[i], w->lists->begin[i], w->around->begin[i] + before,
                             used + w->reach - before};
    const int64_t *const first[] = {&begin[0], &begin[1], &begin[2], &begin[3], &begin[4]}, step[5] = {0};
    const int64_t offsets[] = {
        0, w->reach - before, w->reach, w->reach + length, w->reach + length + behind, 2 * w->reach + length};
    const bmf_segments segments = {5, source, first, step, 5, offsets};
    bmf_frame one;
    bmf_pass pass;
    frame_open_picked(w->frame, w->stencil, &i, 1, &one);
    pass_open(w->evaluator, &one, "window", (const int64_t[]){0, offsets[5]}, &pass);
    const int status = value_join(&pass, &segments, out);
    pass_close(&pass);
    frame_close(&one);
    return status;
}

static int slice_components(const windows *w, const bmf_value *around, int64_t length, bmf_value *component)
{
    int status = BMF_OK;
    for (int64_t k = 0; k <= 2 * w->reach && status == BMF_OK; k++)
        status = value_slice(w->evaluator->ctx, around, k, length, &component[k]);
    return status;
}

static void free_components(bmf_value component[BMF_MAX_LEAVES])
{
    for (int k = 0; k < BMF_MAX_LEAVES; k++)
        value_free(&component[k]);
}

static int evaluate_long(const windows *w, int64_t i, const bmf_value *beyond, int64_t used, bmf_value *made)
{
    const int64_t length = value_length(w->lists, i), offset[] = {0, length};
    const bmf_value list = {
        .type = w->lists->type, .count = 1, .begin = offset, .end = offset + 1, .step = 1, .packed = true};
    bmf_value around, component[BMF_MAX_LEAVES] = {{0}}, mapped;
    bmf_frame one;
    BMF_TRY(surround(w, i, beyond, used, &around));
    int status = slice_components(w, &around, length, component);
    value_free(&around);
    if (status == BMF_OK) {
        frame_open_picked(w->frame, w->stencil, &i, 1, &one);
        status = apply_function(w, &one, i, &list, component, &mapped);
        frame_close(&one);
    }
    free_components(component);
    if (status == BMF_OK) {
        value_move(&mapped.child[0], made);
        value_free(&mapped);
    }
    return status;
}

static int evaluate_all_long(const windows *w, bmf_value *out)
{
    const int64_t count = w->lists->count;
    const bool ends = has_ends(w->stencil);
    picked missing = picked_create(2 * w->reach * count);
    int64_t *used = allocate((count + 1) * (int64_t)sizeof *used), done = 0;
    bmf_value *made = allocate_clear(count, (int64_t)sizeof *made), beyond = {0}, all;
    for (int64_t i = 0; i < count; i++) {
        used[i] = missing.count;
        for (int64_t k = w->around->before[i]; k < w->reach; k++)
            pick(&missing, w->lists->begin[i], false);
        for (int64_t k = around_behind(w->around, i); k < w->reach; k++)
            pick(&missing, w->lists->end[i] - 1, true);
    }
    int status = ends ? make_beyond(w, &missing, &beyond) : BMF_OK;
    for (; done < count && status == BMF_OK; done++)
        status = evaluate_long(w, done, ends && missing.count > 0 ? &beyond : NULL, used[done], &made[done]);
    if (status == BMF_OK)
        status = value_concatenate(w->evaluator->ctx, (int)count, made, &all);
    if (status == BMF_OK)
        value_like(w->lists, &all, out);
    for (int64_t i = 0; i < count; i++)
        value_free(&made[i]);
    value_free(&beyond);
    picked_free(&missing);
    free(made), free(used);
    return status;
}

static bool all_are_long(const bmf_value *lists)
{
    for (int64_t i = 0; i < lists->count; i++)
        if (value_length(lists, i) < LONG_LIST)
            return false;
    return lists->count > 0 && lists->count <= INT32_MAX;
}

bool windows_are_points(const bmf_expression *stencil, const bmf_value *lists)
{
    return stencil_is_scalar(stencil) && all_are_long(lists) && looks_alike(stencil);
}

/* ---- short lists ---- */

/* Windows of list i that reach beyond its end on the side of k, and how many of these reach beyond what is around. */
static int64_t leaving(const windows *w, int64_t k, int64_t i, int64_t *missing)
{
    const int64_t most = clamp(llabs(k), value_length(w->lists, i));
    const int64_t near = k < 0 ? w->around->before[i] : around_behind(w->around, i);
    *missing = clamp(llabs(k) - near, most);
    return most;
}

/* The elements of which what is beyond the ends is made, list by list, so that those of a processor stand together, and
 * component by component; with NULL these are counted. first: of each list. */
static int64_t pick_missing(const windows *w, picked *all, int64_t *first)
{
    int64_t count = 0, missing;
    for (int64_t i = 0; i < w->lists->count; i++) {
        first[i] = count;
        for (int64_t k = -w->reach; k <= w->reach; k++, count += missing) {
            leaving(w, k, i, &missing);
            const int64_t from = k < 0 ? w->lists->begin[i] : w->lists->end[i] - missing;
            for (int64_t j = 0; all && j < missing; j++)
                pick(all, from + j, k > 0);
        }
    }
    return count;
}

/* The elements k places on. used: of each list the first of what is beyond its ends for this k, and then for the next.
 */
static int make_component(const windows *w, int64_t k, const bmf_value *beyond, int64_t *used, bmf_value *out)
{
    const int64_t lists = w->lists->count, bytes = (lists + 1) * (int64_t)sizeof(int64_t);
    int64_t *begin[SOURCES] = {allocate(bytes), allocate(bytes), allocate(bytes)}, *offset = allocate(SOURCES * bytes);
    const int own = k < 0 ? 2 : 0, missed = k < 0 ? 0 : 2;
    offset[0] = 0;
    for (int64_t i = 0; i < lists; i++) {
        int64_t missing, length[SOURCES];
        const int64_t leave = leaving(w, k, i, &missing), before = w->around->before[i];
        length[missed] = missing;
        length[1] = leave - missing;
        length[own] = value_length(w->lists, i) - leave;
        begin[missed][i] = used[i];
        begin[1][i] = w->around->begin[i] + before + (k < 0 ? missing + k : k - leave);
        begin[own][i] = w->lists->begin[i] + (k < 0 ? 0 : k);
        used[i] += missing;
        for (int s = 0; s < SOURCES; s++)
            offset[SOURCES * i + s + 1] = offset[SOURCES * i + s] + length[s];
    }
    const bmf_value *elements = &w->lists->child[0];
    const bmf_value *source[SOURCES] = {elements, &w->around->elements, elements};
    source[missed] = beyond ? beyond : elements;
    const int64_t *const first[SOURCES] = {begin[0], begin[1], begin[2]}, step[SOURCES] = {1, 1, 1};
    const bmf_segments segments = {SOURCES, source, first, step, SOURCES * lists, offset};
    bmf_pass pass;
    pass_open(w->evaluator, w->frame, "window", w->lists->begin, &pass);
    const int status = value_join(&pass, &segments, out);
    pass_close(&pass);
    for (int s = 0; s < SOURCES; s++)
        free(begin[s]);
    free(offset);
    return status;
}

static int evaluate_short(const windows *w, bmf_value *out)
{
    int64_t *used = allocate((w->lists->count + 1) * (int64_t)sizeof *used);
    picked missing = picked_create(pick_missing(w, NULL, used));
    bmf_value component[BMF_MAX_LEAVES] = {{0}}, beyond = {0};
    pick_missing(w, &missing, used);
    int status = has_ends(w->stencil) ? make_beyond(w, &missing, &beyond) : BMF_OK;
    for (int64_t k = -w->reach; k <= w->reach && status == BMF_OK; k++)
        if (k == 0)
            value_share(&w->lists->child[0], &component[w->reach]);
        else
            status = make_component(w, k, missing.count > 0 ? &beyond : NULL, used, &component[w->reach + k]);
    if (status == BMF_OK)
        status = apply_function(w, w->frame, -1, w->lists, component, out);
    free_components(component);
    value_free(&beyond);
    picked_free(&missing);
    free(used);
    return status;
}

int windows_evaluate(bmf_evaluator *evaluator, bmf_expression *stencil, bmf_frame *frame, const bmf_value *handed,
                     const bmf_value *lists, const bmf_around *around, bmf_value *out)
{
    const windows w = {evaluator, stencil, frame, handed, lists, around, stencil->number[0]};
    return all_are_long(lists) && looks_alike(stencil) ? evaluate_all_long(&w, out) : evaluate_short(&w, out);
}

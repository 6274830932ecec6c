/* From the blocks of one grid to those of another.
 *
 * Method: two blocks have one box of elements in common, or none: the product of what their stretches have in common
 * along each axis. Every box is packed once, in the order in which it lies, and put into the order of its new block
 * where it arrives; boxes that stay on their processor go there directly, while messages are on their way. Who sends
 * what follows from the grids, so nobody asks.
 * Cost: one round; messages of exactly the elements that move; two passes over these, one over the others. */
#include <inttypes.h>
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/base/search.h"
#include "skeletons/engine/move.h"
#include "skeletons/engine/plan.h"
#include "skeletons/engine/regrid_private.h"

/* ---- tilings ---- */

void tiling_of_grid(const bmf_grid *grid, bmf_tiling *tiling)
{
    *tiling = (bmf_tiling){.dimensions = grid->dimensions};
    for (int d = 0; d < grid->dimensions; d++) {
        tiling->blocks[d] = grid->processors[d];
        tiling->start[d] = allocate_array(grid->processors[d] + 1, (int64_t)sizeof *tiling->start[d]);
        for (int64_t k = 0; k <= grid->processors[d]; k++)
            tiling->start[d][k] = bmf_split_start(grid->extent[d], grid->processors[d], k);
    }
}

void tiling_free(bmf_tiling *tiling)
{
    for (int d = 0; d < tiling->dimensions; d++)
        free(tiling->start[d]);
    *tiling = (bmf_tiling){0};
}

/* The block of a part along each of so many axes. */
static void place_of_part(int axes, const int64_t *blocks, int64_t part, int64_t *place)
{
    for (int a = axes - 1; a >= 0; a--) {
        place[a] = part % blocks[a];
        part /= blocks[a];
    }
}

int tiling_partition(bmf_context *ctx, int64_t base, int log2_stride, const bmf_tiling *tiling,
                     bmf_partition **partition)
{
    int64_t parts = 1;
    for (int d = 0; d < tiling->dimensions; d++)
        parts *= tiling->blocks[d];
    int64_t *start = allocate_array(parts + 1, (int64_t)sizeof *start);
    start[0] = 0;
    for (int64_t part = 0; part < parts; part++) {
        int64_t place[BMF_MAX_DIMENSIONS], elements = 1;
        place_of_part(tiling->dimensions, tiling->blocks, part, place);
        for (int d = 0; d < tiling->dimensions; d++)
            elements *= tiling->start[d][place[d] + 1] - tiling->start[d][place[d]];
        start[part + 1] = start[part] + elements;
    }
    const int status =
        bmf_partition_create(ctx, base, 1, &(bmf_level){parts, log2_stride}, start[parts], start, partition);
    free(start);
    return status;
}

/* ---- boxes ---- */

int64_t regrid_block_begin(const regrid_call *call, int side, int64_t part, int axis)
{
    int64_t place[BOX_AXES];
    place_of_part(BOX_AXES, call->side[side].blocks, part, place);
    return call->side[side].start[axis][place[axis]];
}

int64_t regrid_block_extent(const regrid_call *call, int side, int64_t part, int axis)
{
    int64_t place[BOX_AXES];
    place_of_part(BOX_AXES, call->side[side].blocks, part, place);
    return call->side[side].start[axis][place[axis] + 1] - call->side[side].start[axis][place[axis]];
}

/* The axis of a side that is axis s of the source. */
static int axis_of(const regrid_call *call, int side, int s)
{
    return side == REGRID_SOURCE ? s : call->inverse[s];
}

/* The part of a side whose block stands at k[s] along each axis s of the source. */
static int64_t part_at(const regrid_call *call, int side, const int64_t *k)
{
    int64_t part = 0;
    for (int a = 0; a < BOX_AXES; a++)
        part = part * call->side[side].blocks[a] + k[side == REGRID_SOURCE ? a : call->axis[a]];
    return part;
}

/* One part's stretch along an axis, and the blocks of the other side [first, last) that it has elements of. */
typedef struct stretch {
    int64_t begin, end;
    int64_t first, last;
    const int64_t *start; /* of the other side */
} stretch;

static stretch stretch_along(const regrid_call *call, int side, const int64_t *place, int s)
{
    const int own = axis_of(call, side, s), other = axis_of(call, 1 - side, s);
    const int64_t *start = call->side[side].start[own] + place[own];
    stretch made = {.begin = start[0], .end = start[1], .start = call->side[1 - side].start[other]};
    const int64_t blocks = call->side[1 - side].blocks[other];
    made.first = first_above(made.start + 1, blocks, made.begin);
    made.last = made.begin == made.end ? made.first : first_not_below(made.start, blocks, made.end);
    return made;
}

static void add_box(regrid_call *call, int side, shared_box *box)
{
    const int64_t from = bmf_partition_processor(call->side[REGRID_SOURCE].partition, box->from);
    const int64_t to = bmf_partition_processor(call->side[REGRID_TARGET].partition, box->to);
    shared_boxes *list = from == to ? &call->own : side == REGRID_SOURCE ? &call->sent : &call->received;
    if (from == to && side == REGRID_TARGET)
        return; /* added already */
    box->elements = 1;
    for (int s = 0; s < BOX_AXES; s++)
        box->elements *= box->end[s] - box->begin[s];
    if (box->elements > 0)
        *ARRAY_APPEND(list->box, list->count, list->capacity) = *box;
}

/* What a part of one side has in common with blocks of the other. */
static void add_boxes(regrid_call *call, int side, int64_t part)
{
    int64_t place[BOX_AXES], k[BOX_AXES];
    stretch along[BOX_AXES];
    place_of_part(BOX_AXES, call->side[side].blocks, part, place);
    for (int s = 0; s < BOX_AXES; s++)
        along[s] = stretch_along(call, side, place, s);
    for (k[0] = along[0].first; k[0] < along[0].last; k[0]++)
        for (k[1] = along[1].first; k[1] < along[1].last; k[1]++)
            for (k[2] = along[2].first; k[2] < along[2].last; k[2]++) {
                shared_box box = {0};
                const int64_t other = part_at(call, 1 - side, k);
                box.from = side == REGRID_SOURCE ? part : other;
                box.to = side == REGRID_SOURCE ? other : part;
                for (int s = 0; s < BOX_AXES; s++) {
                    const int64_t *start = along[s].start + k[s];
                    box.begin[s] = start[0] > along[s].begin ? start[0] : along[s].begin;
                    box.end[s] = start[1] < along[s].end ? start[1] : along[s].end;
                }
                add_box(call, side, &box);
            }
}

static int by_ends(const void *a, const void *b)
{
    const shared_box *x = a, *y = b;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return x->from < y->from ? -1 : x->from > y->from;
}

static void finish_boxes(shared_boxes *all)
{
    if (all->count > 0)
        qsort(all->box, (size_t)all->count, sizeof *all->box, by_ends);
    for (int64_t k = 0; k < all->count; k++) {
        all->box[k].at = all->elements;
        all->elements += all->box[k].elements;
    }
}

/* The boxes of the parts on processors [low, high). */
static void find_boxes(regrid_call *call, int64_t low, int64_t high)
{
    for (int side = 0; side < 2; side++) {
        const bmf_partition *partition = call->side[side].partition;
        const int64_t end = bmf_partition_part_from(partition, high);
        for (int64_t part = bmf_partition_part_from(partition, low); part < end; part++)
            add_boxes(call, side, part);
    }
    finish_boxes(&call->sent);
    finish_boxes(&call->received);
    finish_boxes(&call->own);
}

static void free_boxes(regrid_call *call)
{
    free(call->sent.box);
    free(call->received.box);
    free(call->own.box);
    free(call->round.message);
}

/* ---- the round ---- */

static int64_t find_box(const shared_boxes *all, const shared_box *like)
{
    const int64_t k = SEARCH_FIRST(i, 0, all->count, by_ends(&all->box[i], like) >= 0);
    return k < all->count && by_ends(&all->box[k], like) == 0 ? k : -1;
}

const shared_box *regrid_sent_here(const regrid_call *call, const shared_box *received)
{
    const int64_t k = find_box(&call->sent, received);
    return k < 0 ? NULL : &call->sent.box[k];
}

static int by_processors(const void *a, const void *b)
{
    const bmf_message *x = a, *y = b;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return x->from < y->from ? -1 : x->from > y->from;
}

static void add_message(regrid_call *call, const shared_box *box, int64_t sent, int64_t received, int64_t element_bytes)
{
    *ARRAY_APPEND(call->round.message, call->round.count, call->round.capacity) =
        (bmf_message){.from = bmf_partition_processor(call->side[REGRID_SOURCE].partition, box->from),
                      .to = bmf_partition_processor(call->side[REGRID_TARGET].partition, box->to),
                      .bytes = element_bytes == BMF_BYTES_UNKNOWN ? element_bytes : box->elements * element_bytes,
                      .first = sent,
                      .count = received};
}

static void make_round(regrid_call *call, int64_t element_bytes)
{
    for (int64_t k = 0; k < call->received.count; k++)
        add_message(call, &call->received.box[k], find_box(&call->sent, &call->received.box[k]), k, element_bytes);
    for (int64_t k = 0; k < call->sent.count; k++)
        if (find_box(&call->received, &call->sent.box[k]) < 0)
            add_message(call, &call->sent.box[k], k, -1, element_bytes);
    if (call->round.count > 0)
        qsort(call->round.message, (size_t)call->round.count, sizeof *call->round.message, by_processors);
}

/* ---- all together ---- */

static void make_side(regrid_side *side, const bmf_tiling *tiling, const bmf_partition *partition)
{
    static const int64_t one[2] = {0, 1};
    const int lacking = BOX_AXES - tiling->dimensions;
    side->partition = partition;
    for (int a = 0; a < BOX_AXES; a++) {
        side->blocks[a] = a < lacking ? 1 : tiling->blocks[a - lacking];
        side->start[a] = a < lacking ? one : tiling->start[a - lacking];
    }
}

static regrid_call make_call(const bmf_regrid *move)
{
    const int lacking = BOX_AXES - move->from->dimensions;
    regrid_call call = {.ctx = move->ctx};
    make_side(&call.side[REGRID_SOURCE], move->from, move->source);
    make_side(&call.side[REGRID_TARGET], move->to, move->target);
    for (int a = 0; a < BOX_AXES; a++)
        call.axis[a] = a < lacking ? a : move->axis[a - lacking] + lacking;
    for (int a = 0; a < BOX_AXES; a++)
        call.inverse[call.axis[a]] = a;
    return call;
}

static void print_plan(const bmf_regrid *move, const char *words, int64_t element_bytes)
{
    enum { SHOWN_MESSAGES = 4 };
    bmf_context *ctx = move->ctx;
    char from[200], to[200];
    if (!plan_wanted(ctx))
        return;
    regrid_call call = make_call(move);
    find_boxes(&call, 0, ctx->processors);
    make_round(&call, element_bytes);
    bmf_schedule *schedule = schedule_create("boxes", 0, ctx->processors);
    schedule_extend(schedule, 1);
    for (int64_t k = 0; k < call.round.count; k++)
        schedule_add(schedule, 0, call.round.message[k]);
    fprintf(ctx->plan, "%s of %s to %s\n", words, bmf_partition_print(move->source, from, sizeof from),
            bmf_partition_print(move->target, to, sizeof to));
    schedule_print(schedule, SHOWN_MESSAGES, ctx->plan);
    fflush(ctx->plan);
    schedule_free(schedule);
    free_boxes(&call);
}

int regrid(const bmf_regrid *move, const char *words, const bmf_column *column, bmf_column *out)
{
    bmf_context *ctx = move->ctx;
    regrid_call call = make_call(move);
    const int64_t element_bytes = type_element_bytes(column->type);
    print_plan(move, words, element_bytes);
    find_boxes(&call, ctx->first_processor, ctx->first_processor + ctx->local_processors);
    make_round(&call, element_bytes);
    const int status = (element_bytes == BMF_BYTES_UNKNOWN ? regrid_nested : regrid_fixed)(&call, column, out);
    free_boxes(&call);
    return status;
}

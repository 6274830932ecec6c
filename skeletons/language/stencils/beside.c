/* What stands around the blocks of a grid, brought from other blocks.
 *
 * Method: a round for every axis along which blocks stand beside each other, the last axis first. Along it, what each
 * block needs of which follows from how the grid cuts the whole (skeletons/stencil/axis.c), also where blocks are
 * narrower than windows reach, so nobody asks. Along the axes behind it a message has what was brought before, so
 * diagonal neighbours are heard of in as many rounds as there are axes, by 2 messages each. Points go from where they
 * lie to where windows look for them, packed once.
 * Cost: 2 messages a block and axis, if blocks have `reach` points along it or more; of exactly the points. */
#include "skeletons/language/stencils/beside.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "skeletons/engine/move.h"
#include "skeletons/engine/plan.h"

/* ---- which pieces there are ---- */

static int64_t extent_along(const bmf_axis *axis, int64_t block)
{
    return axis->start[block + 1] - axis->start[block];
}

/* Where a part's block stands along each axis. */
static void place_of(const bmf_beside *b, int64_t part, int64_t place[BMF_AXES])
{
    for (int k = BMF_AXES - 1; k >= 0; k--) {
        place[k] = part % b->axis[k].blocks;
        part /= b->axis[k].blocks;
    }
}

static int64_t part_at(const bmf_beside *b, const int64_t place[BMF_AXES])
{
    int64_t part = 0;
    for (int k = 0; k < BMF_AXES; k++)
        part = part * b->axis[k].blocks + place[k];
    return part;
}

static void count_along(const bmf_axis *axis, int64_t block, int64_t *before, int64_t *behind)
{
    *before = *behind = 0;
    for (int64_t k = axis->needed[block]; k < axis->needed[block + 1]; k++)
        *(axis->stretch[k].to < 0 ? before : behind) += axis->stretch[k].to == 0 ? 0 : axis->stretch[k].count;
}

void beside_count(const bmf_beside *b, int64_t i, int axis, int64_t *before, int64_t *behind)
{
    int64_t place[BMF_AXES];
    place_of(b, b->spread->elements->local[i], place);
    count_along(&b->axis[axis], place[axis], before, behind);
}

/* A piece's points, as the needer has them. */
static bmf_box piece_box(const bmf_beside *b, const beside_piece *piece)
{
    const bmf_stretch *s = &b->axis[b->next].stretch[piece->stretch];
    int64_t place[BMF_AXES];
    bmf_box box = {{0}, {0}};
    place_of(b, piece->needer, place);
    for (int k = 0; k < BMF_AXES; k++) {
        int64_t before, behind;
        box.end[k] = extent_along(&b->axis[k], place[k]);
        if (k <= b->next)
            continue;
        count_along(&b->axis[k], place[k], &before, &behind);
        box.begin[k] -= before;
        box.end[k] += behind;
    }
    box.begin[b->next] = s->to;
    box.end[b->next] = s->to + s->count;
    return box;
}

/* No points are in a block that has none along another axis. */
static bool has_points(const bmf_beside *b, const int64_t place[BMF_AXES])
{
    for (int k = 0; k < BMF_AXES; k++)
        if (extent_along(&b->axis[k], place[k]) == 0)
            return false;
    return true;
}

static bool is_among(const bmf_beside *b, int64_t part, int64_t low, int64_t high)
{
    const int64_t processor = b->spread->elements->processor[part];
    return processor >= low && processor < high;
}

static void add_piece(bmf_beside *b, int64_t needer, int64_t owner, int64_t stretch)
{
    beside_piece *piece = ARRAY_APPEND(b->piece, b->pieces, b->capacity);
    *piece = (beside_piece){.needer = needer, .owner = owner, .stretch = stretch};
    const bmf_box box = piece_box(b, piece);
    piece->bytes = box_elements(&box) * b->point_bytes;
}

/* What a part on processors [low, high) needs of other parts, and what such on other processors need of it. */
static void add_pieces(bmf_beside *b, int64_t part, int64_t low, int64_t high)
{
    const bmf_axis *axis = &b->axis[b->next];
    int64_t place[BMF_AXES], other[BMF_AXES];
    place_of(b, part, place);
    if (!has_points(b, place))
        return;
    memcpy(other, place, sizeof other);
    const int64_t block = place[b->next];
    for (int64_t k = axis->needed[block]; k < axis->needed[block + 1]; k++) {
        other[b->next] = axis->stretch[k].owner;
        if (other[b->next] != block)
            add_piece(b, part, part_at(b, other), k);
    }
    for (int64_t k = axis->owned[block]; k < axis->owned[block + 1]; k++) {
        other[b->next] = axis->provided[k]->needer;
        const int64_t needer = part_at(b, other);
        if (needer != part && !is_among(b, needer, low, high))
            add_piece(b, needer, part, axis->provided[k] - axis->stretch);
    }
}

static int by_needer(const void *a, const void *b)
{
    const beside_piece *x = a, *y = b;
    if (x->needer != y->needer)
        return x->needer < y->needer ? -1 : 1;
    return x->stretch < y->stretch ? -1 : x->stretch > y->stretch;
}

/* The round of the next axis: what this rank has to do with, or all of it. */
static void make_round(bmf_beside *b, bool all)
{
    const bmf_context *ctx = b->evaluator->ctx;
    const bmf_layout *elements = b->spread->elements;
    const int64_t low = all ? 0 : ctx->first_processor, high = all ? ctx->processors : low + ctx->local_processors;
    const int64_t parts = all ? elements->count : elements->local_count;
    b->pieces = b->bytes = b->round.count = 0;
    for (int64_t k = 0; k < parts; k++)
        add_pieces(b, all ? k : elements->local[k], low, high);
    if (b->pieces > 0)
        qsort(b->piece, (size_t)b->pieces, sizeof *b->piece, by_needer);
    for (int64_t k = 0; k < b->pieces; k++) {
        beside_piece *piece = &b->piece[k];
        piece->offset = b->bytes;
        b->bytes += piece->bytes;
        *ARRAY_APPEND(b->round.message, b->round.count, b->round.capacity) =
            (bmf_message){.from = b->spread->elements->processor[piece->owner],
                          .to = b->spread->elements->processor[piece->needer],
                          .bytes = piece->bytes,
                          .first = k,
                          .count = 1};
    }
}

/* ---- opening ---- */

static int outermost(const bmf_beside *b)
{
    return BMF_AXES - stencil_dimensions(b->stencil);
}

static void open_axis(bmf_beside *b, int k, const bmf_tiling *tiling)
{
    static const int64_t one[2] = {0, 1};
    const int d = k - outermost(b);
    const int64_t blocks = d < 0 ? 1 : tiling->blocks[d], bytes = (blocks + 1) * (int64_t)sizeof(int64_t);
    const bool ring = d >= 0 && !stencil_edge(b->stencil, d, 0);
    b->axis[k] = (bmf_axis){.blocks = blocks,
                            .start = allocate(bytes),
                            .radius = d < 0 ? 0 : b->stencil->number[d],
                            .boundary = ring ? BMF_BOUNDARY_PERIODIC : BMF_BOUNDARY_FIXED};
    memcpy(b->axis[k].start, d < 0 ? one : tiling->start[d], (size_t)bytes);
    axis_make(&b->axis[k]);
    b->rounds += blocks > 1;
}

/* Of a point of the lists that the stencil takes. */
static int64_t point_bytes(const bmf_expression *stencil)
{
    const bmf_type *type = stencil->in->component[0];
    type = type->kind == BMF_TUPLE ? type->component[1] : type;
    for (int d = stencil_dimensions(stencil); d > 0 && type->kind == BMF_LIST; d--)
        type = type->component[0];
    return type->kind == BMF_NOTHING ? 0 : type_element_bytes(type);
}

/* The rounds of the whole evaluator. */
static void print_plan(bmf_beside *b)
{
    enum { SHOWN_MESSAGES = 4 };
    bmf_context *ctx = b->evaluator->ctx;
    char type[200];
    if (!plan_wanted(ctx))
        return;
    bmf_schedule *whole = schedule_create("beside", 0, ctx->processors);
    schedule_extend(whole, b->rounds);
    for (int r = 0; r < b->rounds; b->next--) {
        if (b->axis[b->next].blocks == 1)
            continue;
        make_round(b, true);
        for (int64_t k = 0; k < b->round.count; k++)
            schedule_add(whole, r, b->round.message[k]);
        r++;
    }
    b->next = BMF_AXES - 1;
    fprintf(ctx->plan, "%s of %s", expression_keyword(b->stencil), bmf_type_print(b->stencil->in, type, sizeof type));
    for (int k = outermost(b); k < BMF_AXES; k++)
        fprintf(ctx->plan, "%s%" PRId64, k == outermost(b) ? ", " : " x ", b->axis[k].start[b->axis[k].blocks]);
    fprintf(ctx->plan, " points\n");
    schedule_print(whole, SHOWN_MESSAGES, ctx->plan);
    fflush(ctx->plan);
    schedule_free(whole);
}

void beside_open(bmf_beside *b, bmf_evaluator *evaluator, const bmf_expression *stencil, const bmf_distribution *spread,
                 const bmf_tiling *tiling)
{
    *b = (bmf_beside){.evaluator = evaluator,
                      .stencil = stencil,
                      .spread = spread,
                      .point_bytes = point_bytes(stencil),
                      .next = BMF_AXES - 1};
    for (int k = 0; k < BMF_AXES; k++)
        open_axis(b, k, tiling);
    print_plan(b);
}

static void free_buffers(bmf_beside *b)
{
    free(b->sent);
    free(b->received);
    b->sent = b->received = NULL;
}

void beside_close(bmf_beside *b)
{
    for (int k = 0; k < BMF_AXES; k++)
        axis_free(&b->axis[k]);
    free_buffers(b);
    free(b->piece);
    free(b->round.message);
}

/* ---- points on their way ---- */

/* Points of a block here, on their way to or from a buffer that has them leaf after leaf. */
typedef struct copying {
    const bmf_points *p;
    const points_block *q;
    bmf_point_slices slices;
    const bmf_box *box;
    char *buffer;
    int64_t elements, done;
    bool packs;
} copying;

/* Rows of any kind, in runs. Near points, which are all that is unpacked, stand side by side. */
static void copy_rows(copying *c)
{
    const bmf_box *box = c->box;
    int64_t at[BMF_AXES], count;
    for (at[0] = box->begin[0]; at[0] < box->end[0]; at[0]++)
        for (at[1] = box->begin[1]; at[1] < box->end[1]; at[1]++)
            for (at[2] = box->begin[2]; at[2] < box->end[2]; at[2] += count, c->done += count) {
                const int64_t number = points_find(c->p, c->q, at, &count);
                char *buffer = c->buffer;
                count = count < box->end[2] - at[2] ? count : box->end[2] - at[2];
                for (int leaf = 0; leaf < c->p->leaves; leaf++) {
                    const int64_t size = c->p->leaf[leaf]->size;
                    const bmf_slice slice = point_slice(c->p, &c->slices, number, leaf);
                    if (c->packs)
                        points_copy(&slice, count, size, buffer + c->done * size);
                    else
                        memcpy(slice.data, buffer + c->done * size, (size_t)(count * size));
                    buffer += c->elements * size;
                }
            }
}

/* Pieces below each other, so many bytes apart where points lie. */
static void copy_column(char *points, int64_t apart, int64_t rows, int64_t bytes, char *buffer, bool packs)
{
    for (int64_t row = 0; row < rows; row++, points += apart, buffer += bytes) {
        char *to = packs ? buffer : points;
        const char *from = packs ? points : buffer;
        if (bytes == sizeof(int64_t))
            memcpy(to, from, sizeof(int64_t));
        else
            memcpy(to, from, (size_t)bytes);
    }
}

/* Own rows, or what stands beside them on one side: each plane's are as far apart as any. */
static void copy_columns(copying *c)
{
    const bmf_box *box = c->box;
    const int64_t rows = box_extent(box, 1), columns = box_extent(box, 2);
    int64_t at[BMF_AXES] = {0, 0, box->begin[2]}, unused;
    for (at[0] = box->begin[0]; at[0] < box->end[0]; at[0]++, c->done += rows * columns) {
        at[1] = box->begin[1];
        const int64_t number = points_find(c->p, c->q, at, &unused);
        at[1]++;
        const int64_t apart = rows > 1 ? points_find(c->p, c->q, at, &unused) - number : 0;
        char *buffer = c->buffer;
        for (int leaf = 0; leaf < c->p->leaves; leaf++) {
            const int64_t size = c->p->leaf[leaf]->size;
            const bmf_slice slice = point_slice(c->p, &c->slices, number, leaf);
            copy_column(slice.data, apart * size, rows, columns * size, buffer + c->done * size, c->packs);
            buffer += c->elements * size;
        }
    }
}

static bool lie_side_by_side(const copying *c)
{
    bool all = true;
    for (int leaf = 0; leaf < c->p->leaves; leaf++)
        all = all && c->slices.own[leaf].stride == c->p->leaf[leaf]->size;
    return all;
}

static void copy_box(const bmf_beside *b, int64_t part, const bmf_box *box, char *buffer, bool packs)
{
    copying c = {.p = b->points,
                 .q = &b->points->block[part - b->spread->elements->local[0]],
                 .box = box,
                 .buffer = buffer,
                 .elements = box_elements(box),
                 .packs = packs};
    points_slices(c.p, &c.slices);
    if (b->next == BMF_AXES - 1 && lie_side_by_side(&c))
        copy_columns(&c);
    else
        copy_rows(&c);
}

/* The same points, as their owner has them. */
static bmf_box at_owner(const bmf_beside *b, const bmf_stretch *s, const bmf_box *box)
{
    bmf_box own = *box;
    own.begin[b->next] = s->from;
    own.end[b->next] = s->from + s->count;
    return own;
}

static void pack(const bmf_beside *b, const beside_piece *piece, char *to)
{
    const bmf_box box = piece_box(b, piece), own = at_owner(b, &b->axis[b->next].stretch[piece->stretch], &box);
    copy_box(b, piece->owner, &own, to, true);
}

static void unpack(const bmf_beside *b, const beside_piece *piece, char *from)
{
    const bmf_box box = piece_box(b, piece);
    copy_box(b, piece->needer, &box, from, false);
}

static int outgoing(void *state, const bmf_message *message, bmf_segment *segment)
{
    const bmf_beside *b = state;
    const beside_piece *piece = &b->piece[message->first];
    pack(b, piece, b->sent + piece->offset);
    segment[0] = (bmf_segment){b->sent + piece->offset, piece->bytes};
    return 1;
}

static int incoming(void *state, const bmf_message *message, bmf_segment *segment)
{
    const bmf_beside *b = state;
    const beside_piece *piece = &b->piece[message->first];
    segment[0] = (bmf_segment){b->received + piece->offset, piece->bytes};
    return 1;
}

/* What blocks here need of themselves along the next axis: of rings as short as that. */
static void copy_own(const bmf_beside *b)
{
    const bmf_axis *axis = &b->axis[b->next];
    const bmf_layout *elements = b->spread->elements;
    for (int64_t i = 0; i < elements->local_count; i++) {
        int64_t place[BMF_AXES];
        place_of(b, elements->local[i], place);
        for (int64_t k = axis->needed[place[b->next]]; k < axis->needed[place[b->next] + 1]; k++) {
            const bmf_stretch *s = &axis->stretch[k];
            if (s->to == 0 || s->owner != s->needer || !has_points(b, place))
                continue;
            beside_piece piece = {.needer = elements->local[i], .owner = elements->local[i], .stretch = k};
            const bmf_box box = piece_box(b, &piece);
            char *buffer = allocate(box_elements(&box) * b->point_bytes);
            pack(b, &piece, buffer);
            unpack(b, &piece, buffer);
            free(buffer);
        }
    }
}

static bool has_data(const bmf_beside *b)
{
    return b->points && !b->evaluator->ctx->sends_marks;
}

/* ---- rounds ---- */

/* Behind what has no messages. */
static void pass_over(bmf_beside *b)
{
    for (; b->next >= 0 && b->axis[b->next].blocks == 1; b->next--)
        if (has_data(b))
            copy_own(b);
}

int beside_begin(bmf_beside *b)
{
    bmf_context *ctx = b->evaluator->ctx;
    pass_over(b);
    if (b->next < 0)
        return BMF_OK;
    make_round(b, false);
    b->sent = allocate(b->bytes);
    b->received = allocate(b->bytes);
    ctx->step++;
    return backend_exchange_begin(ctx, &b->round, 0, &(bmf_transfer){outgoing, incoming, b}, &b->under_way);
}

int beside_end(bmf_beside *b)
{
    if (b->next < 0)
        return BMF_OK;
    BMF_TRY(backend_exchange_end(b->evaluator->ctx, b->under_way));
    b->under_way = NULL;
    for (int64_t k = 0; k < b->pieces && has_data(b); k++)
        if (is_local(b->evaluator->ctx, b->round.message[k].to))
            unpack(b, &b->piece[k], b->received + b->piece[k].offset);
    if (has_data(b))
        copy_own(b);
    free_buffers(b);
    b->next--;
    return BMF_OK;
}

void beside_finish(bmf_beside *b)
{
    pass_over(b);
}

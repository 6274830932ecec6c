/* Computing the blocks of a stencil.
 *
 * Method: windows that lie in the block read the list itself. They are computed a few rows together, some hundred bytes
 * of each in turn, so that what neighbours share comes from the first-level cache, in tiles of columns (and, of three
 * axes, rows) narrow enough for the rows (planes) of a window to stay in the second-level cache, so that every element
 * is read from memory once; long results go past the caches. For all others, a frame as wide as the radius, tiles of
 * the block are copied together with what surrounds them, received or fixed, and computed from there.
 * Cost: 2 n w bytes of memory a step, and the frame's elements some times more. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/base/copy_nontemporal.h"
#include "runtime/base/memory.h"
#include "skeletons/stencil/stencil.h"

enum {
    UNKNOWN_CACHE_BYTES = 256 << 10,
    CHUNK_BYTES = 512,     /* that go past the caches at once; measured from 128 bytes to whole rows */
    AHEAD_BYTES = 2048,    /* along rows that follow each other */
    ROWS_AHEAD = 16,       /* where a row has less than a line */
    FEWEST_COLUMNS = 512,  /* of a tile: shorter rows cost more than they save */
    FRAME_COLUMNS = 2048,  /* of a tile of the frame */
    FRAME_ELEMENTS = 8192, /* of all of it */
    ROWS_TOGETHER = 4,     /* 2 to 8 were measured: from 4 on times are about the same */
    LINE_BYTES = 64
};

/* Boxes to be computed, one for each piece of work. */
typedef struct tasks {
    bmf_piece *piece;
    bmf_box *box; /* local to the block of piece.part */
    int64_t count, capacity, box_capacity;
} tasks;

struct bmf_blocks {
    const bmf_stencil_call *call;
    const bmf_halo *halo;
    tasks inside, frame;
    bool streaming; /* results go past the caches */
    bmf_buffer **window;
    /* of the step that is computed */
    const char *from;
    char *to;
    bmf_exchange *under_way;
};

/* ---- cutting ---- */

static void add_task(tasks *all, const bmf_partition *partition, int64_t part, const bmf_box *box)
{
    const int64_t begin = all->count > 0 ? all->piece[all->count - 1].end : bmf_partition_local_begin(partition);
    ARRAY_RESERVE(all->box, all->box_capacity, all->count + 1);
    all->box[all->count] = *box;
    *ARRAY_APPEND(all->piece, all->count, all->capacity) =
        (bmf_piece){.part = part,
                    .processor = bmf_partition_processor(partition, part),
                    .begin = begin,
                    .end = begin + box_elements(box)};
}

/* Every worker gets a contiguous run of pieces, about as many elements as the others. */
static void assign_workers(tasks *all, int workers)
{
    int64_t elements = 0, before = 0;
    for (int64_t k = 0; k < all->count; k++)
        elements += box_elements(&all->box[k]);
    for (int64_t k = 0; k < all->count; k++) {
        const int64_t own = box_elements(&all->box[k]);
        const int64_t worker = elements > 0 ? (int64_t)((double)(before + own / 2) / (double)elements * workers) : 0;
        all->piece[k].worker = (int)(worker < workers ? worker : workers - 1);
        before += own;
    }
}

/* The inside of a block: windows around it do not leave it. */
static bmf_box inside_of(const bmf_stencil_call *call, const bmf_box *own)
{
    bmf_box inside = *own;
    for (int k = 0; k < BMF_AXES; k++) {
        inside.begin[k] = call->axis[k].radius;
        inside.end[k] = own->end[k] - call->axis[k].radius;
    }
    return inside;
}

/* Cut into at most `slices` along the first axis that is long enough, or else the longest. */
static void add_slices(tasks *all, const bmf_partition *partition, int64_t part, const bmf_box *box, int64_t slices)
{
    int axis = 0;
    for (int k = 1; k < BMF_AXES && box_extent(box, axis) < slices; k++)
        axis = box_extent(box, k) > box_extent(box, axis) ? k : axis;
    const int64_t extent = box_extent(box, axis), pieces = extent < slices ? extent : slices;
    for (int64_t k = 0; k < pieces; k++) {
        bmf_box slice = *box;
        slice.begin[axis] = box->begin[axis] + bmf_split_start(extent, pieces, k);
        slice.end[axis] = box->begin[axis] + bmf_split_start(extent, pieces, k + 1);
        add_task(all, partition, part, &slice);
    }
}

/* In tiles that a worker's buffer holds with what surrounds them. */
static void add_tiles(tasks *all, const bmf_partition *partition, int64_t part, const bmf_box *box)
{
    int64_t extent[BMF_AXES], room = FRAME_ELEMENTS;
    for (int k = BMF_AXES - 1; k >= 0; k--) {
        const int64_t most = k == BMF_AXES - 1 ? FRAME_COLUMNS : room;
        extent[k] = box_extent(box, k) < most ? box_extent(box, k) : most;
        if (extent[k] == 0)
            return;
        room = room / extent[k] > 0 ? room / extent[k] : 1;
    }
    bmf_box tile;
    for (int64_t a = box->begin[0]; a < box->end[0]; a += extent[0])
        for (int64_t b = box->begin[1]; b < box->end[1]; b += extent[1])
            for (int64_t c = box->begin[2]; c < box->end[2]; c += extent[2]) {
                tile = (bmf_box){{a, b, c}, {a + extent[0], b + extent[1], c + extent[2]}};
                tile = box_intersection(&tile, box);
                add_task(all, partition, part, &tile);
            }
}

/* What of a block is not inside, axis by axis: before, behind, and then between them. */
static void add_frame(tasks *all, const bmf_partition *partition, int64_t part, const bmf_box *own,
                      const bmf_box *inside)
{
    bmf_box rest = *own;
    if (box_elements(inside) == 0) {
        add_tiles(all, partition, part, own);
        return;
    }
    for (int k = 0; k < BMF_AXES; k++) {
        bmf_box side = rest;
        side.end[k] = inside->begin[k];
        add_tiles(all, partition, part, &side);
        side = rest;
        side.begin[k] = inside->end[k];
        add_tiles(all, partition, part, &side);
        rest.begin[k] = inside->begin[k];
        rest.end[k] = inside->end[k];
    }
}

static void cut_blocks(bmf_blocks *blocks)
{
    const bmf_stencil_call *call = blocks->call;
    const bmf_partition *partition = call->partition;
    const int threads = call->ctx->threads;
    const int64_t shares = work_shares(call->ctx);
    const int64_t local = bmf_partition_local_end(partition) - bmf_partition_local_begin(partition);
    for (int64_t k = 0; k < partition->local_parts; k++) {
        const int64_t part = partition->local_first + k;
        const bmf_box own = part_box(call, part), inside = inside_of(call, &own);
        const int64_t elements = box_elements(&inside);
        if (elements > 0)
            add_slices(&blocks->inside, partition, part, &inside, (elements * shares + local - 1) / local);
        add_frame(&blocks->frame, partition, part, &own, &inside);
    }
    assign_workers(&blocks->inside, threads);
    assign_workers(&blocks->frame, threads);
}

static int64_t window_elements(const bmf_stencil_call *call, const bmf_box *tile)
{
    int64_t elements = 1;
    for (int k = 0; k < BMF_AXES; k++)
        elements *= box_extent(tile, k) + 2 * call->axis[k].radius;
    return elements;
}

static bool can_stream(const bmf_stencil_call *call)
{
    const bmf_kernel *kernel = &call->kernel->kernel;
    const bmf_slice in[BMF_MAX_INPUTS] = {{0}}, out = {0};
    const int64_t local = bmf_partition_local_end(call->partition) - bmf_partition_local_begin(call->partition);
    return local * call->size >= BMF_STREAMED_BYTES && LINE_BYTES % call->size == 0 && kernel->version >= 1 &&
           kernel->stream && kernel->stream(kernel->context, 0, in, &out);
}

bmf_blocks *blocks_create(const bmf_stencil_call *call, const bmf_halo *halo)
{
    bmf_blocks *blocks = allocate_clear(1, (int64_t)sizeof *blocks);
    int64_t elements = 0;
    *blocks = (bmf_blocks){.call = call, .halo = halo, .streaming = can_stream(call)};
    cut_blocks(blocks);
    for (int64_t k = 0; k < blocks->frame.count; k++) {
        const int64_t needed = window_elements(call, &blocks->frame.box[k]);
        elements = needed > elements ? needed : elements;
    }
    blocks->window = allocate_array(call->ctx->threads, (int64_t)sizeof *blocks->window);
    for (int w = 0; w < call->ctx->threads; w++)
        blocks->window[w] = working_buffer(elements * call->size);
    return blocks;
}

static void free_tasks(tasks *all)
{
    free(all->piece);
    free(all->box);
}

void blocks_free(bmf_blocks *blocks)
{
    for (int w = 0; w < blocks->call->ctx->threads; w++)
        buffer_release(blocks->window[w]);
    free(blocks->window);
    free_tasks(&blocks->inside);
    free_tasks(&blocks->frame);
    free(blocks);
}

/* ---- rows ---- */

/* How many bytes behind an element what is asked for stands: in the row that windows read first there, or in that of
 * the next rows together, if of every row only a piece is computed. */
static int64_t bytes_ahead(const bmf_blocks *blocks, const bmf_slice in[BMF_AXES], int64_t count)
{
    const bmf_stencil_call *call = blocks->call;
    const bool star = call->kernel->window == BMF_WINDOW_STAR;
    const int64_t edges = 2 * call->axis[2].radius * call->size + 2 * LINE_BYTES;
    const bool piece = call->axis[1].radius > 0 && count * call->size + edges < in[1].stride;
    const int64_t rows = call->axis[0].radius > 0 && star ? 0 : call->axis[1].radius;
    const int64_t next = piece ? ROWS_TOGETHER * in[1].stride : AHEAD_BYTES;
    return call->axis[0].radius * in[2].stride + rows * in[1].stride + next;
}

/* A row of elements on its way. */
typedef struct row {
    bmf_slice in[BMF_AXES], out;
    int64_t whole, behind; /* elements in whole lines of results, and behind them */
} row;

static void advance(row *r, int64_t elements, int64_t size)
{
    r->in[0].data = (char *)r->in[0].data + elements * size;
    r->out.data = (char *)r->out.data + elements * size;
}

/* `count` elements next to each other: what is in front of the first whole line. */
static void begin_row(const bmf_blocks *blocks, row *r, int64_t count)
{
    const bmf_kernel *kernel = &blocks->call->kernel->kernel;
    const int64_t size = blocks->call->size, line = LINE_BYTES / size;
    const int64_t before = (int64_t)(-(uintptr_t)r->out.data % LINE_BYTES) / size;
    const bool short_row = !blocks->streaming || count < before + line;
    r->whole = short_row ? 0 : (count - before) / line * line;
    r->behind = short_row ? count : count - before - r->whole;
    if (!short_row && before > 0) {
        kernel->block(kernel->context, before, r->in, &r->out);
        advance(r, before, size);
    }
}

/* Whole lines past the caches, a little of every row in turn: rows that are neighbours read from the first-level cache
 * what they share. What windows will read is asked for meanwhile: the machine's own reading ahead does not keep up. (A
 * function of prefetches alone would be taken for one that does nothing.) */
static void stream_rows(const bmf_blocks *blocks, row *all, int rows, int64_t ahead)
{
    const bmf_kernel *kernel = &blocks->call->kernel->kernel;
    const int64_t size = blocks->call->size, chunk = CHUNK_BYTES / size;
    for (bool more = true; more;) {
        more = false;
        for (int k = 0; k < rows; k++) {
            row *r = &all[k];
            const int64_t now = r->whole < chunk ? r->whole : chunk;
            for (int64_t i = 0; i < now * size; i += LINE_BYTES)
                __builtin_prefetch((const char *)r->in[0].data + ahead + i);
            if (now > 0)
                kernel->stream(kernel->context, now, r->in, &r->out);
            advance(r, now, size);
            r->whole -= now;
            more = more || r->whole > 0;
        }
    }
}

/* Rows that are neighbours; the ends that are no whole lines as usual, all between them past the caches. */
static void compute_together(const bmf_blocks *blocks, row *all, int rows, int64_t count)
{
    const bmf_kernel *kernel = &blocks->call->kernel->kernel;
    const int64_t ahead = bytes_ahead(blocks, all[0].in, count);
    for (int k = 0; k < rows; k++)
        begin_row(blocks, &all[k], count);
    stream_rows(blocks, all, rows, ahead);
    for (int k = 0; k < rows; k++)
        if (all[k].behind > 0)
            kernel->block(kernel->context, all[k].behind, all[k].in, &all[k].out);
}

/* Elements of a box, row by row: from an array with `from_box` in it to one with `to_box`. */
static void compute_rows(const bmf_blocks *blocks, const bmf_box *box, const char *from, const bmf_box *from_box,
                         char *to, const bmf_box *to_box)
{
    const int64_t size = blocks->call->size, count = box_extent(box, 2);
    const int64_t wide = box_extent(from_box, 2), plane = wide * box_extent(from_box, 1);
    for (int64_t a = box->begin[0]; a < box->end[0]; a++)
        for (int64_t b = box->begin[1]; b < box->end[1];) {
            row all[ROWS_TOGETHER];
            int rows = 0;
            for (; rows < ROWS_TOGETHER && b < box->end[1]; rows++, b++) {
                const int64_t at = (a - from_box->begin[0]) * plane + (b - from_box->begin[1]) * wide + box->begin[2] -
                                   from_box->begin[2];
                const int64_t target =
                    ((a - to_box->begin[0]) * box_extent(to_box, 1) + b - to_box->begin[1]) * box_extent(to_box, 2) +
                    box->begin[2] - to_box->begin[2];
                all[rows] = (row){
                    .in = {{(void *)(uintptr_t)(from + at * size), size}, {NULL, wide * size}, {NULL, plane * size}},
                    .out = {to + target * size, size}};
                if (count * size < LINE_BYTES)
                    __builtin_prefetch(to + (target + ROWS_AHEAD * box_extent(to_box, 2)) * size, 1);
            }
            compute_together(blocks, all, rows, count);
        }
}

static int64_t block_offset(const bmf_blocks *blocks, int64_t part)
{
    const bmf_partition *partition = blocks->call->partition;
    return (partition->start[part] - bmf_partition_local_begin(partition)) * blocks->call->size;
}

/* ---- inside ---- */

/* Elements that the second-level cache holds. */
static int64_t cached_elements(const bmf_stencil_call *call)
{
    const int64_t bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return (bytes > 0 ? bytes : UNKNOWN_CACHE_BYTES) / call->size;
}

/* As few columns as give the same number of tiles. */
static int64_t evenly(int64_t extent, int64_t most)
{
    most = most < FEWEST_COLUMNS ? FEWEST_COLUMNS : most / LINE_BYTES * LINE_BYTES;
    const int64_t tiles = extent > most ? (extent + most - 1) / most : 1;
    return (extent + tiles - 1) / tiles;
}

/* Columns and rows of a tile. In half of the cache are the rows of a window and the one that is asked for: the longer
 * they are the better, because memory is read and written where it was last, and nothing is read ahead in vain at the
 * ends of rows. Whole rows of 64 KB gave 1.05 to 1.15 times the speed of tiles of a third of them, and these 1.2 to 1.4
 * times that of tiles of 4 KB. Of planes a window's have an eighth of the cache. */
static void tile_extents(const bmf_stencil_call *call, const bmf_box *box, int64_t *rows, int64_t *columns)
{
    const int64_t room = cached_elements(call);
    const int64_t high = 2 * call->axis[1].radius + 2, deep = 2 * call->axis[0].radius + 1;
    *rows = box_extent(box, 1);
    *columns = evenly(box_extent(box, 2), room / 2 / high);
    if (deep > 1) {
        *columns = room / 8 / deep / 8;
        *columns = *columns < FEWEST_COLUMNS ? FEWEST_COLUMNS : *columns / LINE_BYTES * LINE_BYTES;
        *rows = room / 8 / deep / *columns;
        *rows = *rows < 8 ? 8 : *rows;
    }
}

static int compute_inside(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    const bmf_blocks *blocks = state;
    const bmf_stencil_call *call = blocks->call;
    const bmf_box own = part_box(call, piece->part), *box = &blocks->inside.box[index];
    const int64_t offset = block_offset(blocks, piece->part);
    int64_t rows, columns;
    tile_extents(call, box, &rows, &columns);
    for (int64_t b = box->begin[1]; b < box->end[1]; b += rows)
        for (int64_t c = box->begin[2]; c < box->end[2]; c += columns) {
            bmf_box tile = {{box->begin[0], b, c}, {box->end[0], b + rows, c + columns}};
            tile = box_intersection(&tile, box);
            compute_rows(blocks, &tile, blocks->from + offset, &own, blocks->to + offset, &own);
            if (worker == 0)
                backend_exchange_progress(call->ctx, blocks->under_way);
        }
    return 0;
}

/* ---- the frame ---- */

/* Copies what two boxes have in common. Rows of a few elements are lines far apart, which are asked for ahead. */
static void copy_common(const bmf_blocks *blocks, const char *from, const bmf_box *from_box, char *to,
                        const bmf_box *to_box)
{
    const int64_t size = blocks->call->size;
    const bmf_box both = box_intersection(from_box, to_box);
    if (box_elements(&both) == 0)
        return;
    for (int64_t a = both.begin[0]; a < both.end[0]; a++)
        for (int64_t b = both.begin[1]; b < both.end[1]; b++) {
            const int64_t source = ((a - from_box->begin[0]) * box_extent(from_box, 1) + b - from_box->begin[1]) *
                                       box_extent(from_box, 2) +
                                   both.begin[2] - from_box->begin[2];
            const int64_t target =
                ((a - to_box->begin[0]) * box_extent(to_box, 1) + b - to_box->begin[1]) * box_extent(to_box, 2) +
                both.begin[2] - to_box->begin[2];
            if (box_extent(&both, 2) * size < LINE_BYTES)
                __builtin_prefetch(from + (source + ROWS_AHEAD * box_extent(from_box, 2)) * size);
            memcpy(to + target * size, from + source * size, (size_t)(box_extent(&both, 2) * size));
        }
}

static void fill(const bmf_blocks *blocks, const bmf_box *part, const void *value, char *to, const bmf_box *to_box)
{
    const int64_t size = blocks->call->size;
    const bmf_box both = box_intersection(part, to_box);
    for (int64_t a = both.begin[0]; a < both.end[0]; a++)
        for (int64_t b = both.begin[1]; b < both.end[1]; b++)
            for (int64_t c = both.begin[2]; c < both.end[2]; c++) {
                const int64_t target =
                    ((a - to_box->begin[0]) * box_extent(to_box, 1) + b - to_box->begin[1]) * box_extent(to_box, 2) +
                    c - to_box->begin[2];
                if (value)
                    memcpy(to + target * size, value, (size_t)size);
                else
                    memset(to + target * size, 0, (size_t)size);
            }
}

/* What is beyond fixed edges; the first axis comes last, because it says in corners. */
static void fill_outside(const bmf_blocks *blocks, int64_t part, char *to, const bmf_box *to_box)
{
    const bmf_stencil_call *call = blocks->call;
    int64_t block[BMF_AXES];
    block_of_part(call, part, block);
    for (int k = BMF_AXES - 1; k >= 0; k--) {
        const bmf_axis *axis = &call->axis[k];
        bmf_box before = *to_box, behind = *to_box;
        if (axis->boundary != BMF_BOUNDARY_FIXED || axis->radius == 0)
            continue;
        before.end[k] = -axis->start[block[k]];
        behind.begin[k] = axis->start[axis->blocks] - axis->start[block[k]];
        fill(blocks, &before, axis->outside[0], to, to_box);
        fill(blocks, &behind, axis->outside[1], to, to_box);
    }
}

static int compute_frame(void *state, int64_t index, const bmf_piece *piece, int worker)
{
    const bmf_blocks *blocks = state;
    const bmf_stencil_call *call = blocks->call;
    const bmf_halo *halo = blocks->halo;
    const bmf_box own = part_box(call, piece->part), *tile = &blocks->frame.box[index];
    const int64_t offset = block_offset(blocks, piece->part), local = piece->part - call->partition->local_first;
    bmf_box around = *tile;
    char *window = blocks->window[worker]->data;
    for (int k = 0; k < BMF_AXES; k++) {
        around.begin[k] -= call->axis[k].radius;
        around.end[k] += call->axis[k].radius;
    }
    fill_outside(blocks, piece->part, window, &around);
    copy_common(blocks, blocks->from + offset, &own, window, &around);
    for (int64_t k = halo->received_by[local]; k < halo->received_by[local + 1]; k++) {
        const bmf_halo_piece *received = &halo->received.piece[k];
        copy_common(blocks, halo->received.data + received->offset, &received->box, window, &around);
    }
    compute_rows(blocks, tile, window, &around, blocks->to + offset, &own);
    return 0;
}

/* ---- a step ---- */

static int compute(bmf_blocks *blocks, const tasks *all, uint32_t round,
                   int (*run)(void *, int64_t, const bmf_piece *, int))
{
    return backend_compute(blocks->call->ctx, &(bmf_work){.kernel = blocks->call->kernel->kernel.name,
                                                          .round = round,
                                                          .piece = all->piece,
                                                          .pieces = all->count,
                                                          .run = run,
                                                          .state = blocks});
}

int blocks_inside(bmf_blocks *blocks, uint32_t step, const char *from, char *to, bmf_exchange *under_way)
{
    blocks->from = from;
    blocks->to = to;
    blocks->under_way = under_way;
    return compute(blocks, &blocks->inside, 2 * step, compute_inside);
}

int blocks_border(bmf_blocks *blocks, uint32_t step, const char *from, char *to)
{
    blocks->from = from;
    blocks->to = to;
    return compute(blocks, &blocks->frame, 2 * step + 1, compute_frame);
}

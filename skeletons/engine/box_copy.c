/* Copying boxes.
 *
 * Method: where both have their neighbours along the last axis, runs are copied. Otherwise the axis along which `from`
 * has its neighbours and the last axis are walked in tiles, so that every line of memory that is read or written stays
 * in the first-level cache until all of it is used.
 * Cost: every element is read and written once. */
#include "skeletons/engine/box_copy.h"

#include <string.h>

#include "bmf/kernel.h"
#include "skeletons/engine/scalar_size.h"

/* Of a tile: a line of memory of `from` is 8 elements of 8 bytes, and as many lines of `to` are written at once. */
enum { TILE_NEAR = 8, TILE_FAR = 64 };

static int64_t at_most(int64_t x, int64_t most)
{
    return x < most ? x : most;
}

static void copy_runs(int64_t size, const int64_t *extent, const box_place *to, const box_place *from)
{
    const size_t bytes = (size_t)(extent[2] * size);
    for (int64_t i = 0; i < extent[0]; i++)
        for (int64_t j = 0; j < extent[1]; j++)
            memcpy(to->data + i * to->stride[0] + j * to->stride[1],
                   from->data + i * from->stride[0] + j * from->stride[1], bytes);
}

/* A plane of a box: `near`, along which `from` has its neighbours, and the last axis. */
typedef struct plane {
    char *to;
    const char *from;
    int64_t near, last; /* extents */
    int64_t to_near, to_last, from_near, from_last;
} plane;

BMF_INLINE void copy_tile(size_t size, const plane *p, int64_t first, int64_t last, int64_t left, int64_t right)
{
    for (int64_t k = left; k < right; k++) {
        const char *from = p->from + k * p->from_last;
        char *to = p->to + k * p->to_last;
        for (int64_t j = first; j < last; j++)
            memcpy(to + j * p->to_near, from + j * p->from_near, size);
    }
}

#define COPY_TILES(size)                                                                                               \
    for (int64_t k = 0; k < p->last; k += TILE_FAR)                                                                    \
        for (int64_t j = 0; j < p->near; j += TILE_NEAR)                                                               \
    copy_tile((size_t)(size), p, j, at_most(j + TILE_NEAR, p->near), k, at_most(k + TILE_FAR, p->last))

static void copy_plane(int64_t size, const plane *p)
{
    WITH_SCALAR_SIZE(size, COPY_TILES);
}

void box_copy(int64_t size, const int64_t extent[BOX_AXES], const box_place *to, const box_place *from)
{
    if (from->stride[2] == size && to->stride[2] == size) {
        copy_runs(size, extent, to, from);
        return;
    }
    const int near = from->stride[0] == size ? 0 : 1, other = 1 - near;
    for (int64_t i = 0; i < extent[other]; i++) {
        const plane p = {to->data + i * to->stride[other],
                         from->data + i * from->stride[other],
                         extent[near],
                         extent[2],
                         to->stride[near],
                         to->stride[2],
                         from->stride[near],
                         from->stride[2]};
        copy_plane(size, &p);
    }
}

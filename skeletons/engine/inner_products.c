/* Inner products of rows with eight columns at a time; see inner_products.h.
 *
 * Method: a chunk of the eight columns is laid out so that a vector holds one element of each. Then sums of products of
 * a row with all eight take operations between whole vectors, in the order of the fixed tree (skeletons/engine/tree.h):
 * products of 16 elements are summed up in registers, such sums become nodes of 32, and so on; whole chunks go onto a
 * stack of nodes, as onto a forest. Two rows share each vector that is read, INNER_ROWS share each chunk. Products and
 * sums are rounded one by one.
 * Cost: 2 n operations a product of n elements, on 8 products at once. Source of the blocking: Goto and van de Geijn,
 * "Anatomy of high-performance matrix multiplication", 2008. */
#include "skeletons/engine/inner_products.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "bmf/kernel.h"
#include "runtime/base/allocate.h"

/* ---- sums of products ---- */

/* Half of the lanes, so that two rows of them and the sums of three levels stay in 16 registers. */
typedef double half_lanes __attribute__((vector_size(INNER_LANES / 2 * sizeof(double)), may_alias));

/* The lanes of a tile's two rows. Members, not an array, which compilers keep in memory. */
typedef struct __attribute__((may_alias)) tile_lanes {
    half_lanes low, high, next_low, next_high;
} tile_lanes;
_Static_assert(sizeof(tile_lanes) == INNER_TILE * sizeof(inner_lanes), "a tile has two rows");

BMF_INLINE void multiply(const double *const *x, int64_t at, const half_lanes *y, tile_lanes *out)
{
    out->low = x[0][at] * y[0];
    out->high = x[0][at] * y[1];
    out->next_low = x[1][at] * y[0];
    out->next_high = x[1][at] * y[1];
}

BMF_INLINE void add(tile_lanes *to, const tile_lanes *from)
{
    to->low += from->low;
    to->high += from->high;
    to->next_low += from->next_low;
    to->next_high += from->next_high;
}

/* Twice as many products as `half` sums up. */
#define SUM_BOTH_HALVES(name, half, width)                                                                             \
    BMF_INLINE void name(const double *const *x, int64_t at, const half_lanes *y, tile_lanes *out)                     \
    {                                                                                                                  \
        tile_lanes left, right;                                                                                        \
        half(x, at, y, &left);                                                                                         \
        half(x, at + width / 2, y + width, &right);                                                                    \
        add(&left, &right);                                                                                            \
        *out = left;                                                                                                   \
    }
SUM_BOTH_HALVES(sum_2, multiply, 2)
SUM_BOTH_HALVES(sum_4, sum_2, 4)
SUM_BOTH_HALVES(sum_8, sum_4, 8)
SUM_BOTH_HALVES(sum_16, sum_8, 16)
#undef SUM_BOTH_HALVES

/* Sums of 32 products or more, a power of two, a constant where this is called. */
BMF_INLINE void sum_many(int width, const double *const *x, int64_t at, const half_lanes *y, tile_lanes *out)
{
    tile_lanes part[INNER_CHUNK / 16];
    for (int k = 0; k < width / 16; k++)
        sum_16(x, at + k * 16, y + k * 32, &part[k]);
    for (int left = width / 32; left > 0; left /= 2)
        for (int k = 0; k < left; k++) {
            tile_lanes sum = part[2 * k];
            add(&sum, &part[2 * k + 1]);
            part[k] = sum;
        }
    *out = part[0];
}

/* A chunk of a tile. */
BMF_VECTORISE static void sum_chunk(const double *const *x, int64_t at, const inner_lanes *y, inner_lanes *out)
{
    sum_many(INNER_CHUNK, x, at, (const half_lanes *)y, (tile_lanes *)out);
}

/* Fewer products than a chunk has, of a tile: a node for every power of two in their number, largest first. They are
 * added to the totals one after the other, if there are totals. */
BMF_VECTORISE static void add_rest(const double *const *x, int64_t at, int64_t count, const inner_lanes *panel,
                                   bool empty, inner_lanes *total)
{
    const half_lanes *y = (const half_lanes *)panel;
    for (int width = INNER_CHUNK / 2; width > 0; width /= 2) {
        tile_lanes value;
        if (!(count & width))
            continue;
        switch (width) {
        case 128:
            sum_many(128, x, at, y, &value);
            break;
        case 64:
            sum_many(64, x, at, y, &value);
            break;
        case 32:
            sum_many(32, x, at, y, &value);
            break;
        case 16:
            sum_16(x, at, y, &value);
            break;
        case 8:
            sum_8(x, at, y, &value);
            break;
        case 4:
            sum_4(x, at, y, &value);
            break;
        case 2:
            sum_2(x, at, y, &value);
            break;
        default:
            multiply(x, at, y, &value);
        }
        if (empty)
            memcpy(total, &value, sizeof value);
        else
            add((tile_lanes *)total, &value);
        empty = false;
        at += width;
        y += 2 * width;
    }
}

/* ---- all rows ---- */

void inner_open(inner_products *products, int64_t length)
{
    const int64_t vector = (int64_t)sizeof(inner_lanes);
    products->length = length;
    products->depth = 65 - __builtin_clzll((unsigned long long)(length / INNER_CHUNK) | 1);
    products->panel = allocate(INNER_CHUNK * vector);
    products->stack = allocate(INNER_ROWS * products->depth * vector);
}

void inner_close(inner_products *products)
{
    free(products->panel);
    free(products->stack);
}

void inner_start(inner_products *products, int64_t rows)
{
    products->rows = rows;
    for (int64_t i = rows; i < rows + INNER_TILE; i++) /* a tile reaches beyond the last row */
        products->x[i] = products->x[rows - 1];
}

/* Chunk number c of all rows, and what it completes. */
static void push_chunk(inner_products *p, int64_t c)
{
    const int merges = __builtin_ctzll(~(unsigned long long)c);
    for (int64_t i = 0; i < p->rows; i += INNER_TILE) {
        inner_lanes value[INNER_TILE];
        sum_chunk(p->x + i, c * INNER_CHUNK, p->panel, value);
        for (int64_t row = i; row < i + INNER_TILE && row < p->rows; row++) {
            inner_lanes *top = p->stack + row * p->depth + p->nodes, sum = value[row - i];
            for (int k = 0; k < merges; k++)
                sum = *--top + sum;
            *top = sum;
        }
    }
    p->nodes += 1 - merges;
}

/* The nodes from the left, and then those of the elements behind whole chunks; of a tile from `row` on. */
static void finish_rows(const inner_products *p, int64_t row, inner_lanes *total)
{
    const int64_t at = p->length / INNER_CHUNK * INNER_CHUNK;
    for (int64_t i = 0; i < INNER_TILE && row + i < p->rows; i++) {
        const inner_lanes *node = p->stack + (row + i) * p->depth;
        for (int k = 0; k < p->nodes; k++)
            total[i] = k == 0 ? node[0] : total[i] + node[k];
    }
    add_rest(p->x + row, at, p->length - at, p->panel, p->nodes == 0, total);
}

void inner_eight(inner_products *products, inner_columns *fill, const void *columns, inner_lanes *total)
{
    const int64_t chunks = products->length / INNER_CHUNK;
    products->nodes = 0;
    for (int64_t c = 0; c < chunks; c++) {
        fill(columns, c * INNER_CHUNK, INNER_CHUNK, products->panel);
        push_chunk(products, c);
    }
    fill(columns, chunks * INNER_CHUNK, products->length - chunks * INNER_CHUNK, products->panel);
    for (int64_t i = 0; i < products->rows; i += INNER_TILE) {
        inner_lanes tile[INNER_TILE] = {{0}};
        finish_rows(products, i, tile);
        for (int64_t row = i; row < i + INNER_TILE && row < products->rows; row++)
            total[row] = tile[row - i];
    }
}

/* Inner products of many lists with many others; see products.h.
 *
 * Method: eight lists of the other side are transposed, a CHUNK of their elements at a time, so that a vector holds
 * one element of each. Then sums of products of a row's list with all eight take operations between whole vectors, in
 * the order of the fixed tree (skeletons/engine/tree.h): products of 8 elements are summed up in registers, 8 such sums
 * become a node of 64, and so on; whole chunks go onto a stack of nodes, as onto a forest. TILE rows share each vector
 * that is read, ROWS share each transposed chunk. Products and sums are rounded one by one, so every bit is that of
 * the list's own reduction.
 * Cost: 2 n operations a product of n elements, on 8 products at once; each element of the other side is moved once for
 * every ROWS rows. Source of the blocking: Goto and van de Geijn, "Anatomy of high-performance matrix multiplication",
 * 2008. */
#include "skeletons/language/streams/products.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"

enum { LANES = 8, NODE = 64, CHUNK = 256, TILE = 4, ROWS = 128 };
/* Fewer rows, products in one or elements do not pay for the transposition. */
enum { FEWEST_ROWS = 4, FEWEST_COLUMNS = 8, FEWEST_ELEMENTS = 8 };

/* By address, because how they are passed by value depends on the machine. */
typedef double lanes __attribute__((vector_size(LANES * sizeof(double))));
typedef double loose_lanes __attribute__((vector_size(LANES * sizeof(double)), aligned(sizeof(double)), may_alias));

/* ---- sums of products ---- */

/* y: element k of eight lists is vector k. */
BMF_INLINE void sum_eight(const double *x, const lanes *y, lanes *out)
{
    *out = ((x[0] * y[0] + x[1] * y[1]) + (x[2] * y[2] + x[3] * y[3])) +
           ((x[4] * y[4] + x[5] * y[5]) + (x[6] * y[6] + x[7] * y[7]));
}

/* Sums of `width` products of TILE lists: a power of two, at most half a CHUNK, and a constant where this is called. */
BMF_INLINE void sum_nodes(int width, const double *const *x, int64_t at, const lanes *y, lanes *out)
{
    lanes part[TILE][CHUNK / 2 / LANES];
    const int eights = width / LANES, parts = eights > 0 ? eights : width;
    for (int k = 0; k < parts; k++)
        for (int i = 0; i < TILE; i++)
            if (eights > 0)
                sum_eight(x[i] + at + k * LANES, y + k * LANES, &part[i][k]);
            else
                part[i][k] = x[i][at + k] * y[k];
    for (int left = parts / 2; left > 0; left /= 2)
        for (int k = 0; k < left; k++)
            for (int i = 0; i < TILE; i++)
                part[i][k] = part[i][2 * k] + part[i][2 * k + 1];
    for (int i = 0; i < TILE; i++)
        out[i] = part[i][0];
}

/* A chunk of TILE lists. */
BMF_VECTORISE static void sum_chunk(const double *const *x, int64_t at, const lanes *y, lanes *out)
{
    lanes node[CHUNK / NODE][TILE];
    for (int k = 0; k < CHUNK / NODE; k++)
        sum_nodes(NODE, x, at + k * NODE, y + k * NODE, node[k]);
    for (int i = 0; i < TILE; i++)
        out[i] = (node[0][i] + node[1][i]) + (node[2][i] + node[3][i]);
}

/* Fewer products than a chunk has, of TILE lists: a node for every power of two in their number, largest first. They
 * are added to the totals one after the other, if there are totals. */
BMF_VECTORISE static void add_rest(const double *const *x, int64_t at, int64_t count, const lanes *y, bool empty,
                                   lanes *total)
{
    for (int width = CHUNK / 2; width > 0; width /= 2) {
        lanes value[TILE];
        if (!(count & width))
            continue;
        switch (width) {
#define WIDTH(w)                                                                                                       \
    case w:                                                                                                            \
        sum_nodes(w, x, at, y, value);                                                                                 \
        break;
            WIDTH(128)
            WIDTH(64)
            WIDTH(32)
            WIDTH(16)
            WIDTH(8)
            WIDTH(4)
            WIDTH(2)
#undef WIDTH
        default:
            sum_nodes(1, x, at, y, value);
        }
        for (int i = 0; i < TILE; i++)
            total[i] = empty ? value[i] : total[i] + value[i];
        empty = false;
        at += width;
        y += width;
    }
}

/* ---- transposing ---- */

/* The first half and the second, element by element. */
BMF_INLINE void interleave(const lanes *from, lanes *to)
{
    for (int k = 0; k < LANES / 2; k++) {
        to[2 * k] = __builtin_shufflevector(from[k], from[k + LANES / 2], 0, 8, 1, 9, 2, 10, 3, 11);
        to[2 * k + 1] = __builtin_shufflevector(from[k], from[k + LANES / 2], 4, 12, 5, 13, 6, 14, 7, 15);
    }
}

/* Eight elements of eight lists. Interleaving rotates the six bits of an element's place by one, three times exchange
 * its list and its number. */
BMF_INLINE void transpose_eight(const double *const *list, int64_t at, lanes *out)
{
    lanes one[LANES], two[LANES];
    for (int j = 0; j < LANES; j++)
        one[j] = *(const loose_lanes *)(list[j] + at);
    interleave(one, two);
    interleave(two, one);
    interleave(one, out);
}

/* Elements [at, at + count) of eight lists. */
BMF_VECTORISE static void transpose(const double *const *list, int64_t at, int64_t count, lanes *out)
{
    int64_t k = 0;
    for (; k + LANES <= count; k += LANES)
        transpose_eight(list, at + k, out + k);
    for (; k < count; k++)
        for (int j = 0; j < LANES; j++)
            out[k][j] = list[j][at + k];
}

/* ---- which segments ---- */

/* `rows` rows of `columns` segments each, from `first` on. */
typedef struct block {
    int64_t first, rows, columns, length;
    int row; /* factor that is the same in a row: 0 or 1 */
} block;

static const bmf_stream_part *part_of(const bmf_stream_source *source, int leaf)
{
    return source->parts == 2 && source->part[1].first == leaf ? &source->part[1] : &source->part[0];
}

/* Where factor f of segment s begins in its column. */
static int64_t begin_of(const bmf_stream_fold *fold, int f, int64_t s)
{
    const bmf_stream_part *part = part_of(fold->source, fold->product[f]);
    return part->place == BMF_PLACE_VIEW ? part->begin[s * part->step] : fold->source->offset[s];
}

static const double *list_of(const bmf_stream_fold *fold, int f, int64_t s)
{
    return (const double *)fold->source->input[fold->product[f]].data + begin_of(fold, f, s);
}

static int64_t length_of(const bmf_stream_fold *fold, int64_t s)
{
    return fold->source->offset[s + 1] - fold->source->offset[s];
}

static int64_t row_end(const bmf_stream_fold *fold, int f, int64_t s, int64_t last)
{
    const int64_t begin = begin_of(fold, f, s), length = length_of(fold, s);
    int64_t t = s + 1;
    while (t < last && begin_of(fold, f, t) == begin && length_of(fold, t) == length)
        t++;
    return t;
}

/* Whether the row at s is one with the lists of the block's first on the other side. */
static bool is_like_first(const bmf_stream_fold *fold, const block *b, int64_t s)
{
    const int64_t begin = begin_of(fold, b->row, s);
    for (int64_t j = 0; j < b->columns; j++)
        if (begin_of(fold, b->row, s + j) != begin || length_of(fold, s + j) != b->length ||
            begin_of(fold, 1 - b->row, s + j) != begin_of(fold, 1 - b->row, b->first + j))
            return false;
    return true;
}

static block find_block(const bmf_stream_fold *fold, int64_t s, int64_t last)
{
    block b = {.first = s, .rows = 1, .length = length_of(fold, s)};
    const int64_t end = row_end(fold, 0, s, last), other = row_end(fold, 1, s, last);
    b.row = end >= other ? 0 : 1;
    b.columns = (b.row == 0 ? end : other) - s;
    if (b.columns < FEWEST_COLUMNS || b.length < FEWEST_ELEMENTS)
        return b;
    while (b.rows < ROWS && (b.rows + 1) * b.columns <= last - s && is_like_first(fold, &b, s + b.rows * b.columns))
        b.rows++;
    return b;
}

/* ---- one block ---- */

/* Sums on their way up: node k of row i is stack[i * depth + k]. */
typedef struct room {
    lanes panel[CHUNK];
    const double *x[ROWS + TILE]; /* repeated behind the last */
    lanes *stack;
    int nodes, depth;
} room;

/* Chunk number c of all rows, and what it completes. */
static void push_chunk(const block *b, room *r, int64_t c)
{
    const int merges = __builtin_ctzll(~(unsigned long long)c);
    for (int64_t i = 0; i < b->rows; i += TILE) {
        lanes value[TILE];
        sum_chunk(r->x + i, c * CHUNK, r->panel, value);
        for (int64_t row = i; row < i + TILE && row < b->rows; row++) {
            lanes *top = r->stack + row * r->depth + r->nodes, sum = value[row - i];
            for (int k = 0; k < merges; k++)
                sum = *--top + sum;
            *top = sum;
        }
    }
    r->nodes += 1 - merges;
}

/* The nodes from the left, and then those of the elements behind whole chunks; of TILE rows. */
static void finish_rows(const block *b, const room *r, int64_t row, lanes *total)
{
    const int64_t at = b->length / CHUNK * CHUNK;
    for (int64_t i = 0; i < TILE && row + i < b->rows; i++) {
        const lanes *node = r->stack + (row + i) * r->depth;
        for (int k = 0; k < r->nodes; k++)
            total[i] = k == 0 ? node[0] : total[i] + node[k];
    }
    add_rest(r->x + row, at, b->length - at, r->panel, r->nodes == 0, total);
}

/* Eight segments of every row, from `column` on; the last list stands for those that are not there. */
static void eight_columns(const bmf_stream_fold *fold, const block *b, room *r, int64_t column, double *out)
{
    const int64_t chunks = b->length / CHUNK;
    const double *list[LANES];
    for (int64_t j = 0; j < LANES; j++) {
        const int64_t k = column + j < b->columns ? column + j : b->columns - 1;
        list[j] = list_of(fold, 1 - b->row, b->first + k);
    }
    r->nodes = 0;
    for (int64_t c = 0; c < chunks; c++) {
        transpose(list, c * CHUNK, CHUNK, r->panel);
        push_chunk(b, r, c);
    }
    transpose(list, chunks * CHUNK, b->length - chunks * CHUNK, r->panel);
    for (int64_t i = 0; i < b->rows; i += TILE) {
        lanes total[TILE] = {{0}};
        finish_rows(b, r, i, total);
        for (int64_t row = i; row < i + TILE && row < b->rows; row++)
            for (int64_t j = 0; j < LANES && column + j < b->columns; j++)
                out[row * b->columns + column + j] = total[row - i][j];
    }
}

int64_t stream_products(const bmf_stream_fold *fold, int64_t s, int64_t last, double *out, int64_t *next)
{
    const block b = find_block(fold, s, last);
    room r;
    *next = s + b.columns;
    if (b.rows < FEWEST_ROWS)
        return s;
    for (int64_t i = 0; i < ROWS + TILE; i++)
        r.x[i] = list_of(fold, b.row, s + (i < b.rows ? i : b.rows - 1) * b.columns);
    r.depth = 65 - __builtin_clzll((unsigned long long)(b.length / CHUNK) | 1);
    r.stack = allocate(b.rows * r.depth * (int64_t)sizeof *r.stack);
    for (int64_t column = 0; column < b.columns; column += LANES)
        eight_columns(fold, &b, &r, column, out);
    free(r.stack);
    return s + b.rows * b.columns;
}

/* Inner products of many lists with many others; see products.h.
 *
 * Method: eight lists of the other side are transposed, a chunk of their elements at a time, so that a vector holds
 * one element of each; skeletons/engine/inner_products.h does the rest.
 * Cost: 2 n operations a product of n elements, on 8 products at once; each element of the other side is moved once for
 * every INNER_ROWS rows. */
#include "skeletons/language/streams/products.h"

#include "bmf/kernel.h"
#include "skeletons/engine/inner_products.h"

/* Fewer rows, products in one or elements do not pay for the transposition. */
enum { FEWEST_ROWS = 4, FEWEST_COLUMNS = 8, FEWEST_ELEMENTS = 8 };

/* ---- transposing ---- */

/* The first half and the second, element by element. */
BMF_INLINE void interleave(const inner_lanes *from, inner_lanes *to)
{
    for (int k = 0; k < INNER_LANES / 2; k++) {
        to[2 * k] = __builtin_shufflevector(from[k], from[k + INNER_LANES / 2], 0, 8, 1, 9, 2, 10, 3, 11);
        to[2 * k + 1] = __builtin_shufflevector(from[k], from[k + INNER_LANES / 2], 4, 12, 5, 13, 6, 14, 7, 15);
    }
}

/* Eight elements of eight lists. Interleaving rotates the six bits of an element's place by one, three times exchange
 * its list and its number. */
BMF_INLINE void transpose_eight(const double *const *list, int64_t at, inner_lanes *out)
{
    inner_lanes one[INNER_LANES], two[INNER_LANES];
    for (int j = 0; j < INNER_LANES; j++)
        one[j] = *(const inner_loose_lanes *)(list[j] + at);
    interleave(one, two);
    interleave(two, one);
    interleave(one, out);
}

/* Elements [at, at + count) of eight lists. */
BMF_VECTORISE static void transpose(const double *const *list, int64_t at, int64_t count, inner_lanes *out)
{
    int64_t k = 0;
    for (; k + INNER_LANES <= count; k += INNER_LANES)
        transpose_eight(list, at + k, out + k);
    for (; k < count; k++)
        for (int j = 0; j < INNER_LANES; j++)
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
    while (b.rows < INNER_ROWS && (b.rows + 1) * b.columns <= last - s &&
           is_like_first(fold, &b, s + b.rows * b.columns))
        b.rows++;
    return b;
}

/* ---- one block ---- */

/* Eight lists of the side that is not the rows'. */
static void fill_columns(const void *columns, int64_t at, int64_t count, inner_lanes *to)
{
    transpose(columns, at, count, to);
}

/* Eight segments of every row, from `column` on; the last list stands for those that are not there. */
static void eight_columns(const bmf_stream_fold *fold, const block *b, inner_products *products, int64_t column,
                          double *out)
{
    const double *list[INNER_LANES];
    inner_lanes total[INNER_ROWS];
    for (int64_t j = 0; j < INNER_LANES; j++) {
        const int64_t k = column + j < b->columns ? column + j : b->columns - 1;
        list[j] = list_of(fold, 1 - b->row, b->first + k);
    }
    inner_eight(products, fill_columns, list, total);
    for (int64_t row = 0; row < b->rows; row++)
        for (int64_t j = 0; j < INNER_LANES && column + j < b->columns; j++)
            out[row * b->columns + column + j] = total[row][j];
}

int64_t stream_products(const bmf_stream_fold *fold, int64_t s, int64_t last, double *out, int64_t *next)
{
    const block b = find_block(fold, s, last);
    inner_products products;
    *next = s + b.columns;
    if (b.rows < FEWEST_ROWS)
        return s;
    inner_open(&products, b.length);
    for (int64_t i = 0; i < b.rows; i++)
        products.x[i] = list_of(fold, b.row, s + i * b.columns);
    inner_start(&products, b.rows);
    for (int64_t column = 0; column < b.columns; column += INNER_LANES)
        eight_columns(fold, &b, &products, column, out);
    inner_close(&products);
    return s + b.rows * b.columns;
}

/* Elements between two ranges of addresses, in closed form.
 *
 * Method: x in a box of 2^k addresses from a, and y = A x + c in one of 2^l from b: the rows of A above l, applied to
 * the k free bits, must make up for what a and b leave. One elimination for every pair (k, l) serves all boxes of those
 * sizes. */
#include <stdlib.h>

#include "permute/exchange/boxes.h"
#include "permute/gf2.h"
#include "runtime/data/partition.h"

typedef struct sizes {
    bool known, same;
    int dimension;
    bmf_span image; /* of the free bits, above l */
    uint64_t near_x[64], step_x[64], step_y[64];
    bmf_bit_matrix order;
} sizes;

struct bmf_boxes {
    bmf_permutation permutation;
    int64_t parts;
    sizes *sizes; /* [(bits + 1) * (bits + 1)]: [k][l] */
};

bmf_boxes *boxes_create(const bmf_permutation *p, int64_t parts)
{
    size_t side = (size_t)p->bits + 1;
    bmf_boxes *boxes = malloc(sizeof *boxes);
    sizes *table = calloc(side * side, sizeof *table);
    if (!boxes || !table) {
        free(boxes);
        free(table);
        return NULL;
    }
    *boxes = (bmf_boxes){*p, parts, table};
    return boxes;
}

void boxes_free(bmf_boxes *boxes)
{
    if (!boxes)
        return;
    free(boxes->sizes);
    free(boxes);
}

/* The smallest basis of the images of near_x, where it comes from, and near_x in terms of that. */
static void order_by_target(const bmf_bit_matrix *a, sizes *found)
{
    bmf_span images;
    bmf_bit_matrix back = {.bits = found->dimension};
    span_clear(&images);
    for (int j = 0; j < found->dimension; j++)
        span_add(&images, bmf_bit_matrix_apply(a, found->near_x[j]));
    span_basis(&images, found->step_y);
    for (int j = 0; j < found->dimension; j++) {
        span_reduce(&images, found->step_y[j], &back.column[j]);
        found->step_x[j] = columns_apply(found->near_x, back.column[j]);
    }
    bmf_bit_matrix_inverse(&back, &found->order);
    found->same = bmf_bit_matrix_is_identity(&found->order);
}

static const sizes *sizes_of(bmf_boxes *boxes, int k, int l)
{
    const bmf_bit_matrix *a = &boxes->permutation.matrix;
    sizes *found = &boxes->sizes[k * (a->bits + 1) + l];
    uint64_t column[64];
    if (found->known)
        return found;
    span_clear(&found->image);
    for (int j = 0; j < k; j++) {
        column[j] = a->column[j] >> l;
        span_add(&found->image, column[j]);
    }
    found->dimension = columns_kernel(column, k, found->near_x);
    order_by_target(a, found);
    found->known = true;
    return found;
}

/* log2 of the largest box that starts at begin and ends by end. */
static int box_bits(uint64_t begin, uint64_t end)
{
    int largest = 63 - __builtin_clzll(end - begin), aligned = begin ? __builtin_ctzll(begin) : 63;
    return aligned < largest ? aligned : largest;
}

int64_t boxes_visit(bmf_boxes *boxes, int64_t s, int64_t t, void (*visit)(void *state, const bmf_subspace *subspace),
                    void *state)
{
    int64_t length = INT64_C(1) << boxes->permutation.bits, found = 0;
    uint64_t begin_x = (uint64_t)bmf_split_start(length, boxes->parts, s);
    uint64_t end_x = (uint64_t)bmf_split_start(length, boxes->parts, s + 1);
    uint64_t begin_y = (uint64_t)bmf_split_start(length, boxes->parts, t);
    uint64_t end_y = (uint64_t)bmf_split_start(length, boxes->parts, t + 1);
    for (uint64_t a = begin_x, k; a < end_x; a += UINT64_C(1) << k) {
        k = (uint64_t)box_bits(a, end_x);
        uint64_t y = bmf_permutation_apply(&boxes->permutation, a);
        for (uint64_t b = begin_y, l; b < end_y; b += UINT64_C(1) << l) {
            uint64_t free_bits;
            l = (uint64_t)box_bits(b, end_y);
            const sizes *both = sizes_of(boxes, (int)k, (int)l);
            if (span_reduce(&both->image, (y ^ b) >> l, &free_bits) != 0)
                continue;
            found += INT64_C(1) << both->dimension;
            if (visit)
                visit(state, &(bmf_subspace){
                                 a ^ free_bits, y ^ bmf_bit_matrix_apply(&boxes->permutation.matrix, free_bits),
                                 both->dimension, both->step_x, both->step_y, both->near_x, &both->order, both->same});
        }
    }
    return found;
}

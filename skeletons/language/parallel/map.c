/* P_Map, P_Zip and B_Length of distributed lists: no messages.
 *
 * Document 000, 5.5 and 5.7. Elements are computed where they lie; the batch of all elements of this rank is one batch
 * for the evaluator, whatever the processors. */
#include <stdlib.h>

#include "skeletons/language/forms/zip.h"
#include "skeletons/language/parallel/blocks.h"

/* The elements' batch of x, whose shell is freed. */
static void open_elements(bmf_value *x, bmf_value *elements, bmf_distribution **spread)
{
    *spread = distribution_retain(x->spread);
    value_move(&x->child[0], elements);
    value_free(x);
}

/* What ranks know of the lengths of lists, or of the sizes of blocks, that holds for what is made of them, too. */
static bmf_buffer *kept_starts(const bmf_expression *map, const bmf_value *x)
{
    if (map->kind != BMF_EXPRESSION_MAP || !x->buffer || !keeps_lengths(map->child[0], 1))
        return NULL;
    if (x->spread->dimensions == 0 || keeps_lengths(map->child[0], x->spread->dimensions))
        return buffer_retain(x->buffer);
    return blocks_starts_alone(x->spread, x->buffer);
}

int evaluate_parallel_map(bmf_evaluator *evaluator, bmf_expression *map, bmf_frame *frame, bmf_value *x, bmf_value *out)
{
    bmf_value elements, mapped;
    bmf_distribution *spread;
    bmf_frame inner;
    int64_t count = x->count;
    bmf_buffer *starts = kept_starts(map, x);
    open_elements(x, &elements, &spread);
    operation_begin(evaluator, map);
    frame_open_spread(frame, map, spread, &inner);
    int status = evaluate_batch(evaluator, map->child[0], &inner, &elements, &mapped);
    frame_close(&inner);
    if (status == BMF_OK) {
        value_distribute(count, spread, &mapped, out);
        out->buffer = starts;
    } else {
        distribution_release(spread);
        buffer_release(starts);
    }
    return operation_end(evaluator, status);
}

/* Blocks of two grids are not the same elements. */
static int check_grids(bmf_evaluator *evaluator, const bmf_expression *zip, const bmf_distribution *a,
                       const bmf_distribution *b)
{
    bool same = zip->number[0] != BMF_ZIP_GRIDS || a->dimensions == b->dimensions;
    for (int d = 0; d < a->dimensions && zip->number[0] == BMF_ZIP_GRIDS; d++)
        same = same && a->blocks[d] == b->blocks[d];
    return same ? BMF_OK
                : text_fail(evaluator->texts, evaluator->ctx, zip->span, BMF_ERROR_SHAPE,
                            "%s needs the blocks of one grid, found those of two", expression_keyword(zip));
}

int evaluate_parallel_zip(bmf_evaluator *evaluator, bmf_expression *zip, bmf_frame *frame, bmf_value *x, bmf_value *out)
{
    bmf_value first, second, pairs, distributed;
    bmf_distribution *spread, *other;
    int64_t count = x->count;
    if (!distribution_equal(x->child[0].spread, x->child[1].spread)) {
        int64_t a = x->child[0].spread->elements->count, b = x->child[1].spread->elements->count;
        value_free(x);
        return text_fail(evaluator->texts, evaluator->ctx, zip->span, BMF_ERROR_SHAPE,
                         a != b ? "%s needs lists on the same processors, found %lld and %lld elements"
                                : "%s needs lists on the same processors, found %lld and %lld elements on others",
                         expression_keyword(zip), (long long)a, (long long)b);
    }
    const int status = check_grids(evaluator, zip, x->child[0].spread, x->child[1].spread);
    if (status != BMF_OK) {
        value_free(x);
        return status;
    }
    open_elements(&x->child[0], &first, &spread);
    open_elements(&x->child[1], &second, &other);
    value_free(x);
    if (zip->number[0] == BMF_ZIP_SECOND_GRID) {
        bmf_distribution *swap = spread;
        spread = other;
        other = swap;
    }
    distribution_release(other);
    value_pair(&first, &second, &pairs);
    value_distribute(count, spread, &pairs, &distributed);
    if (zip->children == 0) {
        value_move(&distributed, out);
        return BMF_OK;
    }
    return evaluate_parallel_map(evaluator, zip, frame, &distributed, out);
}

int evaluate_parallel_length(bmf_evaluator *evaluator, bmf_expression *length, bmf_frame *frame, bmf_value *x,
                             bmf_value *out)
{
    bmf_layout *layout;
    (void)length;
    int status = frame_layout(evaluator, frame, &layout);
    if (status == BMF_OK)
        status = value_create(evaluator->ctx, &bmf_type_int, x->count, out);
    if (status == BMF_OK)
        for (int64_t n = 0; n < x->count; n++) {
            const int64_t *offset = x->spread->offsets + layout->local[n];
            ((int64_t *)out->data)[n] = offset[1] - offset[0];
        }
    value_free(x);
    return status;
}

/* P_Scan: every element of a distributed list combined with all before it. Document 000, 5.8.
 *
 * Method: level by level (levels.c); the defaults travel down the split tree. */
#include "skeletons/language/evaluate/combine.h"
#include "skeletons/language/parallel/parallel.h"

/* op {default of the element's instance, x} for every element. */
static int apply_defaults(bmf_evaluator *evaluator, bmf_expression *scan, bmf_frame *frame,
                          const bmf_distribution *spread, const bmf_frame *elements, bmf_value *defaults,
                          bmf_value *values, bmf_value *out)
{
    bmf_value first;
    BMF_TRY(distribution_broadcast(evaluator, scan, frame, spread, defaults, &first));
    return apply_operator_to_all(evaluator, scan, elements, &first, values, out);
}

static int scan_spread(bmf_evaluator *evaluator, bmf_expression *scan, bmf_frame *frame, bmf_distribution *spread,
                       bmf_value *elements, bmf_value *defaults, bmf_value *out)
{
    bmf_frame inner;
    frame_open_spread(frame, scan, spread, &inner);
    int status = distribution_combine(evaluator, scan, true, spread, &inner, elements);
    if (status == BMF_OK && defaults)
        status = apply_defaults(evaluator, scan, frame, spread, &inner, defaults, elements, out);
    else if (status == BMF_OK)
        value_move(elements, out);
    frame_close(&inner);
    return status;
}

int evaluate_parallel_scan(bmf_evaluator *evaluator, bmf_expression *scan, bmf_frame *frame, bmf_value *x,
                           bmf_value *out)
{
    bmf_value defaults = {0}, elements, scanned;
    int64_t count = x->count;
    int status = scan->children > 1 ? evaluate_default(evaluator, scan, frame, x, &defaults) : BMF_OK;
    if (status != BMF_OK) {
        value_free(x);
        value_free(&defaults);
        return status;
    }
    bmf_distribution *spread = distribution_retain(x->spread);
    value_move(&x->child[0], &elements);
    value_free(x);
    operation_begin(evaluator, scan);
    status = scan_spread(evaluator, scan, frame, spread, &elements, scan->children > 1 ? &defaults : NULL, &scanned);
    value_free(&elements);
    value_free(&defaults);
    if (status == BMF_OK)
        value_distribute(count, spread, &scanned, out);
    else
        distribution_release(spread);
    return operation_end(evaluator, status);
}

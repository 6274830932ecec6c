/* pair and component: tuples without copying. No messages.
 *
 * Method: a tuple column holds its components' columns, which are shared by reference. Cost: constant. */
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "skeletons/engine/pairing.h"
#include "bmf/skeletons.h"

const bmf_skeleton_type skeleton_pair = {.id = 26, .name = "pair", .communication = BMF_COMMUNICATION_OTHER};
const bmf_skeleton_type skeleton_component = {.id = 27, .name = "component", .communication = BMF_COMMUNICATION_OTHER};

int check_pair_types(bmf_context *ctx, const char *skeleton, const bmf_type *first, const bmf_type *second)
{
    const bmf_type *leaf[BMF_MAX_LEAVES];
    const bmf_type *pair = bmf_type_pair(first, second);
    char text[128];
    if (!bmf_type_is_fixed(pair) || bmf_type_leaves(pair, leaf) >= 0)
        return BMF_OK;
    return bmf_fail(ctx, BMF_ERROR_TYPE, "%s: %s has more than %d scalars", skeleton,
                    bmf_type_print(pair, text, sizeof text), BMF_MAX_LEAVES);
}

void pair_with(bmf_column *column, const bmf_list *xs, bmf_list **out)
{
    bmf_column pair = {.type = bmf_type_pair(column->type, xs->type), .count = xs->column.count};
    pair.child = allocate_clear(2, (int64_t)sizeof *pair.child);
    pair.child[0] = *column;
    *column = (bmf_column){0};
    share_column(&xs->column, &pair.child[1]);
    list_adopt(xs->context, xs->partition, &pair, out);
}

int bmf_pair(const bmf_list *xs, const bmf_list *ys, bmf_list **out)
{
    bmf_context *ctx = xs->context;
    bmf_column column;
    char first[256], second[256];
    BMF_TRY(check_pair_types(ctx, "pair", xs->type, ys->type));
    if (!bmf_partition_equal(xs->partition, ys->partition))
        return bmf_fail(ctx, BMF_ERROR_SHAPE, "pair: %s and %s do not conform", bmf_list_print(xs, first, sizeof first),
                        bmf_list_print(ys, second, sizeof second));
    skeleton_begin(ctx, &skeleton_pair, "pair");
    share_column(&xs->column, &column);
    pair_with(&column, ys, out);
    return skeleton_end(ctx, xs->partition, BMF_OK);
}

int bmf_component(const bmf_list *xs, int k, bmf_list **out)
{
    bmf_context *ctx = xs->context;
    bmf_column column;
    char text[128];
    if (xs->type->kind != BMF_TUPLE || k < 0 || k >= xs->type->components)
        return bmf_fail(ctx, BMF_ERROR_TYPE, "component: %s has no component %d",
                        bmf_type_print(xs->type, text, sizeof text), k);
    skeleton_begin(ctx, &skeleton_component, "component");
    share_column(&xs->column.child[k], &column);
    list_adopt(ctx, xs->partition, &column, out);
    return skeleton_end(ctx, xs->partition, BMF_OK);
}

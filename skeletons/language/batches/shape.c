/* Shapes of instances: how long their lists are, at all depths.
 *
 * Cost: a look at every list; elements of fixed types are not looked at. */
#include "runtime/base/hash.h"
#include "skeletons/language/batches/operations.h"

static bool has_lists(const bmf_type *type)
{
    bool found = type->kind == BMF_LIST;
    for (int k = 0; k < type->components && !found; k++)
        found = has_lists(type->component[k]);
    return found;
}

uint64_t value_shape_hash(uint64_t hash, const bmf_value *value, int64_t i)
{
    if (value->type->kind == BMF_LIST) {
        const int64_t begin = value->begin[i * value->step], end = value->end[i * value->step];
        hash = hash_add(hash, (uint64_t)(end - begin));
        for (int64_t k = begin; k < end && has_lists(value->child[0].type); k++)
            hash = value_shape_hash(hash, &value->child[0], k);
        return hash;
    }
    for (int k = 0; k < value->type->components; k++)
        hash = value_shape_hash(hash, &value->child[k], i);
    return hash;
}

static bool same_elements(const bmf_value *elements, int64_t a, int64_t b, int64_t count)
{
    bool same = true;
    for (int64_t k = 0; k < count && same && has_lists(elements->type); k++)
        same = value_same_shape(elements, a + k, b + k);
    return same;
}

bool value_same_shape(const bmf_value *value, int64_t i, int64_t j)
{
    if (value->type->kind == BMF_LIST) {
        const int64_t a = i * value->step, b = j * value->step, length = value->end[a] - value->begin[a];
        return length == value->end[b] - value->begin[b] &&
               same_elements(&value->child[0], value->begin[a], value->begin[b], length);
    }
    for (int k = 0; k < value->type->components; k++)
        if (!value_same_shape(&value->child[k], i, j))
            return false;
    return true;
}

bool value_shares_instances(const bmf_value *value)
{
    const bool list = value->type->kind == BMF_LIST;
    if (value->type->components == 0)
        return value->stride == 0;
    if (list && value->step == 0)
        return true;
    for (int k = 0; k < value->type->components; k++)
        if (value_shares_instances(&value->child[k]))
            return true;
    return false;
}

bool value_same_layout(const bmf_value *a, const bmf_value *b)
{
    if (a->packed != b->packed)
        return false;
    for (int k = 0; k < a->type->components; k++)
        if (!value_same_layout(&a->child[k], &b->child[k]))
            return false;
    return true;
}

/* The join of two types: the least type both go with.
 *
 * Method: int goes with real, nothing with everything, tuples and lists componentwise. A record goes with a tuple,
 * which has no names, but not with a record of other names. Distributed lists on grids that differ are on a grid of
 * which less is known, or on none. Joined types are interned.
 * Cost: O(size of the types). */
#include "skeletons/language/front/data.h"

#include <string.h>

#include "runtime/data/type.h"

static bool is_number(const bmf_type *type)
{
    return type->kind == BMF_INT || type->kind == BMF_REAL;
}

/* On the grid that both are on, as far as it is the same. */
static const bmf_type *join_grids(const bmf_type *a, const bmf_type *b, const bmf_type *joined)
{
    int64_t first[TYPE_DIMENSIONS], second[TYPE_DIMENSIONS];
    const int dimensions = type_grid(a, first);
    if (dimensions == 0 || type_grid(b, second) != dimensions)
        return joined;
    for (int d = 0; d < dimensions; d++)
        first[d] = first[d] == second[d] ? first[d] : 0;
    return type_with_grid(joined, dimensions, first);
}

const bmf_type *bmf_type_join(const bmf_type *a, const bmf_type *b)
{
    const bmf_type *component[BMF_MAX_LEAVES];
    if (a == b || b->kind == BMF_NOTHING)
        return a;
    if (a->kind == BMF_NOTHING)
        return b;
    if (is_number(a) && is_number(b))
        return a->kind == b->kind ? a : &bmf_type_real;
    if (a->kind != b->kind || a->components != b->components)
        return NULL;
    if (a->components == 0)
        return bmf_type_equal(a, b) ? a : NULL;
    const bool both = a->kind == BMF_TUPLE && a->name && b->name;
    if (both && strcmp(a->name, b->name) != 0)
        return NULL;
    for (int k = 0; k < a->components; k++) {
        component[k] = bmf_type_join(a->component[k], b->component[k]);
        if (!component[k])
            return NULL;
    }
    const bmf_type *joined = bmf_type_intern(&(bmf_type){
        .kind = a->kind, .name = both ? a->name : NULL, .components = a->components, .component = component});
    return a->kind == BMF_DISTRIBUTED ? join_grids(a, b, joined) : joined;
}

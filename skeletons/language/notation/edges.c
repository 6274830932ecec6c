/* The names of edges; see edges.h. A list has the last two, rows the last four. */
#include "skeletons/language/notation/edges.h"

#include <string.h>

#include "skeletons/language/front/fields.h"

enum { EDGES = 6 };

const char notation_ring[] = "ring";

static const char *const name[EDGES] = {"front", "back", "above", "below", "left", "right"};

const char *edge_name(int dimensions, int k)
{
    return name[EDGES - 2 * dimensions + k];
}

const char *edge_names(int dimensions)
{
    static const char *const names[] = {"left and right", "above, below, left and right",
                                        "front, back, above, below, left and right"};
    return names[dimensions - 1];
}

const char *edge_fields(int dimensions)
{
    static const char *const fields[] = {"left,right", "above,below,left,right", "front,back,above,below,left,right"};
    return fields[dimensions - 1];
}

bool edges_are_named(const char *fields)
{
    int size;
    for (int k = 0;; k++) {
        const char *field = field_in(fields, k, &size);
        bool named = false;
        if (!field)
            return k > 0;
        for (int e = 0; e < EDGES; e++)
            named = named || ((int)strlen(name[e]) == size && memcmp(name[e], field, (size_t)size) == 0);
        if (!named)
            return false;
    }
}

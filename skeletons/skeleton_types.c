/* The list of all skeletons. */
#include "skeletons/skeleton_types.h"

#include <stddef.h>
#include <string.h>

const bmf_skeleton_type *const skeleton_types[] = {
#define ENTRY(name) &skeleton_##name,
    BMF_SKELETON_TYPES(ENTRY)
#undef ENTRY
        NULL,
};

const bmf_skeleton_type *skeleton_type_of(uint32_t id)
{
    for (int k = 0; skeleton_types[k]; k++)
        if (skeleton_types[k]->id == id)
            return skeleton_types[k];
    return NULL;
}

const bmf_skeleton_type *skeleton_type_named(const char *name)
{
    for (int k = 0; skeleton_types[k]; k++)
        if (strcmp(skeleton_types[k]->name, name) == 0)
            return skeleton_types[k];
    return NULL;
}

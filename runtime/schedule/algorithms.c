/* The list of algorithms. */
#include "runtime/schedule/algorithms.h"

#include <stddef.h>
#include <string.h>

const bmf_algorithm *const algorithms[] = {
#define ENTRY(name) &algorithm_##name,
    BMF_ALGORITHM_LIST(ENTRY)
#undef ENTRY
        NULL,
};

const bmf_algorithm *algorithm_find(const char *skeleton, const char *name)
{
    for (int k = 0; algorithms[k]; k++)
        if (strcmp(algorithms[k]->skeleton, skeleton) == 0 && (!name || strcmp(algorithms[k]->name, name) == 0))
            return algorithms[k];
    return NULL;
}

const bmf_method skeleton_methods[BMF_METHODS] = {
#define ENTRY(skeleton, name) {#skeleton, #name},
    BMF_METHOD_LIST(ENTRY)
#undef ENTRY
};

const bmf_method *method_find(const char *skeleton, const char *name)
{
    for (int k = 0; k < BMF_METHODS; k++)
        if (strcmp(skeleton_methods[k].skeleton, skeleton) == 0 &&
            (!name || strcmp(skeleton_methods[k].name, name) == 0))
            return &skeleton_methods[k];
    return NULL;
}

double algorithm_estimate(const bmf_algorithm *algorithm, const bmf_cost_model *cost, int64_t count, double bytes)
{
    return count > 1 ? algorithm->estimate(cost, count, bytes) : 0;
}

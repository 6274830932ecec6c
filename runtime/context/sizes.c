/* Sizes for larger arguments; see sizes.h. */
#include "runtime/context/sizes.h"

#include <stdlib.h>

#include "runtime/backend/backend.h"
#include "runtime/base/array.h"

bool sizes_are_grown(const bmf_context *ctx)
{
    return ctx->sizes && ctx->sizes->grown;
}

bmf_size_range size_grown(bmf_context *ctx, int64_t size)
{
    bmf_sizes *sizes = ctx->sizes;
    if (!sizes)
        return (bmf_size_range){size, size};
    const int64_t number = sizes->count;
    *(int64_t *)ARRAY_APPEND(sizes->seen, sizes->count, sizes->capacity) = size;
    return sizes->grown && number < sizes->known ? sizes->grown[number] : (bmf_size_range){size, size};
}

/* Of the innermost call that has one, or NULL. */
static const char *find_place(const bmf_context *ctx)
{
    int depth = ctx->depth < BMF_NODE_DEPTH ? ctx->depth : BMF_NODE_DEPTH - 1;
    while (depth > 0 && ctx->position[depth].place == 0)
        depth--;
    return ctx->run && depth > 0 ? ctx->run->name[ctx->position[depth].place] : NULL;
}

int sizes_refuse(bmf_context *ctx, const char *skeleton, const char *why)
{
    const char *place = find_place(ctx);
    return bmf_fail(ctx, BMF_ERROR_ARGUMENT, "%s%s%.200s: %s, so it cannot be predicted without data of that size",
                    skeleton, place ? " at " : "", place ? place : "", why);
}

void sizes_free(bmf_sizes *sizes)
{
    free(sizes->seen);
    *sizes = (bmf_sizes){0};
}

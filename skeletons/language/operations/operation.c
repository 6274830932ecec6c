/* The table of operations. */
#include "skeletons/language/operations/operation.h"

static const bmf_operation_descriptor scalars[] = {
#define SCALAR_ENTRY(operation, word, wants, fails, instructions)                                                      \
    {.keyword = word, .signature = BMF_SIGNATURE_##wants, .failure = BMF_FAILS_##fails},
    BMF_SCALAR_OPERATIONS(SCALAR_ENTRY)
#undef SCALAR_ENTRY
};

static const bmf_operation_descriptor *const lists[] = {
#define LIST_ENTRY(operation, file) &bmf_operation_##file,
    BMF_SKELETON_OPERATIONS(LIST_ENTRY)
#undef LIST_ENTRY
};

enum { SCALARS = sizeof scalars / sizeof scalars[0] };

const bmf_operation_descriptor *operation_descriptor(bmf_operation operation)
{
    return (int)operation < SCALARS ? &scalars[operation] : lists[operation - SCALARS];
}

const char *operation_keyword(bmf_operation operation, bool parallel)
{
    const bmf_operation_descriptor *descriptor = operation_descriptor(operation);
    return parallel && descriptor->parallel ? descriptor->parallel : descriptor->keyword;
}

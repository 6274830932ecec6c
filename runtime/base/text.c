/* Texts in working memory. */
#include "runtime/base/text.h"

#include <string.h>

#include "runtime/base/allocate.h"

char *text_copy(const char *text)
{
    const size_t size = strlen(text) + 1;
    return memcpy(allocate((int64_t)size), text, size);
}

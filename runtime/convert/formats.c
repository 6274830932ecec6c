/* The table of formats. */
#include <string.h>

#include "runtime/convert/convert.h"

const bmf_format formats[] = {
#define BMF_FORMAT_ROW(name, extension, streams, about) {#name, extension, streams, convert_##name, about},
    BMF_FORMATS(BMF_FORMAT_ROW)
#undef BMF_FORMAT_ROW
        {NULL, NULL, false, NULL, NULL},
};

const bmf_format *format_find(const char *name)
{
    for (const bmf_format *format = formats; format->name; format++)
        if (strcmp(format->name, name) == 0)
            return format;
    return NULL;
}

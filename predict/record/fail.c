/* Messages: the runtime's own bmf_fail knows contexts, which there are none of here. */
#include <stdarg.h>
#include <stdio.h>

#include "bmf/status.h"
#include "runtime/base/text.h"

enum { MESSAGE = 1024 };

static char message[MESSAGE];

int bmf_fail(bmf_context *ctx, int status, const char *format, ...)
{
    (void)ctx;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    text_make_printable(message);
    return status;
}

const char *bmf_error_text(const bmf_context *ctx)
{
    (void)ctx;
    return message;
}

/* One line for every failure of a replay; see the header. */
#include "predict/replay/fail.h"

#include <stdarg.h>
#include <stdio.h>

#include "bmf/status.h"
#include "runtime/base/text.h"

int fail_line(int status, const char *format, ...)
{
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    text_make_line(text);
    return bmf_fail(NULL, status, "%s", text);
}

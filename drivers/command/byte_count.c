/* Numbers of bytes; see byte_count.h. K, M, G and T are powers of 1024. */
#include "drivers/command/byte_count.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/command/command.h"

int byte_count_read(const char *text, void *field)
{
    static const char units[] = "KMGT";
    char *end = NULL;
    errno = 0;
    long long number = strchr("+- ", text[0]) ? 0 : strtoll(text, &end, 10);
    const char *unit = end && *end ? strchr(units, *end) : NULL;
    bool right = end && end != text && errno == 0 && (*end == '\0' || (unit && end[1] == '\0'));
    for (const char *k = units; right && unit && k <= unit; k++)
        right = !__builtin_mul_overflow(number, 1024, &number);
    if (!right || number < 1)
        return usage_error("'%s' is no number of bytes such as 4096, 512M or 1G", text);
    *(int64_t *)field = number;
    return 0;
}

#include "bench/names.h"

#include <string.h>

#include "drivers/command/command.h"

bool is_listed(const char *list, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = list; at; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, name, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return true;
    }
    return false;
}

int read_names(const char *list, bool (*is_known)(const char *name), void *field)
{
    for (const char *at = list; at; at = strchr(at, ',')) {
        char name[64];
        at += at != list;
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, ","), at);
        if (!is_known(name))
            return usage_error("--only: there is no row '%s'", name);
    }
    *(const char **)field = list;
    return 0;
}

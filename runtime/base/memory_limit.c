/* How much memory a process may have; see memory_limit.h.
 *
 * Method: the least of what sysinfo, getrlimit and the control groups of the process say, each with all groups above
 * it. Batch systems and containers limit memory by groups; who exceeds one is killed, without a failure that a program
 * could report. Both versions of groups are looked for where systems mount them: Linux,
 * Documentation/admin-guide/cgroup-v1/memory.rst (memory.limit_in_bytes) and cgroup-v2.rst (memory.max).
 * Cost: a few small files. */
#include "runtime/base/memory_limit.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The number in a file; INT64_MAX if there is none, as in "max". */
static int64_t number_in(const char *path)
{
    char text[64];
    FILE *file = fopen(path, "re");
    const bool has_text = file && fgets(text, sizeof text, file);
    if (file)
        fclose(file);
    if (!has_text || text[0] < '0' || text[0] > '9')
        return INT64_MAX;
    return strtoll(text, NULL, 10); /* LLONG_MAX if it is larger */
}

/* Of a group and those above it; `group` is cut to them. */
static int64_t limit_of_group(const char *mount, char *group, const char *name)
{
    int64_t limit = INT64_MAX;
    for (;;) {
        char path[2 * PATH_MAX];
        snprintf(path, sizeof path, "%s%s/%s", mount, group, name);
        limit = smaller(limit, number_in(path));
        char *slash = strrchr(group, '/');
        if (!slash)
            return limit;
        *slash = '\0';
    }
}

/* A line of /proc/self/cgroup: NUMBER:CONTROLLERS:GROUP; version 2 has no controllers. */
static int64_t limit_of_line(char *line)
{
    char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : NULL;
    if (!group)
        return INT64_MAX;
    *group++ = '\0';
    group[strcspn(group, "\n")] = '\0';
    if (strcmp(controllers, ":") == 0)
        return limit_of_group("/sys/fs/cgroup", group, "memory.max");
    if (strcmp(controllers, ":memory") == 0)
        return limit_of_group("/sys/fs/cgroup/memory", group, "memory.limit_in_bytes");
    return INT64_MAX;
}

static int64_t limit_of_groups(void)
{
    char line[PATH_MAX];
    int64_t limit = INT64_MAX;
    FILE *file = fopen("/proc/self/cgroup", "re");
    while (file && fgets(line, sizeof line, file))
        limit = smaller(limit, limit_of_line(line));
    if (file)
        fclose(file);
    return limit;
}

static int64_t limit_of_process(void)
{
    static const __rlimit_resource_t resource[] = {RLIMIT_AS, RLIMIT_DATA};
    int64_t limit = INT64_MAX;
    struct rlimit found;
    for (int k = 0; k < 2; k++)
        if (getrlimit(resource[k], &found) == 0 && found.rlim_cur < (rlim_t)limit)
            limit = (int64_t)found.rlim_cur;
    return limit;
}

static int64_t memory_of_host(void)
{
    struct sysinfo host;
    return sysinfo(&host) == 0 ? ((int64_t)host.totalram + (int64_t)host.totalswap) * host.mem_unit : INT64_MAX;
}

int64_t memory_limit(void)
{
    const int64_t limit = smaller(memory_of_host(), smaller(limit_of_process(), limit_of_groups()));
    return smaller(limit, INT64_MAX / 2); /* may be added to */
}

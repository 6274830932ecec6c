/* Checks of the host: clock, frequency, huge pages, direct copies, memory, and the directory at hand. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <time.h>

#include "drivers/doctor/checks.h"
#include "runtime/backend/clock.h"

enum { LINE = 128 };

static const double GIB = 1024.0 * 1024.0 * 1024.0;

/* The first line of a file below the root; false: there is none. */
static bool read_line(const bmf_examination *e, const char *path, char line[LINE])
{
    char whole[4096];
    snprintf(whole, sizeof whole, "%s%s", e->root, path);
    FILE *from = fopen(whole, "r");
    line[0] = '\0';
    if (!from)
        return false;
    const bool read = fgets(line, LINE, from) != NULL;
    fclose(from);
    line[strcspn(line, "\n")] = '\0';
    return read;
}

static bool is_one_of(const char *name, const char *const *known, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (strcmp(name, known[k]) == 0)
            return true;
    return false;
}

/* ---- processor ---- */

static double nanoseconds_of_a_reading(void)
{
    enum { READINGS = 2000 };
    struct timespec unused;
    const int64_t begin = monotonic_ns();
    for (int k = 0; k < READINGS; k++)
        clock_gettime(CLOCK_MONOTONIC, &unused);
    return (double)(monotonic_ns() - begin) / READINGS;
}

void check_clock(const bmf_examination *e, bmf_finding *f)
{
    static const char *const fast[] = {"tsc", "kvm-clock", "hyperv_clocksource_tsc_page", "arch_sys_counter"};
    char source[LINE];
    const double cost = nanoseconds_of_a_reading();
    if (!read_line(e, "/sys/devices/system/clocksource/clocksource0/current_clocksource", source))
        fine(f, "a reading costs %.0f ns", cost);
    else if (is_one_of(source, fast, sizeof fast / sizeof fast[0]))
        fine(f, "%s, a reading costs %.0f ns", source, cost);
    else
        slow(f, "traces and measurements read it often: ask the administrator for clocksource=tsc",
             "%s, a reading costs %.0f ns", source, cost);
}

void check_frequency(const bmf_examination *e, bmf_finding *f)
{
    char governor[LINE], driver[LINE];
    if (!read_line(e, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", governor)) {
        fine(f, "not chosen by this system");
        return;
    }
    read_line(e, "/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver", driver);
    /* Drivers whose hardware chooses: there "powersave" is the usual state. */
    if (strcmp(governor, "powersave") == 0 && !strstr(driver, "pstate"))
        slow(f, "ask for the governor performance or schedutil", "governor powersave: cores stay at their lowest");
    else
        fine(f, "governor %s", governor);
}

/* ---- memory ---- */

void check_huge_pages(const bmf_examination *e, bmf_finding *f)
{
    char choice[LINE];
    if (!read_line(e, "/sys/kernel/mm/transparent_hugepage/enabled", choice))
        slow(f, "a kernel with transparent huge pages makes large lists faster", "this kernel has none");
    else if (strstr(choice, "[never]"))
        slow(f, "ask for madvise or always in /sys/kernel/mm/transparent_hugepage/enabled", "switched off");
    else
        fine(f, "%s", choice);
}

void check_direct_copies(const bmf_examination *e, bmf_finding *f)
{
    struct utsname system;
    int major = 0, minor = 0;
    char release[LINE];
    (void)e;
    if (!read_line(e, "/proc/sys/kernel/osrelease", release) && uname(&system) == 0)
        snprintf(release, sizeof release, "%s", system.release);
    sscanf(release, "%d.%d", &major, &minor);
    if (major < 6 || (major == 6 && minor < 1))
        slow(f, "Linux 6.1 or newer lets ranks of a host copy large messages directly",
             "Linux %s: messages inside the host go through MPI", release);
    else
        fine(f, "Linux %s lets ranks of a host copy directly", release);
}

void check_memory(const bmf_examination *e, bmf_finding *f)
{
    static const double least = 0.25; /* GiB a rank */
    const double limit = (double)e->memory_limit / GIB, whole = (double)e->memory / GIB;
    if (limit / e->here < least)
        slow(f, "raise the limit (ulimit -v, the job's --mem), or start fewer ranks a host",
             "%d ranks share %.2f GiB (the host has %.1f)", e->here, limit, whole);
    else
        fine(f, "%.1f GiB for %d rank%s (the host has %.1f)", limit, e->here, e->here == 1 ? "" : "s", whole);
}

/* ---- files ---- */

typedef struct file_system {
    long number; /* statfs(2) */
    const char *name;
    bmf_verdict verdict;
} file_system;

static const file_system file_systems[] = {
    {0x6969, "NFS", BMF_SLOW},        {0xff534d42, "CIFS", BMF_SLOW}, {0xfe534d42, "SMB", BMF_SLOW},
    {0x0bd00bd0, "Lustre", BMF_FINE}, {0x47504653, "GPFS", BMF_FINE}, {0x01021994, "tmpfs", BMF_FINE},
    {0xef53, "ext4", BMF_FINE},       {0x58465342, "XFS", BMF_FINE},  {0x9123683e, "btrfs", BMF_FINE},
};

static const file_system *find_file_system(long number)
{
    for (size_t k = 0; k < sizeof file_systems / sizeof file_systems[0]; k++)
        if ((file_systems[k].number & 0xffffffff) == (number & 0xffffffff))
            return &file_systems[k];
    return NULL;
}

void check_directory(const bmf_examination *e, bmf_finding *f)
{
    struct statfs system;
    struct statvfs space;
    (void)e;
    if (statfs(".", &system) != 0 || statvfs(".", &space) != 0) {
        slow(f, "go to a directory that exists and may be read", "cannot be looked at");
        return;
    }
    const file_system *known = find_file_system((long)system.f_type);
    const double free_space = (double)space.f_bavail * (double)space.f_frsize / GIB;
    if (known && known->verdict == BMF_SLOW)
        slow(f, "write large outputs to a parallel or a local file system",
             "%s: ranks that write one file wait for each other's locks", known->name);
    else if (free_space < 1.0)
        slow(f, "write large outputs elsewhere", "%s, only %.2f GiB free", known ? known->name : "a file system",
             free_space);
    else
        fine(f, "%s, %.0f GiB free", known ? known->name : "a file system", free_space);
}

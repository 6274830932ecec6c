/* The processor that a table was measured on.
 *
 * Source: Linux' /proc/cpuinfo and /sys/devices/system/cpu; what these do not say is left out. Cost: a few small files.
 */
#include "bench/machine.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LINE = 256, MAX_CACHES = 8 };

static void read_model(bench_machine *machine)
{
    char line[LINE];
    FILE *file = fopen("/proc/cpuinfo", "r");
    snprintf(machine->model, sizeof machine->model, "unknown");
    while (file && fgets(line, sizeof line, file)) {
        const char *value = strchr(line, ':');
        if (value && strncmp(line, "model name", 10) == 0) {
            value += strspn(value, ": \t");
            snprintf(machine->model, sizeof machine->model, "%.*s", (int)strcspn(value, "\n"), value);
            break;
        }
    }
    if (file)
        fclose(file);
}

/* The first line of a file about cache k of the first core; false if there is none. */
static bool cache_line(int k, const char *name, char line[LINE])
{
    char path[LINE];
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s", k, name);
    FILE *file = fopen(path, "r");
    const bool read = file && fgets(line, LINE, file);
    if (file)
        fclose(file);
    return read;
}

/* How many cores a list such as "0-3,8" has. */
static int count_cores(const char *list)
{
    int cores = 0;
    while (*list >= '0' && *list <= '9') {
        char *end;
        const long first = strtol(list, &end, 10), last = *end == '-' ? strtol(end + 1, &end, 10) : first;
        cores += (int)(last - first) + 1;
        list = end + (*end == ',');
    }
    return cores;
}

static void read_caches(bench_machine *machine)
{
    char line[LINE];
    for (int k = 0; k < MAX_CACHES && cache_line(k, "type", line); k++) {
        if (strncmp(line, "Instruction", 11) == 0 || !cache_line(k, "level", line))
            continue;
        const int level = atoi(line);
        if (level < 1 || level > BENCH_CACHE_LEVELS || !cache_line(k, "size", line))
            continue;
        char *unit;
        const int64_t size = strtoll(line, &unit, 10);
        machine->cache[level - 1].bytes = *unit == 'M' ? size << 20 : *unit == 'K' ? size << 10 : size;
        machine->cache[level - 1].cores = cache_line(k, "shared_cpu_list", line) ? count_cores(line) : 1;
    }
}

/* As the loader picks clones of kernels (BMF_VECTORISE), and the dispatch by hand does. */
static const char *instructions_used(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        return "AVX-512";
    if (__builtin_cpu_supports("avx2"))
        return "AVX2";
#endif
    return "plain";
}

void bench_machine_read(bench_machine *machine)
{
    *machine = (bench_machine){.cores = (int)sysconf(_SC_NPROCESSORS_ONLN), .instructions = instructions_used()};
    read_model(machine);
    read_caches(machine);
}

void bench_machine_print(FILE *stream)
{
    bench_machine machine;
    bench_machine_read(&machine);
    fprintf(stream, "%s, %d core%s", machine.model, machine.cores, machine.cores == 1 ? "" : "s");
    for (int k = 0; k < BENCH_CACHE_LEVELS; k++) {
        const int64_t bytes = machine.cache[k].bytes;
        if (bytes == 0)
            continue;
        fprintf(stream, "%s L%d %lld %s", k == 0 ? ";" : ",", k + 1, (long long)(bytes >> (bytes >= 1 << 20 ? 20 : 10)),
                bytes >= 1 << 20 ? "MiB" : "KiB");
        if (machine.cache[k].cores > 1)
            fprintf(stream, " of %d cores", machine.cache[k].cores);
    }
    fprintf(stream, "; %s\n", machine.instructions);
}

json_t *bench_machine_json(void)
{
    static const char *const key[BENCH_CACHE_LEVELS] = {"l1_bytes", "l2_bytes", "l3_bytes"};
    bench_machine machine;
    bench_machine_read(&machine);
    json_t *object = json_pack("{s:s, s:i, s:s}", "model", machine.model, "cores", machine.cores, "instructions",
                               machine.instructions);
    for (int k = 0; k < BENCH_CACHE_LEVELS; k++)
        json_object_set_new(object, key[k],
                            machine.cache[k].bytes > 0 ? json_integer(machine.cache[k].bytes) : json_null());
    return object;
}

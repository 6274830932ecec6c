/* Fuzz target of the files of schedules that are kept (predict/mesh/schedule_cache.c): the input is what follows the
 * description of the traffic, its sum is right. Either another schedule is made, or the one of the file runs. */
#define _GNU_SOURCE
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bmf/status.h"
#include "ctest/fuzz/fuzz.h"
#include "predict/mesh/schedule_cache.h"
#include "runtime/base/hash.h"
#include "runtime/base/output_file.h"

static bmf_scheduled_hardware hardware = {.pipelines = 2, .length = 8, .separate_wires = true};
static bmf_mesh_traffic *traffic;
static char *directory, path[4096];
static char *head; /* the description */

static void remove_directory(void)
{
    temporary_directory_remove(directory);
    mesh_traffic_free(traffic);
    free(head);
}

/* The file that was made, up to its first number of phases. */
static void read_head(void)
{
    size_t size = 0;
    DIR *entries = opendir(directory);
    for (struct dirent *entry = NULL; entries && (entry = readdir(entries));)
        if (strstr(entry->d_name, ".schedule"))
            snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
    if (entries)
        closedir(entries);
    FILE *file = fopen(path, "r");
    demand(file && getdelim(&head, &size, '\0', file) > 0, "a schedule is kept");
    fclose(file);
    char *phases = strstr(head, "phases ");
    demand(phases, "a schedule has phases");
    *phases = '\0';
}

static bmf_schedule_cache *ask(const bmf_mesh_plan **plan)
{
    bmf_schedule_cache *cache = schedule_cache_create(directory);
    demand(schedule_cache_plan(cache, &hardware, traffic->messages, traffic->message, plan) == BMF_OK, "a plan");
    return cache;
}

static void prepare(void)
{
    const bmf_mesh_plan *plan;
    demand(mesh_make(2, (int64_t[]){3, 2}, false, &hardware.mesh) == BMF_OK, "a mesh");
    demand(mesh_traffic_make("shift", &hardware.mesh, 4, NULL, &traffic) == BMF_OK, "traffic");
    directory = temporary_directory_create("bmf-fuzz-schedules");
    demand(directory, "a directory");
    schedule_cache_free(ask(&plan));
    read_head();
    atexit(remove_directory);
}

static void write_file(const uint8_t *bytes, size_t size)
{
    char *text = NULL;
    size_t length = 0;
    FILE *to = open_memstream(&text, &length), *file = fopen(path, "w");
    demand(to && file, "memory and a file");
    fputs(head, to);
    fwrite(bytes, 1, size, to);
    fputc('\n', to);
    fclose(to);
    fprintf(file, "%ssum %" PRIx64 "\n", text, hash_bytes(HASH_START, text, length));
    fclose(file);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    const bmf_mesh_plan *plan;
    if (!directory)
        prepare();
    if (memchr(bytes, 0, size))
        return 0;
    write_file(bytes, size);
    bmf_schedule_cache *cache = ask(&plan);
    for (int64_t k = 0; k < plan->phases; k++) {
        bmf_phase_times times;
        const int status = mesh_phase_run(&plan->phase[k], traffic->message, &(bmf_phase_setting){0}, &times);
        if (status != BMF_OK)
            demand_line(status);
        else
            phase_times_free(&times);
    }
    schedule_cache_free(cache);
    return 0;
}

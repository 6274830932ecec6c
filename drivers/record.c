/* bmf record: an MPI program with the recorder loaded before it.
 *
 * Every rank's process sets the environment that predict/record/state.c reads and becomes the program (execvp), so that
 * mpirun's ranks stay what they are. It must not call MPI itself. */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "drivers/command/mpirun.h"
#include "drivers/commands.h"
#include "runtime/base/allocate.h"

typedef struct values {
    const char *output;
    int clock; /* -1: as is best */
    int64_t memory;
    bool sites, sums, off, polite;
} values;

static const values defaults = {.clock = -1, .memory = 256};

static const char *clock_name(int number, const char **about)
{
    static const char *const name[] = {"wall", "cpu", NULL};
    static const char *const text[] = {"time that passes", "time on a core, for programs with more ranks than cores",
                                       NULL};
    *about = text[number];
    return name[number];
}

/* ---- finding things ---- */

/* The recorder beside the program: in a build's directory above bin, or where it is installed. */
static bool find_library(char *path, size_t size)
{
    static const char installed[] = "/" BMF_LIBRARY_DIRECTORY;
    static const char *const places[] = {"", "/..", installed};
    char own[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);
    if (length <= 0)
        return false;
    own[length] = '\0';
    *strrchr(own, '/') = '\0';
    for (size_t k = 0; k < sizeof places / sizeof *places; k++) {
        const int made = snprintf(path, size, "%s%s/libbmf-record.so", own, places[k]);
        if (made > 0 && (size_t)made < size && access(path, R_OK) == 0)
            return true;
    }
    return false;
}

/* The file that execvp would run. */
static bool find_program(const char *name, char *path, size_t size)
{
    const char *list = getenv("PATH");
    if (strchr(name, '/') || !list) {
        snprintf(path, size, "%s", name);
        return access(path, X_OK) == 0;
    }
    for (const char *at = list; at; at = strchr(at, ':') ? strchr(at, ':') + 1 : NULL) {
        const int length = (int)strcspn(at, ":");
        snprintf(path, size, "%.*s/%s", length, at, name);
        if (access(path, X_OK) == 0)
            return true;
    }
    return false;
}

/* Programs without a dynamic linker take no library before theirs. Scripts do: what they start may. */
static bool is_static(const char *path)
{
    Elf64_Ehdr header;
    Elf64_Phdr segment;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    bool program = file >= 0 && pread(file, &header, sizeof header, 0) == (ssize_t)sizeof header &&
                   memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64;
    bool dynamic = !program;
    for (int k = 0; program && !dynamic && k < header.e_phnum; k++)
        dynamic = pread(file, &segment, sizeof segment, (off_t)(header.e_phoff + (Elf64_Off)k * sizeof segment)) ==
                      (ssize_t)sizeof segment &&
                  segment.p_type == PT_INTERP;
    if (file >= 0)
        close(file);
    return !dynamic;
}

/* ---- the environment ---- */

/* The recorder comes first: a library of the user's that also wraps MPI sees what it passes on. */
static void preload(const char *library)
{
    const char *before = getenv("LD_PRELOAD");
    const size_t size = strlen(library) + (before ? strlen(before) : 0) + 2;
    char *list = allocate((int64_t)size);
    snprintf(list, size, "%s%s%s", library, before && *before ? ":" : "", before ? before : "");
    setenv("LD_PRELOAD", list, 1);
    free(list);
}

static void set_environment(const values *v, const char *library)
{
    char text[64];
    const char *about;
    preload(library);
    setenv("BMF_RECORD", v->output, 1);
    snprintf(text, sizeof text, "%ld", (long)getpid());
    setenv("BMF_RECORD_PROCESS", text, 1);
    snprintf(text, sizeof text, "%lld", (long long)v->memory);
    setenv("BMF_RECORD_MEMORY", text, 1);
    snprintf(text, sizeof text, "%s%s%s%s", v->sites ? "sites " : "", v->sums ? "sums " : "", v->off ? "off " : "",
             v->polite ? "polite" : "");
    setenv("BMF_RECORD_OPTIONS", text, 1);
    if (v->clock >= 0)
        setenv("BMF_RECORD_CLOCK", clock_name(v->clock, &about), 1);
    else
        unsetenv("BMF_RECORD_CLOCK");
}

static int run(bmf_context *ctx, void *given, const bmf_operands *operands)
{
    (void)ctx;
    const values *v = given;
    char library[PATH_MAX], program[PATH_MAX];
    if (!BMF_HAS_RECORDER)
        return usage_error(BMF_NO_RECORDER);
    if (!operands->behind_hyphens)
        return usage_error("give the program behind `--`");
    if (!find_program(operands->text[0], program, sizeof program))
        return report_status(
            NULL, bmf_fail(NULL, BMF_ERROR_USAGE, "cannot run '%s': %s", operands->text[0], strerror(errno)));
    if (is_static(program)) {
        report_status(NULL, bmf_fail(NULL, BMF_ERROR_USAGE,
                                     "'%s' never called MPI_Init of MPICH; recorded nothing (it is linked statically)",
                                     operands->text[0]));
        return 1;
    }
    if (!find_library(library, sizeof library))
        return report_status(NULL, bmf_fail(NULL, BMF_ERROR_FILE, "there is no libbmf-record.so beside bmf"));
    set_environment(v, library);
    execvp(operands->text[0], operands->text);
    return report_status(NULL,
                         bmf_fail(NULL, BMF_ERROR_USAGE, "cannot run '%s': %s", operands->text[0], strerror(errno)));
}

static const bmf_option table[] = {
    BMF_OPTION("output", "TRACE", BMF_TEXT(values, output), "the trace to write", .letter = 'o',
               .missing = "nowhere to write: give -o"),
    BMF_OPTION("clock", "CLOCK", BMF_CHOICE(values, clock, clock_name),
               "what measures computing; without it cpu if ranks outnumber cores, else wall:"),
    BMF_OPTION("sites", NULL, BMF_FLAG(values, sites),
               "say from which file and line calls came (programs with debugging information)"),
    BMF_OPTION("sums", NULL, BMF_FLAG(values, sums),
               "no events: write sums by phase, operation and partner as comma separated values"),
    BMF_OPTION("memory", "MIB", BMF_WHOLE(values, memory, 1, 1 << 20),
               "of the events of a rank so many MiB stay in memory; all are in TRACE.parts until the end"),
    BMF_OPTION("off", NULL, BMF_FLAG(values, off), "start switched off; MPI_Pcontrol(1) switches on, 0 off"),
    BMF_OPTION(
        "polite", NULL, BMF_FLAG(values, polite),
        "make blocking calls as nonblocking ones and wait for them with short sleeps: for more ranks than cores"),
    BMF_OPTION_END};

const bmf_driver record_command = {
    .name = "record",
    .summary = "record what any MPI program does",
    .synopsis = BMF_MPIRUN_NAME " -n RANKS bmf record -o TRACE [OPTION].. -- PROGRAM ARGUMENT..",
    .about =
        "Runs an MPI program, as it is, and records every call of MPI and the computing between them. The trace works "
        "with `bmf trace`, `report`, `compare`, `convert` and `replay`. The program is linked with MPICH as a shared "
        "library, and so is this bmf; its output is the same as without the recorder. A program that ends without "
        "MPI_Finalize leaves "
        "what was recorded in TRACE.parts, which is read in place of TRACE.",
    .example = BMF_MPIRUN_NAME " -n 8 bmf record -o run.trace -- ./life 160\n"
                               "bmf report run.trace --html run.html\n"
                               "bmf replay run.trace --machine t3d-sheet",
    .exit_code = "that of the program; 1 if it never called MPI_Init of MPICH; 2 bad usage, or no such program.",
    .see = "bmf-trace, bmf-report, bmf-compare, bmf-replay, mpirun",
    .options = table,
    .min_operands = 1,
    .max_operands = BMF_ANY_NUMBER,
    .no_operand = "no program",
    .every_process = true,
    .defaults = &defaults,
    .size = sizeof defaults,
    .run = run};

/* Opening and closing the recorder, and what happens around every call.
 *
 * The environment says what is wanted (bmf record sets it): BMF_RECORD, the trace; without it nothing is recorded, but
 * with the option polite calls wait politely all the same.
 * BMF_RECORD_CLOCK=wall|cpu, BMF_RECORD_OPTIONS: words sites, sums, off, polite; BMF_RECORD_MEMORY: MiB.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bmf/status.h"
#include "predict/record/record.h"
#include "predict/record/sites.h"
#include "predict/record/sums.h"
#include "predict/record/virtual.h"
#include "runtime/base/allocate.h"
#include "runtime/base/directory_lock.h"
#include "runtime/trace/parts.h"

enum { DEFAULT_MEMORY = 256, MIB = 1 << 20, MAX_ARGUMENTS = 4096 };

bmf_recorder rec;

#define RECORD_NAME(operation, name) [OPERATION_##operation] = name,
const char *const operation_names[OPERATIONS] = {RECORD_OTHER(RECORD_NAME) RECORD_POINT(RECORD_NAME) RECORD_REQUEST(
    RECORD_NAME) RECORD_COLLECTIVE(RECORD_NAME) RECORD_COMMUNICATOR(RECORD_NAME)};

static struct {
    char *trace, *directory;
    MPI_Comm world, host;
    pthread_t thread;
    pid_t process;
    int lock;          /* rank 0: of the directory */
    bool holds;        /* rank 0: has taken it */
    bool other_thread; /* has called MPI: it was said */
} state;

/* ---- around calls ---- */

/* Calls from a second thread are not recorded; that there were some is. */
static bool is_other_thread(void)
{
    if (pthread_equal(pthread_self(), state.thread))
        return false;
    __atomic_store_n(&state.other_thread, true, __ATOMIC_RELAXED);
    return true;
}

bmf_call record_enter(const char *name, void *address)
{
    if (!rec.on || rec.inside || is_other_thread())
        return (bmf_call){-1, 0, name};
    const uint16_t number = rec.sites ? site_name(name, address) : part_name_of_call(name);
    const int64_t now = clock_now();
    int64_t processor = now - rec.last;
    if (rec.cpu_clock)
        processor = clock_processor() - rec.last_cpu;
    if (now > rec.last || rec.untimed) {
        static uint16_t compute;
        if (!compute)
            compute = part_name(operation_names[OPERATION_COMPUTE]);
        event_add(&(bmf_call){rec.last, compute, name}, rec.last, now,
                  &(bmf_event_facts){.kind = BMF_EVENT_KERNEL, .peer = -1, .tag = -1, .number = processor});
    }
    part_note_call(number);
    rec.inside = true;
    const int64_t begin = now + rec.lost;
    rec.lost = 0;
    return (bmf_call){begin, number, name};
}

void record_leave(const bmf_call *c, int64_t end)
{
    if (c->begin < 0)
        return;
    rec.inside = false;
    rec.last = end + rec.lost;
    rec.lost = 0;
    if (rec.cpu_clock)
        rec.last_cpu = clock_processor();
}

void record_switch(bool on)
{
    if (!rec.open || on == rec.on)
        return;
    rec.on = on;
    rec.last = clock_now();
    rec.lost = 0;
    rec.last_cpu = rec.cpu_clock ? clock_processor() : 0;
    if (on)
        requests_forget();
    else
        part_fact("switched off", "yes");
}

/* ---- opening ---- */

static bool has_option(const char *option)
{
    const char *options = getenv("BMF_RECORD_OPTIONS");
    const size_t length = strlen(option);
    for (const char *at = options; at && (at = strstr(at, option)); at += length)
        if ((at == options || at[-1] == ' ') && (at[length] == '\0' || at[length] == ' '))
            return true;
    return false;
}

static int cores(void)
{
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : (int)sysconf(_SC_NPROCESSORS_ONLN);
}

/* The cores of a host, whether or not its ranks are bound to some of them each. */
static bool ranks_outnumber_cores(MPI_Comm host)
{
    int ranks;
    const int most = polite_allreduce(cores(), MPI_MAX, host);
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    PMPI_Comm_size(host, &ranks);
    return ranks > (most * ranks < online ? most * ranks : most > 1 ? most : (int)online);
}

/* Paths stay the same when the program changes its directory. */
static char *absolute(const char *path)
{
    char here[PATH_MAX];
    char *made = allocate(PATH_MAX * 2);
    if (path[0] == '/' || !getcwd(here, sizeof here))
        snprintf(made, PATH_MAX * 2, "%s", path);
    else
        snprintf(made, PATH_MAX * 2, "%s/%s", here, path);
    return made;
}

/* The command line, for the trace: arguments with blanks between them. */
static void put_command(part_header *header)
{
    const char *name = program_invocation_short_name;
    snprintf(header->program, sizeof header->program, "%s", name ? name : "");
    if (gethostname(header->machine, sizeof header->machine - 1) != 0)
        header->machine[0] = '\0';
}

static void add_arguments(void)
{
    char text[MAX_ARGUMENTS];
    FILE *stream = fopen("/proc/self/cmdline", "re");
    const size_t size = stream ? fread(text, 1, sizeof text - 1, stream) : 0;
    if (stream)
        fclose(stream);
    for (size_t k = 0; k + 1 < size; k++)
        text[k] = text[k] ? text[k] : ' ';
    text[size] = '\0';
    part_fact("command", text);
}

/* Rank 0 makes the directory, and empties one that an earlier run left. errno of the failure, or 0. */
static int make_directory(void)
{
    const int failure = directory_lock(state.directory, 0777, &state.lock);
    state.holds = failure == 0;
    if (failure == 0)
        parts_clear(state.directory);
    return failure;
}

/* Nothing is recorded: no part stays. */
static void remove_parts(void)
{
    part_discard(state.directory);
    polite_barrier(state.world);
    if (state.holds)
        rmdir(state.directory);
    directory_unlock(state.lock);
}

/* All ranks say whether they could; one of them says why not. */
static bool all_could(bool could, int failure)
{
    const int first = polite_allreduce(could ? INT_MAX : rec.rank, MPI_MIN, state.world);
    if (first == rec.rank)
        fprintf(stderr, "bmf: cannot record to '%s': %s; recorded nothing\n", state.trace,
                failure == EBUSY ? "another program is being recorded there" : strerror(failure ? failure : ENOSPC));
    return first == INT_MAX;
}

static bool open_part(bool polite_or_not)
{
    part_header header = {
        .rank = rec.rank, .ranks = rec.ranks, .cpu_clock = rec.cpu_clock, .polite = polite_or_not, .sums = rec.sums};
    memcpy(header.magic, PART_MAGIC, sizeof header.magic);
    put_command(&header);
    const char *memory = getenv("BMF_RECORD_MEMORY");
    const int64_t mebibytes = memory ? strtoll(memory, NULL, 10) : DEFAULT_MEMORY;
    errno = 0;
    const bool opened = part_open(state.directory, &header, mebibytes * MIB);
    return all_could(opened, errno);
}

static bool read_settings(MPI_Comm host)
{
    const char *clock = getenv("BMF_RECORD_CLOCK");
    const bool crowded = ranks_outnumber_cores(host);
    rec.sums = has_option("sums");
    rec.sites = has_option("sites");
    rec.cpu_clock = clock ? strcmp(clock, "cpu") == 0 : crowded;
    return !has_option("off");
}

static void free_communicators(void)
{
    PMPI_Comm_free(&state.host);
    PMPI_Comm_free(&state.world);
}

void record_open(void)
{
    const char *trace = getenv("BMF_RECORD");
    rec.polite = has_option("polite");
    if (!trace || !*trace || rec.open)
        return;
    state.trace = absolute(trace);
    state.directory = parts_directory(state.trace);
    state.thread = pthread_self();
    state.process = getpid();
    state.lock = -1;
    polite_dup(MPI_COMM_WORLD, &state.world);
    PMPI_Comm_rank(state.world, &rec.rank);
    PMPI_Comm_size(state.world, &rec.ranks);
    PMPI_Comm_split_type(state.world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &state.host);
    const bool starts_on = read_settings(state.host);
    const int failure = rec.rank == 0 ? make_directory() : 0;
    rec.open = all_could(failure == 0, failure) && open_part(rec.polite);
    if (rec.open) {
        groups_open();
        add_arguments();
        virtual_open();
        clock_open(state.world, state.host);
        rec.last = clock_now();
        rec.lost = 0;
        rec.last_cpu = rec.cpu_clock ? clock_processor() : 0;
        rec.on = starts_on;
        if (!starts_on)
            part_fact("switched off", "yes");
    }
    if (!rec.open) {
        remove_parts();
        free_communicators();
    }
}

/* ---- closing ---- */

/* On rank 0: the trace, or the table of sums, of all parts. */
static void unite_parts(void)
{
    bmf_trace *trace = NULL;
    int status = parts_read(NULL, state.directory, &trace);
    if (status == BMF_OK) {
        if (rec.sites)
            sites_resolve(trace->run[0]);
        status = rec.sums ? sums_print(trace->run[0], state.trace) : trace_write(NULL, trace, state.trace);
    }
    if (status == BMF_OK && trace->run[0]->dropped > 0)
        fprintf(stderr, "bmf: '%s' is incomplete: events were lost because the disk was full\n", state.trace);
    bmf_trace_free(trace);
    if (status == BMF_OK)
        parts_remove(state.directory);
    else
        fprintf(stderr, "bmf: %s; the parts are in '%s'\n", bmf_error_text(NULL), state.directory);
}

void record_close(void)
{
    if (!rec.open)
        return;
    if (rec.on) {
        const bmf_call c = ENTER(FINALIZE); /* the computing before it */
        record_leave(&c, clock_now());
    }
    phase_end();
    events_flush();
    virtual_close();
    if (state.other_thread)
        part_fact("opaque", "calls of several threads");
    if (rec.sums)
        sums_write();
    part_note_drift(clock_drift(state.world, state.host));
    rec.on = rec.open = false;
    part_close(PART_FINISHED);
    polite_barrier(state.world);
    if (rec.rank == 0)
        unite_parts();
    directory_unlock(state.lock);
    polite_barrier(state.world); /* else the others would spin meanwhile */
    free_communicators();
}

void record_abandon(part_state how)
{
    if (!rec.open || getpid() != state.process)
        return;
    if (rec.sums)
        sums_write();
    rec.on = rec.open = false;
    part_close(how);
}

/* ---- the end of the process ---- */

/* Whether this process or one that it started wrote a trace since `bmf record` began: the time of its own start. */
static bool somebody_recorded(const char *trace)
{
    struct stat self, made;
    char *directory = parts_directory(trace);
    const bool known = stat("/proc/self", &self) == 0;
    bool recorded = stat(directory, &made) == 0 || !known;
    if (!recorded && stat(trace, &made) == 0)
        recorded = made.st_mtim.tv_sec >= self.st_mtim.tv_sec;
    free(directory);
    return recorded;
}

__attribute__((destructor)) static void end_of_process(void)
{
    record_abandon(PART_EXITED);
    const char *trace = getenv("BMF_RECORD"), *process = getenv("BMF_RECORD_PROCESS");
    if (state.trace || !trace || !process || strtol(process, NULL, 10) != (long)getpid() || somebody_recorded(trace))
        return;
    const char *rank = getenv("PMI_RANK");
    if (!rank || strcmp(rank, "0") == 0)
        fprintf(stderr, "bmf: '%s' never called MPI_Init of MPICH; recorded nothing\n",
                program_invocation_name ? program_invocation_name : "");
    fflush(NULL);
    _exit(1);
}

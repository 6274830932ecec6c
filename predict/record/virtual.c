/* Saying and asking, on virtual clocks.
 *
 * Method: actions are collected and written when there are many, before every question, before a call that may wait for
 * another rank if the predicting process wants to hear more (a page that all map says so), and when waiting gets long.
 * So ranks that nobody asks anything of seldom wake that process. While an answer is awaited, sends of this rank that
 * are under way are helped along. */
#define _GNU_SOURCE
#include "predict/record/virtual.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/base/hash.h"

enum { BUFFER = 1 << 16, POLL_MS = 1 };

static struct {
    int socket;
    const bmf_virtual_page *page;
    size_t used;
    char buffer[BUFFER];
    bmf_virtual_choice *choice;
    int64_t capacity;
    int64_t told; /* nanoseconds of the present computing that have been said */
} line = {.socket = -1};

/* ---- the connection ---- */

static _Noreturn void lost(const char *what)
{
    fprintf(stderr, "bmf: rank %d %s the predicting process: %s\n", rec.rank, what, strerror(errno));
    _exit(1);
}

static void write_all(const char *data, size_t bytes)
{
    while (bytes > 0) {
        const ssize_t written = send(line.socket, data, bytes, MSG_NOSIGNAL);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0 && (errno == EPIPE || errno == ECONNRESET))
            _exit(1);
        if (written <= 0)
            lost("has lost");
        data += written;
        bytes -= (size_t)written;
    }
}

void virtual_flush(void)
{
    write_all(line.buffer, line.used);
    line.used = 0;
}

void virtual_flush_if_wanted(void)
{
    if (__atomic_load_n(&line.page->wanted, __ATOMIC_ACQUIRE))
        virtual_flush();
}

static void put(const void *data, size_t bytes)
{
    if (line.used + bytes > BUFFER)
        virtual_flush();
    if (bytes > BUFFER) {
        write_all(data, bytes);
        return;
    }
    if (bytes > 0)
        memcpy(line.buffer + line.used, data, bytes);
    line.used += bytes;
}

static void read_all(void *data, size_t bytes)
{
    char *at = data;
    while (bytes > 0) {
        struct pollfd ready = {line.socket, POLLIN, 0};
        const bool progress = virtual_progress();
        if (poll(&ready, 1, progress ? POLL_MS : -1) == 0)
            continue;
        const ssize_t got = recv(line.socket, at, bytes, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got == 0) /* the prediction has ended, and said why */
            _exit(1);
        if (got < 0)
            lost("has lost");
        at += got;
        bytes -= (size_t)got;
    }
}

static void map_page(const char *socket)
{
    char path[sizeof(struct sockaddr_un)];
    snprintf(path, sizeof path, "%s" VIRTUAL_PAGE, socket);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    void *memory = file < 0 ? MAP_FAILED : mmap(NULL, sizeof *line.page, PROT_READ, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED)
        lost("cannot reach");
    line.page = memory;
    close(file);
}

void virtual_open(void)
{
    const char *path = getenv(VIRTUAL_SOCKET);
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (!path || !*path)
        return;
    line.socket = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
    if (line.socket < 0 || connect(line.socket, (struct sockaddr *)&address, sizeof address) != 0)
        lost("cannot reach");
    map_page(path);
    const char *compute = getenv(VIRTUAL_COMPUTING);
    rec.untimed = compute && strcmp(compute, "measured") != 0;
    rec.virtual = rec.polite = true;
    virtual_requests_open();
    bmf_virtual_action hello = virtual_action(VIRTUAL_HELLO, "");
    hello.peer = rec.rank;
    hello.amount = rec.ranks;
    virtual_say(&hello, NULL, NULL, 0);
    virtual_flush();
}

void virtual_close(void)
{
    if (!rec.virtual)
        return;
    const bmf_virtual_action end = virtual_action(VIRTUAL_END, "");
    virtual_say(&end, NULL, NULL, 0);
    virtual_flush();
    /* Nobody receives any more once all have come here. */
    MPI_Request all;
    int done = 0, tries = 0;
    PMPI_Ibarrier(MPI_COMM_WORLD, &all);
    while (!done) {
        virtual_progress();
        PMPI_Test(&all, &done, MPI_STATUS_IGNORE);
        polite_pause(&tries);
    }
    virtual_requests_close();
    close(line.socket);
    rec.virtual = false;
}

/* ---- saying ---- */

bmf_virtual_action virtual_action(bmf_virtual_kind kind, const char *name)
{
    bmf_virtual_action action = {.kind = kind};
    for (size_t k = 0; k + 1 < sizeof action.name && name[k]; k++)
        action.name[k] = name[k];
    return action;
}

static void say_group(uint64_t id, int32_t size, const int32_t *world)
{
    bmf_virtual_action group = virtual_action(VIRTUAL_GROUP, "");
    group.group = id;
    group.amount = size;
    put(&group, sizeof group);
    for (int32_t k = 0; k < size; k++)
        put(world ? &world[k] : &k, sizeof k);
}

void virtual_say(const bmf_virtual_action *action, const bmf_communicator *of, const void *list, int64_t bytes)
{
    bmf_virtual_action said = *action;
    if (of && !of->said) {
        say_group(of->id, of->size, of->world);
        ((bmf_communicator *)of)->said = true;
    }
    if (of)
        said.group = of->id;
    put(&said, sizeof said);
    put(list, (size_t)bytes);
}

void virtual_say_computing(int64_t nanoseconds, int64_t steps)
{
    bmf_virtual_action action = virtual_action(VIRTUAL_COMPUTE, "");
    action.amount = nanoseconds > line.told ? nanoseconds - line.told : 0;
    action.number = steps;
    line.told = 0;
    virtual_say(&action, NULL, NULL, 0);
}

void virtual_say_send(const char *name, const bmf_communicator *of, int32_t to, int tag, int64_t bytes, uint32_t round,
                      uint32_t flags)
{
    bmf_virtual_action action = virtual_action(VIRTUAL_SEND, name);
    action.peer = to, action.tag = tag, action.amount = bytes, action.round = round, action.flags = flags;
    virtual_say(&action, of, NULL, 0);
}

void virtual_say_file(int64_t nanoseconds)
{
    bmf_virtual_action action = virtual_action(VIRTUAL_FILE, "");
    action.amount = nanoseconds;
    virtual_say(&action, NULL, NULL, 0);
}

void virtual_say_opaque(const char *name)
{
    const bmf_virtual_action action = virtual_action(VIRTUAL_OPAQUE, name);
    virtual_say(&action, NULL, NULL, 0);
    virtual_flush();
}

static void say_collective(const char *name, int64_t bytes, int32_t root, const bmf_communicator *of, int64_t number,
                           uint32_t round, uint32_t flags)
{
    bmf_virtual_action action = virtual_action(VIRTUAL_COLLECTIVE, name);
    action.amount = bytes, action.peer = root, action.number = number, action.round = round, action.flags = flags;
    virtual_say(&action, of, NULL, 0);
}

void virtual_say_collective(const char *name, int64_t bytes, int root, MPI_Comm comm)
{
    const bmf_communicator *of = group_of(comm);
    if (!of)
        return;
    say_collective(name, bytes, group_world(of, root), of, of->calls, 0, 0);
    virtual_flush_if_wanted();
}

void virtual_say_collective_request(const char *name, const bmf_request *r)
{
    virtual_note_collective();
    say_collective(name, r->bytes, group_world(r->of, r->root), r->of, r->order, r->round, VIRTUAL_NONBLOCKING);
}

/* The members' ranks, the communicator that they come from and the tag say which group it is; calls are numbered. */
static void say_members(const char *name, const bmf_communicator *of, MPI_Group group, int tag, uint32_t flags)
{
    static struct {
        uint64_t id;
        int64_t calls;
    } * known;
    static int64_t knowns, capacity;
    MPI_Group world;
    int size, rank;
    PMPI_Group_size(group, &size);
    PMPI_Group_rank(group, &rank);
    if (!of || rank == MPI_UNDEFINED)
        return;
    int *own = allocate_array(2 * (int64_t)size, (int64_t)sizeof *own), *found = own + size;
    uint64_t id = hash_add(of->id, (uint64_t)tag);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    for (int k = 0; k < size; k++)
        own[k] = k;
    PMPI_Group_translate_ranks(group, size, own, world, found);
    PMPI_Group_free(&world);
    for (int k = 0; k < size; k++)
        id = hash_add(id, (uint64_t)found[k]);
    int64_t k = 0;
    while (k < knowns && known[k].id != id)
        k++;
    if (k == knowns) {
        ARRAY_APPEND(known, knowns, capacity);
        known[k].id = id;
        known[k].calls = 0;
        say_group(id, size, found);
    }
    bmf_virtual_action action = virtual_action(VIRTUAL_COLLECTIVE, name);
    action.peer = -1, action.number = known[k].calls++, action.group = id, action.flags = flags;
    virtual_say(&action, NULL, NULL, 0);
    virtual_flush();
    free(own);
}

void virtual_say_members(const char *name, MPI_Comm comm, MPI_Group group, int tag)
{
    say_members(name, group_of(comm), group, tag, 0);
}

/* No communicator is made with a negative tag. */
enum { FILE_TAG = -1 };

static void say_file_members(const char *name, MPI_Group group)
{
    say_members(name, group_of(MPI_COMM_WORLD), group, FILE_TAG, VIRTUAL_NO_TIME);
    PMPI_Group_free(&group);
}

void virtual_say_file_opening(const char *name, MPI_Comm comm)
{
    MPI_Group group;
    if (PMPI_Comm_group(comm, &group) == MPI_SUCCESS)
        say_file_members(name, group);
}

void virtual_say_file_collective(const char *name, MPI_File file)
{
    MPI_Group group;
    if (PMPI_File_get_group(file, &group) == MPI_SUCCESS)
        say_file_members(name, group);
}

void virtual_say_finish(const char *name, int64_t count, const uint32_t *round)
{
    bmf_virtual_action action = virtual_action(VIRTUAL_FINISH, name);
    action.amount = count;
    virtual_say(&action, NULL, round, count * (int64_t)sizeof *round);
    virtual_flush_if_wanted();
}

/* ---- asking ---- */

const bmf_virtual_choice *virtual_ask(const bmf_virtual_action *action, const bmf_communicator *of, const void *list,
                                      int64_t bytes, bmf_virtual_answer *answer)
{
    const int64_t begin = clock_now(), processor = rec.cpu_clock ? clock_processor() : 0;
    virtual_say(action, of, list, bytes);
    virtual_flush();
    read_all(answer, sizeof *answer);
    ARRAY_RESERVE(line.choice, line.capacity, answer->count);
    read_all(line.choice, (size_t)answer->count * sizeof *line.choice);
    rec.last += clock_now() - begin;
    rec.last_cpu += rec.cpu_clock ? clock_processor() - processor : 0;
    return line.choice;
}

/* What has been computed since the last call is said, and stays computing of the trace. */
double virtual_clock(void)
{
    bmf_virtual_answer answer;
    bmf_virtual_action computing = virtual_action(VIRTUAL_COMPUTE, "");
    const int64_t passed = rec.cpu_clock ? clock_processor() - rec.last_cpu : clock_now() - rec.last;
    computing.amount = passed > line.told ? passed - line.told : 0;
    line.told = passed;
    virtual_say(&computing, NULL, NULL, 0);
    const bmf_virtual_action ask = virtual_action(VIRTUAL_ASK_CLOCK, "wtime");
    virtual_ask(&ask, NULL, NULL, 0, &answer);
    if (answer.found) { /* nothing happened since the last reading: it took the time of a try */
        const bmf_call c = ENTER(WTIME);
        record_found_nothing(&c);
    }
    return answer.clock;
}

/* Traces from parts.
 *
 * Method: rank by rank, a part's records are walked; definitions give the run's numbers for the rank's own, by text or
 * by the group's id, and events are taken over with these. Then messages get their numbers: sends in the order in which
 * they started, receives in that in which they were posted, both by (group, tag, sender, receiver), which is the order
 * in which MPI matches them; a receive's record says how many were posted on its rank before. Cost: linear, but for the
 * sorting of the messages. Memory: 80 bytes an event.
 */
#define _GNU_SOURCE
#include "runtime/trace/parts.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/base/hash.h"
#include "runtime/base/table.h"
#include "runtime/base/text.h"
#include "runtime/trace/format.h"
#include "runtime/trace/part_format.h"

enum { INCOMPLETE_TEXT = 512 };

/* ---- directories ---- */

static bool ends_with(const char *text, const char *ending)
{
    const size_t length = strlen(text), wanted = strlen(ending);
    return length > wanted && strcmp(text + length - wanted, ending) == 0;
}

char *parts_directory(const char *path)
{
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    char *made = allocate((int64_t)length + (int64_t)sizeof PARTS_ENDING);
    memcpy(made, path, length);
    made[length] = '\0';
    if (!ends_with(made, PARTS_ENDING))
        memcpy(made + length, PARTS_ENDING, sizeof PARTS_ENDING);
    return made;
}

static char *part_path(const char *directory, const char *name)
{
    const size_t size = strlen(directory) + strlen(name) + 2;
    char *path = allocate((int64_t)size);
    snprintf(path, size, "%s/%s", directory, name);
    return path;
}

/* Calls visit for every part's path until it returns false. Returns whether there was any. */
static bool each_part(const char *directory, bool (*visit)(void *state, const char *path), void *state)
{
    DIR *stream = opendir(directory);
    bool any = false, more = true;
    for (struct dirent *entry; stream && more && (entry = readdir(stream));) {
        if (!ends_with(entry->d_name, PART_ENDING))
            continue;
        char *path = part_path(directory, entry->d_name);
        any = true;
        more = visit(state, path);
        free(path);
    }
    if (stream)
        closedir(stream);
    return any;
}

static bool stop(void *state, const char *path)
{
    (void)state, (void)path;
    return false;
}

bool parts_exist(const char *directory)
{
    return each_part(directory, stop, NULL);
}

static bool remove_one(void *state, const char *path)
{
    (void)state;
    unlink(path);
    return true;
}

void parts_clear(const char *directory)
{
    each_part(directory, remove_one, NULL);
}

void parts_remove(const char *directory)
{
    parts_clear(directory);
    rmdir(directory);
}

/* ---- one part ---- */

static const double MAX_DRIFT = 0.5;

typedef struct reading {
    bmf_context *ctx;
    const char *directory;
    bmf_trace_run *run;
    int64_t detail_capacity;
    uint32_t group_capacity;
    int64_t member_capacity;
    uint64_t *id; /* by group */
    uint32_t id_capacity;
    bmf_table ids;
    char incomplete[INCOMPLETE_TEXT]; /* what is to be said of ranks that did not finish */
    int32_t unfinished;
    bool knows_why; /* one of them ended by itself */
} reading;

/* A part in memory, and the run's numbers for its own. */
typedef struct part {
    const char *path;
    const part_header *header;
    const part_record *buffer, *record;
    int64_t records, written, bytes; /* those from `written` on are in the buffer */
    uint32_t *name, *node, *group;
    int64_t names, nodes, groups, name_capacity, node_capacity, group_capacity;
    int64_t end; /* of its events */
} part;

static int damaged(const reading *r, const part *p, int64_t record)
{
    return bmf_fail(r->ctx, BMF_ERROR_FILE, "trace part '%s': is damaged: record %" PRId64, p->path, record);
}

static int64_t clamp(int64_t number, int64_t least, int64_t most)
{
    return number < least ? least : number > most ? most : number;
}

static int map_part(const reading *r, part *p)
{
    struct stat about;
    const int file = open(p->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0 || fstat(file, &about) != 0) {
        if (file >= 0)
            close(file);
        return bmf_fail(r->ctx, BMF_ERROR_FILE, "cannot open trace part '%s': %s", p->path, strerror(errno));
    }
    p->bytes = about.st_size;
    const bool whole = S_ISREG(about.st_mode) && p->bytes >= PART_RECORDS_AT;
    void *memory = whole ? mmap(NULL, (size_t)p->bytes, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
    close(file);
    if (memory == MAP_FAILED || memcmp(memory, PART_MAGIC, sizeof p->header->magic) != 0) {
        if (memory != MAP_FAILED)
            munmap(memory, (size_t)p->bytes);
        return bmf_fail(r->ctx, BMF_ERROR_FILE, "trace part '%s': is not a part of a trace", p->path);
    }
    p->header = memory;
    p->buffer = (const part_record *)((const char *)memory + PART_HEADER_BYTES);
    p->record = p->buffer + PART_BUFFER_RECORDS;
    const int64_t room = (p->bytes - PART_RECORDS_AT) / (int64_t)sizeof *p->record;
    if (!(p->header->drift > -MAX_DRIFT && p->header->drift < MAX_DRIFT))
        return bmf_fail(r->ctx, BMF_ERROR_FILE, "trace part '%s': is damaged: its clock drifts by %g", p->path,
                        p->header->drift);
    p->records = clamp(p->header->records, 0, room + PART_BUFFER_RECORDS);
    p->written = clamp(p->header->written, 0, p->records < room ? p->records : room);
    if (p->records - p->written > PART_BUFFER_RECORDS)
        p->records = p->written + PART_BUFFER_RECORDS;
    return BMF_OK;
}

static const part_record *record_at(const part *p, int64_t at)
{
    return at < p->written ? p->record + at : p->buffer + (at - p->written);
}

static void free_part(part *p)
{
    if (p->header)
        munmap((void *)p->header, (size_t)p->bytes);
    free(p->name);
    free(p->node);
    free(p->group);
}

/* What follows a record, if there are so many bytes; `size`: of one of its elements. */
static const void *tail_of(const part *p, int64_t at, int64_t count, int64_t size)
{
    const int64_t end = at < p->written ? p->written : p->records;
    const int64_t room = (end - at - 1) * (int64_t)sizeof(part_record);
    return count >= 0 && count <= room / size ? record_at(p, at) + 1 : NULL;
}

/* Remembers the run's number for the part's next own one. */
static bool know(uint32_t **number, int64_t *count, int64_t *capacity, int64_t own, uint32_t in_run)
{
    if (own != *count)
        return false;
    *ARRAY_APPEND(*number, *count, *capacity) = in_run;
    return true;
}

static bool take_name(const reading *r, part *p, int64_t at, int64_t *tail)
{
    const bmf_event *e = &record_at(p, at)->event;
    const char *text = tail_of(p, at, e->low, 1);
    if (!text || e->low < 1 || text[e->low - 1] != '\0' || r->run->names >= UINT16_MAX)
        return false;
    *tail = part_records_of(e->low);
    return know(&p->name, &p->names, &p->name_capacity, e->amount, run_name(r->run, text));
}

static bool take_node(const reading *r, part *p, int64_t at)
{
    const bmf_event *e = &record_at(p, at)->event;
    if (e->low < 0 || e->low >= p->nodes || e->high < 0 || e->high >= p->names)
        return false;
    const char *text = r->run->name[p->name[e->high]];
    return know(&p->node, &p->nodes, &p->node_capacity, e->amount,
                run_node(r->run, p->node[e->low], text, BMF_EVENT_REGION));
}

static bool is_group(const void *wanted, uint32_t number)
{
    const reading *r = ((const void *const *)wanted)[0];
    const uint64_t *id = ((const void *const *)wanted)[1];
    return r->id[number] == *id;
}

/* The run's number of a group, made when new. */
static uint32_t find_group(reading *r, uint64_t id, int32_t members, const int32_t *member)
{
    bmf_trace_run *run = r->run;
    const void *wanted[] = {r, &id};
    table_make_room(&r->ids, (int64_t)run->groups + 1);
    const uint32_t found = table_find_or_add(&r->ids, hash_word(id), is_group, wanted, run->groups);
    if (found < run->groups)
        return found;
    ARRAY_RESERVE(r->id, r->id_capacity, run->groups + 1);
    ARRAY_RESERVE(run->group, r->group_capacity, run->groups + 1);
    ARRAY_RESERVE(run->member, r->member_capacity, run->members + members);
    r->id[run->groups] = id;
    run->group[run->groups++] = (bmf_trace_group){0, members, run->members};
    memcpy(run->member + run->members, member, (size_t)members * sizeof *member);
    run->members += members;
    return found;
}

/* Group 0 is there even if no rank came to write it. */
static void add_world(reading *r)
{
    int32_t *all = allocate_array(r->run->lanes, (int64_t)sizeof *all);
    for (int32_t lane = 0; lane < r->run->lanes; lane++)
        all[lane] = lane;
    find_group(r, PART_WORLD, r->run->lanes, all);
    free(all);
}

static bool take_group(reading *r, part *p, int64_t at, int64_t *tail)
{
    const bmf_event *e = &record_at(p, at)->event;
    const int32_t *member = tail_of(p, at, e->low, (int64_t)sizeof *member);
    if (!member || e->low < 1 || r->run->groups + 1 >= 1U << BMF_DETAIL_GROUP_BITS)
        return false;
    for (int64_t k = 0; k < e->low; k++)
        if (member[k] < 0 || member[k] >= r->run->lanes)
            return false;
    *tail = part_records_of(e->low * (int64_t)sizeof *member);
    return know(&p->group, &p->groups, &p->group_capacity, e->amount,
                find_group(r, (uint64_t)e->begin, (int32_t)e->low, member));
}

static bool name_group(const reading *r, const part *p, int64_t at)
{
    const bmf_event *e = &record_at(p, at)->event;
    if (e->amount < 0 || e->amount >= p->groups || e->high < 0 || e->high >= p->names)
        return false;
    r->run->group[p->group[e->amount]].name = p->name[e->high];
    return true;
}

static bool take_fact(const reading *r, const part *p, int64_t at, int64_t *tail)
{
    const bmf_event *e = &record_at(p, at)->event;
    if (e->low < 1 || e->high < 1 || e->low > INT32_MAX || e->high > INT32_MAX)
        return false;
    const char *text = tail_of(p, at, e->low + e->high, 1);
    if (!text || text[e->low - 1] != '\0' || text[e->low + e->high - 1] != '\0')
        return false;
    *tail = part_records_of(e->low + e->high);
    run_add_fact(r->run, text, text + e->low);
    return true;
}

/* A time of the part's clock, in rank 0's. */
static int64_t without_drift(const part *p, int64_t time)
{
    return p->header->drift == 0.0 ? time : time - (int64_t)((double)time * p->header->drift);
}

static bool take_event(reading *r, part *p, int64_t at)
{
    bmf_trace_run *run = r->run;
    bmf_event event = record_at(p, at)->event;
    bmf_trace_detail detail = record_at(p, at)->detail;
    const uint32_t group = detail_group(&detail);
    if (event.name >= p->names || event.node >= p->nodes || group >= p->groups)
        return false;
    event.name = (uint16_t)p->name[event.name];
    event.node = p->node[event.node];
    if (!p->header->sums && p->header->drift != 0.0) {
        event.begin = without_drift(p, event.begin);
        event.end = without_drift(p, event.end);
        event.low = event.high = event.end - event.begin;
    }
    detail.group_and_flags = p->group[group] | detail_flags(&detail) << BMF_DETAIL_GROUP_BITS;
    if (event.lane != p->header->rank || trace_event_fault(run, &event))
        return false;
    run_add(run, &event);
    if (run->events > r->detail_capacity) {
        if (!ARRAY_TRY_RESERVE(run->detail, r->detail_capacity, run->events)) {
            run->events--;
            run->dropped++;
            return true;
        }
    }
    run->detail[run->events - 1] = detail;
    p->end = event.end > p->end ? event.end : p->end;
    return true;
}

/* Takes the record at `at`; *tail: how many records its text or list takes. */
static bool take_record(reading *r, part *p, int64_t at, int64_t *tail)
{
    *tail = 0;
    switch (record_at(p, at)->event.kind) {
    case PART_NAME:
        return take_name(r, p, at, tail);
    case PART_NODE:
        return take_node(r, p, at);
    case PART_GROUP:
        return take_group(r, p, at, tail);
    case PART_GROUP_NAME:
        return name_group(r, p, at);
    case PART_FACT:
        return take_fact(r, p, at, tail);
    default:
        return take_event(r, p, at);
    }
}

/* The whole program, as an event around the rank's others. */
static void add_program(reading *r, const part *p)
{
    const int64_t before = r->run->events;
    run_add(r->run, &(bmf_event){.end = p->end,
                                 .low = p->end,
                                 .high = p->end,
                                 .lane = p->header->rank,
                                 .peer = -1,
                                 .kind = BMF_EVENT_REGION});
    if (r->run->events == before)
        return;
    if (ARRAY_TRY_RESERVE(r->run->detail, r->detail_capacity, r->run->events))
        r->run->detail[before] = (bmf_trace_detail){.tag = -1, .number = -1};
    else
        r->run->events--;
}

static void note_end(reading *r, const part *p)
{
    static const char *const how[] = {"without MPI_Finalize", "", "by MPI_Abort", "by exit without MPI_Finalize"};
    const bool first = r->unfinished == 0;
    if (p->header->state == PART_FINISHED)
        return;
    r->unfinished++;
    /* Of those that ended by themselves the first one is to blame, the others were ended with it. */
    if (!first && (r->knows_why || p->header->state == PART_RUNNING))
        return;
    r->knows_why = p->header->state != PART_RUNNING;
    const uint32_t call = p->header->in_call, state = p->header->state;
    snprintf(r->incomplete, sizeof r->incomplete, "rank %d ended %s; its last call was %s", p->header->rank,
             how[state <= PART_EXITED ? state : PART_RUNNING], call > 0 && call < p->names ? "MPI_" : "none");
    const size_t used = strlen(r->incomplete);
    if (call > 0 && call < p->names) {
        const char *name = r->run->name[p->name[call]];
        snprintf(r->incomplete + used - 4, sizeof r->incomplete - used + 4, "%s", name);
    }
}

static int take_part(reading *r, part *p)
{
    know(&p->name, &p->names, &p->name_capacity, 0, 0);
    know(&p->node, &p->nodes, &p->node_capacity, 0, 0);
    for (int64_t at = 0, tail; at < p->records; at += 1 + tail)
        if (!take_record(r, p, at, &tail))
            return damaged(r, p, at);
    add_program(r, p);
    note_end(r, p);
    r->run->dropped += p->header->dropped;
    return BMF_OK;
}

/* ---- numbers of messages ---- */

typedef struct message_order {
    int32_t kind, lane, peer, tag;
    uint32_t group;
    int64_t order, event;
} message_order;

static int by_channel(const void *a, const void *b)
{
    const message_order *x = a, *y = b;
#define THEN(field)                                                                                                    \
    if (x->field != y->field)                                                                                          \
        return x->field < y->field ? -1 : 1;
    THEN(kind)
    THEN(lane)
    THEN(peer)
    THEN(group)
    THEN(tag)
    THEN(order)
    THEN(event)
#undef THEN
    return 0;
}

static bool same_channel(const message_order *a, const message_order *b)
{
    return a->kind == b->kind && a->lane == b->lane && a->peer == b->peer && a->group == b->group && a->tag == b->tag;
}

static void number_messages(bmf_trace_run *run)
{
    int64_t count = 0, number = 0;
    for (int64_t k = 0; k < run->events; k++)
        count += run->event[k].kind == BMF_EVENT_SEND || run->event[k].kind == BMF_EVENT_RECEIVE;
    message_order *message = allocate_array(count, (int64_t)sizeof *message);
    count = 0;
    for (int64_t k = 0; k < run->events; k++) {
        const bmf_event *e = &run->event[k];
        const bmf_trace_detail *d = &run->detail[k];
        if (e->kind == BMF_EVENT_SEND || e->kind == BMF_EVENT_RECEIVE)
            message[count++] = (message_order){e->kind, e->lane, e->peer, d->tag, detail_group(d), d->number, k};
    }
    qsort(message, (size_t)count, sizeof *message, by_channel);
    for (int64_t k = 0; k < count; k++) {
        number = k > 0 && same_channel(&message[k], &message[k - 1]) ? number + 1 : 0;
        run->detail[message[k].event].number = number;
    }
    free(message);
}

/* ---- together ---- */

static void add_facts(reading *r, const part_header *header)
{
    run_add_fact(r->run, "recorded by", "bmf record");
    run_add_fact(r->run, "clock", header->cpu_clock ? "cpu" : "wall");
    run_add_fact(r->run, "waiting", header->polite ? "polite" : "as MPI does");
    if (r->unfinished > 0) {
        const size_t used = strlen(r->incomplete);
        if (r->unfinished > 1)
            snprintf(r->incomplete + used, sizeof r->incomplete - used, " (and %d more)", r->unfinished - 1);
        run_add_fact(r->run, "incomplete", r->incomplete);
    }
    if (r->run->dropped > 0)
        run_add_fact(r->run, "incomplete", "events were lost because the disk was full");
}

/* The part of a rank; part 0 opens the run. */
static int read_rank(reading *r, int32_t rank, int32_t *ranks)
{
    char name[32];
    snprintf(name, sizeof name, "%d" PART_ENDING, rank);
    char *path = part_path(r->directory, name);
    part p = {.path = path};
    int status = map_part(r, &p);
    if (status == BMF_OK && (p.header->rank != rank || p.header->ranks < 1 || (*ranks && p.header->ranks != *ranks)))
        status = bmf_fail(r->ctx, BMF_ERROR_FILE, "trace part '%s': is of another run", path);
    if (status == BMF_OK && !r->run) {
        char program[PART_TEXT + 1] = "", machine[PART_TEXT + 1] = "";
        memcpy(program, p.header->program, PART_TEXT);
        memcpy(machine, p.header->machine, PART_TEXT);
        *ranks = p.header->ranks;
        r->run = run_create(program, machine, *ranks, *ranks, 1);
        add_world(r);
    }
    if (status == BMF_OK)
        status = take_part(r, &p);
    if (status == BMF_OK && rank == *ranks - 1)
        add_facts(r, p.header);
    free_part(&p);
    free(path);
    return status;
}

int parts_read(bmf_context *ctx, const char *directory, bmf_trace **trace)
{
    reading r = {.ctx = ctx, .directory = directory};
    int32_t ranks = 0;
    int status = read_rank(&r, 0, &ranks);
    for (int32_t rank = 1; status == BMF_OK && rank < ranks; rank++)
        status = read_rank(&r, rank, &ranks);
    if (status == BMF_OK) {
        number_messages(r.run);
        status = run_sort(r.run) == BMF_OK
                     ? BMF_OK
                     : bmf_fail(ctx, BMF_ERROR_MEMORY, "no memory to read the parts in '%s'", directory);
    }
    table_free(&r.ids);
    free(r.id);
    *trace = NULL;
    if (status == BMF_OK) {
        *trace = allocate_clear(1, (int64_t)sizeof **trace);
        (*trace)->runs = 1;
        (*trace)->run[0] = r.run;
    } else {
        run_free(r.run);
    }
    return status;
}

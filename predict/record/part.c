/* A rank's part: a file that grows.
 *
 * Method: records go to a buffer that is a mapped piece of the file, and a full buffer is written behind the others. So
 * what was recorded is in the file whatever ends the process, and no record costs a page fault: 10 ns a record, where
 * pages of a file that grows take 65. Room on the disk is reserved first, so that a full disk loses events and not the
 * program. Of what was written, as much stays in the system's memory as --memory allows.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "predict/record/record.h"
#include "runtime/base/hash.h"
#include "runtime/base/table.h"
#include "runtime/base/text.h"
#include "runtime/base/allocate.h"

enum { FIRST_ROOM = PART_BUFFER_RECORDS, MOST_ROOM = 65536, MAX_NAMES = 60000 };

static struct {
    int file;
    part_header *header;
    part_record *buffer;
    int64_t used;            /* of the buffer; all of it before it is there */
    int64_t room, next_room; /* records for which the file has room, and more that are asked for next */
    bool broken;             /* a definition found no room: what follows would have no meaning */
    int64_t kept, memory;    /* records that may be in the system's memory: the first of them, and how many */
    char *text[MAX_NAMES];
    int names;
    bmf_table name_table;
    uint32_t nodes;
} part = {.file = -1, .used = PART_BUFFER_RECORDS};

static off_t place_of(int64_t record)
{
    return (off_t)(PART_RECORDS_AT + record * (int64_t)sizeof(part_record));
}

/* Lets the system forget what is beyond the memory that it may use for it. */
static void forget_oldest(void)
{
    const int64_t until = part.room - part.memory;
    if (until <= part.kept)
        return;
    const off_t begin = place_of(part.kept), bytes = place_of(until) - begin;
    sync_file_range(part.file, begin, bytes, SYNC_FILE_RANGE_WRITE | SYNC_FILE_RANGE_WAIT_AFTER);
    posix_fadvise(part.file, begin, bytes, POSIX_FADV_DONTNEED);
    part.kept = until;
}

static bool reserve(off_t begin, off_t bytes)
{
    errno = posix_fallocate(part.file, begin, bytes);
    return errno == 0;
}

static bool make_room(int64_t records)
{
    while (part.header->written + records > part.room) {
        const int64_t more = part.next_room;
        if (!reserve(place_of(part.room), more * (off_t)sizeof(part_record)))
            return false;
        part.room += more;
        part.next_room = more < MOST_ROOM ? 2 * more : more;
        forget_oldest();
    }
    return true;
}

/* Writes records behind the others. */
static bool write_records(const part_record *record, int64_t count)
{
    const char *from = (const char *)record;
    off_t at = place_of(part.header->written);
    size_t bytes = (size_t)count * sizeof *record;
    if (!make_room(count))
        return false;
    while (bytes > 0) {
        const ssize_t written = pwrite(part.file, from, bytes, at);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        from += written;
        at += written;
        bytes -= (size_t)written;
    }
    return true;
}

/* Empties the buffer. The time that it takes belongs to nobody. */
static bool flush(void)
{
    if (!part.header)
        return false;
    const int64_t begin = clock_now();
    if (!write_records(part.buffer, part.used))
        return false;
    part.header->written = part.header->records;
    part.used = 0;
    rec.lost += rec.untimed ? 0 : clock_now() - begin;
    return true;
}

static void find_path(const char *directory, int rank, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s/%d" PART_ENDING, directory, rank);
}

bool part_open(const char *directory, const part_header *header, int64_t memory_bytes)
{
    char path[PATH_MAX];
    find_path(directory, header->rank, path);
    part.file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (part.file < 0 || !reserve(0, PART_RECORDS_AT))
        return false;
    char *memory = mmap(NULL, PART_RECORDS_AT, PROT_READ | PROT_WRITE, MAP_SHARED, part.file, 0);
    if (memory == MAP_FAILED)
        return false;
    part.header = (part_header *)memory;
    part.buffer = (part_record *)(memory + PART_HEADER_BYTES);
    part.used = 0;
    *part.header = *header;
    part.next_room = FIRST_ROOM;
    part.memory = memory_bytes / (int64_t)sizeof(part_record);
    part.names = 1; /* "" */
    part.nodes = 1; /* the program */
    return make_room(1);
}

static void close_file(void)
{
    if (part.header)
        munmap(part.header, PART_RECORDS_AT);
    part.header = NULL;
    part.used = PART_BUFFER_RECORDS;
    close(part.file);
    part.file = -1;
}

void part_discard(const char *directory)
{
    char path[PATH_MAX];
    if (part.file < 0)
        return;
    find_path(directory, rec.rank, path);
    unlink(path);
    close_file();
}

void part_note_drift(double drift)
{
    if (part.header)
        part.header->drift = drift;
}

void part_close(part_state state)
{
    if (!part.header)
        return;
    flush(); /* else it stays in the buffer */
    part.header->state = state;
    part.header->in_call = state == PART_FINISHED ? 0 : part.header->in_call;
    close_file();
}

void part_add(const part_record *record)
{
    if (part.broken || (part.used == PART_BUFFER_RECORDS && !flush())) {
        if (part.header)
            part.header->dropped++;
        return;
    }
    part.buffer[part.used++] = *record;
    __atomic_signal_fence(__ATOMIC_RELEASE);
    part.header->records++;
}

/* A record and what follows it stand together, in the buffer or in the file, and the count goes up once. */
static bool add_together(const part_record *record, int64_t count)
{
    if (part.used + count > PART_BUFFER_RECORDS && !flush())
        return false;
    if (count > PART_BUFFER_RECORDS) {
        if (!write_records(record, count))
            return false;
        part.header->written += count;
    } else {
        memcpy(part.buffer + part.used, record, (size_t)count * sizeof *record);
        part.used += count;
    }
    __atomic_signal_fence(__ATOMIC_RELEASE);
    part.header->records += count;
    return true;
}

void part_define(const part_record *record, const void *tail, int64_t bytes)
{
    const int64_t count = 1 + part_records_of(bytes);
    if (!part.header)
        return;
    part_record *all = allocate_clear(count, (int64_t)sizeof *all);
    all[0] = *record;
    memcpy(all + 1, tail, (size_t)bytes);
    part.broken = part.broken || !add_together(all, count);
    if (part.broken)
        part.header->dropped += count;
    free(all);
}

typedef struct wanted_text {
    const char *text;
} wanted_text;

static bool is_text(const void *wanted, uint32_t number)
{
    return strcmp(part.text[number], ((const wanted_text *)wanted)->text) == 0;
}

uint16_t part_name(const char *text)
{
    const wanted_text wanted = {text};
    const uint64_t hash = hash_text(text);
    const int64_t known = table_find(&part.name_table, hash, is_text, &wanted);
    if (known != TABLE_NONE)
        return (uint16_t)known;
    if (part.names == MAX_NAMES)
        return 0;
    const int64_t bytes = (int64_t)strlen(text) + 1;
    table_make_room(&part.name_table, part.names + 1);
    table_add(&part.name_table, hash, (uint32_t)part.names);
    part.text[part.names] = text_copy(text);
    part_define(&(part_record){.event = {.kind = PART_NAME, .amount = part.names, .low = bytes}}, text, bytes);
    return (uint16_t)part.names++;
}

uint16_t part_name_of_call(const char *text)
{
    enum { SLOTS = 1024 };
    static struct {
        const char *text;
        uint16_t number;
    } slot[SLOTS];
    const uintptr_t at = (uintptr_t)text / 4 % SLOTS;
    if (slot[at].text != text) {
        slot[at].number = part_name(text);
        slot[at].text = text;
    }
    return slot[at].number;
}

uint32_t part_node(uint32_t parent, const char *text)
{
    const uint16_t name = part_name(text);
    part_add(&(part_record){.event = {.kind = PART_NODE, .amount = part.nodes, .low = parent, .high = name}});
    return part.nodes++;
}

void part_fact(const char *key, const char *value)
{
    const int64_t first = (int64_t)strlen(key) + 1, second = (int64_t)strlen(value) + 1;
    char *both = allocate(first + second);
    memcpy(both, key, (size_t)first);
    memcpy(both + first, value, (size_t)second);
    part_define(&(part_record){.event = {.kind = PART_FACT, .low = first, .high = second}}, both, first + second);
    free(both);
}

void part_note_call(uint16_t name)
{
    part.header->in_call = name;
}

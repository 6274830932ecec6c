/* A rank's part: a mapped file that grows.
 *
 * Method: the file is mapped in windows, each twice as long as the one before up to 5 MiB; room on the disk is reserved
 * before a window is mapped, so that a full disk loses events and not the program. Of the windows behind, as many stay
 * mapped as --memory allows. What is written is in the file whatever ends the process.
 */
#define _GNU_SOURCE
#include <fcntl.h>
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

/* 256 records are 5 pages of 4 KiB. */
enum { FIRST_RECORDS = 1024, MOST_RECORDS = 65536, MAX_WINDOWS = 4096, MAX_NAMES = 60000 };

typedef struct window {
    void *memory;
    size_t bytes;
} window;

static struct {
    int file;
    part_header *header;
    part_record *at, *end; /* in the newest window */
    int64_t reserved;      /* bytes of the file */
    int64_t window_records, memory_bytes, mapped_bytes;
    window window[MAX_WINDOWS]; /* the mapped ones, oldest first */
    int windows;
    char *text[MAX_NAMES];
    int names;
    bmf_table name_table;
    uint32_t nodes;
} part = {.file = -1};

static void drop_oldest(void)
{
    munmap(part.window[0].memory, part.window[0].bytes);
    part.mapped_bytes -= (int64_t)part.window[0].bytes;
    memmove(part.window, part.window + 1, (size_t)--part.windows * sizeof *part.window);
}

/* Maps the next window. False: no room. */
static bool open_window(void)
{
    const int64_t records = part.window_records;
    const size_t bytes = (size_t)records * sizeof(part_record);
    if (posix_fallocate(part.file, part.reserved, (off_t)bytes) != 0)
        return false;
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, part.file, part.reserved);
    if (memory == MAP_FAILED)
        return false;
    while (part.windows > 0 && (part.windows == MAX_WINDOWS || part.mapped_bytes + (int64_t)bytes > part.memory_bytes))
        drop_oldest();
    part.window[part.windows++] = (window){memory, bytes};
    part.mapped_bytes += (int64_t)bytes;
    part.reserved += (int64_t)bytes;
    part.at = memory;
    part.end = part.at + records;
    part.window_records = records < MOST_RECORDS ? 2 * records : records;
    return true;
}

bool part_open(const char *directory, const part_header *header, int64_t memory_bytes)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%d" PART_ENDING, directory, header->rank);
    part.file = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (part.file < 0 || posix_fallocate(part.file, 0, PART_HEADER_BYTES) != 0)
        return false;
    void *memory = mmap(NULL, PART_HEADER_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, part.file, 0);
    if (memory == MAP_FAILED)
        return false;
    part.header = memory;
    *part.header = *header;
    part.reserved = PART_HEADER_BYTES;
    part.memory_bytes = memory_bytes;
    part.window_records = FIRST_RECORDS;
    part.names = 1; /* "" */
    part.nodes = 1; /* the program */
    return open_window();
}

void part_close(part_state state)
{
    if (!part.header)
        return;
    part.header->state = state;
    part.header->in_call = state == PART_FINISHED ? 0 : part.header->in_call;
    while (part.windows > 0)
        drop_oldest();
    part.at = part.end = NULL;
    munmap(part.header, PART_HEADER_BYTES);
    part.header = NULL;
    close(part.file);
}

void part_add(const part_record *record)
{
    if (part.at == part.end && (!part.header || !open_window())) {
        if (part.header)
            part.header->dropped++;
        return;
    }
    *part.at++ = *record;
    __atomic_signal_fence(__ATOMIC_RELEASE);
    part.header->records++;
}

/* The definition is only there when its tail is: the count goes up once. */
void part_define(const part_record *record, const void *tail, int64_t bytes)
{
    const int64_t records = part_records_of(bytes);
    if (!part.header)
        return;
    const int64_t before = part.header->records, lost = part.header->dropped;
    part_add(record);
    for (int64_t k = 0; k < records; k++) {
        part_record piece = {0};
        const int64_t rest = bytes - k * (int64_t)sizeof piece;
        memcpy(&piece, (const char *)tail + k * (int64_t)sizeof piece,
               (size_t)(rest < (int64_t)sizeof piece ? rest : (int64_t)sizeof piece));
        part_add(&piece);
    }
    /* Numbers would not fit together any more. */
    if (part.header->dropped > lost) {
        part.header->records = before;
        rec.on = rec.open = false;
    }
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

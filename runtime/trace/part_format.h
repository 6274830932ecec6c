/* Parts: what one rank of a recorded MPI program writes while it runs (predict/record), and parts.c unites to a trace.
 *
 * A part is a file RANK.part in the directory TRACE.parts: a header of one page, a buffer, then records of 80 bytes. A
 * record is an event with its details, or defines a number that later events use; texts and lists follow their record
 * in as many records as they take, and stand with it, either in the buffer or behind it. Header and buffer are mapped
 * while the part is written, and full buffers are written behind the others: `records` in the header always says how
 * many there are, of which the first `written` stand behind the buffer and the others in it, so that whatever ends the
 * program leaves a part that can be read. Numbers of names, nodes and groups are the rank's own. */
#ifndef BMF_PART_FORMAT_H
#define BMF_PART_FORMAT_H

#include "runtime/trace/trace.h"

#define PART_MAGIC   "BMFPART2"
#define PART_ENDING  ".part"
#define PARTS_ENDING ".parts"

typedef struct part_record {
    bmf_event event;
    bmf_trace_detail detail;
} part_record;
_Static_assert(sizeof(part_record) == 80, "record of a part");

/* Kinds of records that define something, beyond those of events. */
enum {
    PART_NAME = 1000, /* amount: number; low: bytes of the text that follows */
    PART_NODE,        /* amount: number; low: parent; high: name */
    PART_GROUP,       /* amount: number; begin: the group's id, equal on all its members; low: how many members follow,
                       * as int32 in the order of their ranks in it */
    PART_GROUP_NAME,  /* amount: number; high: name */
    PART_FACT,        /* low, high: bytes of key and value; the texts follow, each with its zero */
};

/* The id of the group of all. */
enum { PART_WORLD = 1 };

typedef enum part_state { PART_RUNNING, PART_FINISHED, PART_ABORTED, PART_EXITED } part_state;

enum {
    PART_HEADER_BYTES = 4096,
    PART_BUFFER_RECORDS = 1024,
    PART_RECORDS_AT = PART_HEADER_BYTES + PART_BUFFER_RECORDS * (int)sizeof(part_record),
    PART_TEXT = 256
};

typedef struct part_header {
    char magic[8];
    int32_t rank, ranks;
    int64_t records;  /* that stand in the file, definitions and their texts included */
    int64_t written;  /* of these, behind the buffer */
    int64_t dropped;  /* events that found no room on the disk */
    uint32_t state;   /* part_state */
    uint32_t in_call; /* name of the call that the rank is in, 0: none */
    uint32_t cpu_clock, polite;
    uint32_t sums; /* events are sums: end: nanoseconds, low and high: how many calls */
    uint32_t zero;
    double drift; /* seconds in a second that the clock ran ahead of rank 0's; events are not corrected */
    char program[PART_TEXT], machine[PART_TEXT];
} part_header;
_Static_assert(sizeof(part_header) <= PART_HEADER_BYTES, "header of a part");

/* How many records a text or list of so many bytes takes. */
static inline int64_t part_records_of(int64_t bytes)
{
    return (bytes + (int64_t)sizeof(part_record) - 1) / (int64_t)sizeof(part_record);
}

#endif

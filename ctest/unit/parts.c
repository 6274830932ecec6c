/* Parts of recorded programs: records behind the buffer and in it are one list; clocks that drift are brought to one
 * time; damaged parts are refused. */
#include "runtime/trace/parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "bmf/context.h"
#include "bmf/status.h"
#include "runtime/trace/part_format.h"

static const char directory[] = "unit_parts.parts", file[] = "unit_parts.parts/0.part";

enum { EVENTS = 3000, STEP = 1000 };

static part_record event_number(int64_t k)
{
    return (part_record){.event = {.begin = k * STEP,
                                   .end = k * STEP + STEP / 2,
                                   .low = STEP / 2,
                                   .high = STEP / 2,
                                   .peer = -1,
                                   .kind = BMF_EVENT_WAIT,
                                   .name = 1},
                         .detail = {0, -1, -1}};
}

/* The records of a part: the group of all, a name, events. */
static int64_t make_records(part_record *record)
{
    const int32_t member = 0;
    int64_t count = 0;
    record[count++] = (part_record){.event = {.kind = PART_GROUP, .begin = PART_WORLD, .low = 1}};
    memcpy(&record[count++], &member, sizeof member);
    record[count++] = (part_record){.event = {.kind = PART_NAME, .amount = 1, .low = 5}};
    memcpy(&record[count++], "wait", 5);
    for (int64_t k = 0; k < EVENTS; k++)
        record[count++] = event_number(k);
    return count;
}

/* A part of one rank whose last `buffered` records were not written behind the buffer. */
static part_header write_part(int64_t buffered, double drift)
{
    part_record *record = calloc(EVENTS + 4, sizeof *record);
    part_header header = {.ranks = 1, .state = PART_FINISHED, .drift = drift};
    char page[PART_HEADER_BYTES] = {0};
    part_record *buffer = calloc(PART_BUFFER_RECORDS, sizeof *buffer);
    assert_true(record && buffer);
    header.records = make_records(record);
    header.written = header.records - buffered;
    memcpy(header.magic, PART_MAGIC, sizeof header.magic);
    memcpy(page, &header, sizeof header);
    memcpy(buffer, record + header.written, (size_t)buffered * sizeof *buffer);
    mkdir(directory, 0777);
    FILE *stream = fopen(file, "wb");
    assert_non_null(stream);
    fwrite(page, sizeof page, 1, stream);
    fwrite(buffer, sizeof *buffer, PART_BUFFER_RECORDS, stream);
    fwrite(record, sizeof *record, (size_t)header.written, stream);
    fclose(stream);
    free(buffer);
    free(record);
    return header;
}

static void assert_events(double drift)
{
    bmf_trace *trace;
    int64_t found = 0;
    assert_int_equal(parts_read(NULL, directory, &trace), BMF_OK);
    for (int64_t k = 0; k < trace->run[0]->events; k++) {
        const bmf_event *e = &trace->run[0]->event[k];
        if (e->kind != BMF_EVENT_WAIT)
            continue;
        const double begin = (double)(found * STEP) * (1.0 - drift), end = begin + STEP / 2.0 * (1.0 - drift);
        assert_true((double)e->begin >= begin - 1.0 && (double)e->begin <= begin + 1.0);
        assert_true((double)e->end >= end - 1.0 && (double)e->end <= end + 1.0);
        assert_int_equal(e->low, e->end - e->begin);
        found++;
    }
    assert_int_equal(found, EVENTS);
    bmf_trace_free(trace);
    parts_remove(directory);
}

static void records_in_the_buffer_follow_the_others(void **state)
{
    (void)state;
    for (int64_t buffered = 0; buffered <= PART_BUFFER_RECORDS; buffered += PART_BUFFER_RECORDS / 4) {
        write_part(buffered, 0.0);
        assert_events(0.0);
    }
}

static void clocks_that_drift_are_brought_to_one_time(void **state)
{
    (void)state;
    const double drifts[] = {1e-3, -1e-3, 2e-5};
    for (size_t k = 0; k < sizeof drifts / sizeof *drifts; k++) {
        write_part(100, drifts[k]);
        assert_events(drifts[k]);
    }
}

static void rewrite_header(const part_header *header)
{
    FILE *stream = fopen(file, "r+b");
    assert_non_null(stream);
    fwrite(header, sizeof *header, 1, stream);
    fclose(stream);
}

/* Counts beyond what the file holds, and below 0, are cut; nothing outside of it is read. */
static void damaged_parts_are_refused_or_cut(void **state)
{
    (void)state;
    const int64_t counts[] = {INT64_MIN, -1, 0, 1, EVENTS, EVENTS + 5, INT64_MAX};
    const part_header good = write_part(100, 0.0);
    bmf_trace *trace;
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
        for (size_t j = 0; j < sizeof counts / sizeof *counts; j++) {
            part_header header = good;
            header.records = counts[k];
            header.written = counts[j];
            rewrite_header(&header);
            if (parts_read(NULL, directory, &trace) == BMF_OK)
                bmf_trace_free(trace);
        }
    const double drifts[] = {1.0, -0.75, 1e300};
    for (size_t k = 0; k < sizeof drifts / sizeof *drifts; k++) {
        part_header header = good;
        header.drift = drifts[k];
        rewrite_header(&header);
        assert_int_equal(parts_read(NULL, directory, &trace), BMF_ERROR_FILE);
        assert_non_null(strstr(bmf_error_text(NULL), "its clock drifts by"));
    }
    parts_remove(directory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_in_the_buffer_follow_the_others),
        cmocka_unit_test(clocks_that_drift_are_brought_to_one_time),
        cmocka_unit_test(damaged_parts_are_refused_or_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What traces of recorded MPI programs have besides: groups, facts, details. Layout: docs/trace-format.md.
 *
 * Method: the section is read whole; all sizes are checked against its length, then groups and members against the run,
 * then every event's details against its kind and group. Cost: linear.
 */
#include "runtime/trace/recorded.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/trace/write.h"

/* ---- writing ---- */

static trace_recorded_header recorded_header(const bmf_trace_run *run)
{
    trace_recorded_header header = {
        .groups = run->groups, .facts = run->facts, .members = run->members, .details = run->detail ? run->events : 0};
    for (uint32_t k = 0; k < run->facts; k++)
        header.text_bytes += (int64_t)(strlen(run->fact[k].key) + strlen(run->fact[k].value) + 2);
    return header;
}

int64_t trace_recorded_bytes(const bmf_trace_run *run)
{
    const trace_recorded_header header = recorded_header(run);
    return run->groups > 0 || run->facts > 0 ? trace_recorded_layout_of(&header).end : 0;
}

static char *append_text(char *to, const char *text)
{
    const size_t size = strlen(text) + 1;
    memcpy(to, text, size);
    return to + size;
}

int trace_write_recorded(int file, const bmf_trace_run *run, int64_t offset)
{
    const trace_recorded_header header = recorded_header(run);
    const trace_recorded_layout at = trace_recorded_layout_of(&header);
    char *tables = allocate_clear(at.details, 1), *text = tables + at.text;
    memcpy(tables, &header, sizeof header);
    for (uint32_t k = 0; k < run->groups; k++) {
        const trace_group_record record = {run->group[k].name, run->group[k].members};
        memcpy(tables + at.groups + (int64_t)(k * sizeof record), &record, sizeof record);
    }
    if (run->members > 0)
        memcpy(tables + at.members, run->member, (size_t)run->members * sizeof *run->member);
    for (uint32_t k = 0; k < run->facts; k++)
        text = append_text(append_text(text, run->fact[k].key), run->fact[k].value);
    int failure = trace_write_at(file, tables, at.details, offset);
    if (!failure)
        failure = trace_write_at(file, run->detail, at.end - at.details, offset + at.details);
    free(tables);
    return failure;
}

/* ---- reading ---- */

static bool sizes_fit(const trace_recorded_header *header, int64_t bytes, int64_t events)
{
    return header->members >= 0 && header->members <= bytes / (int64_t)sizeof(int32_t) && header->text_bytes >= 0 &&
           header->text_bytes <= bytes && header->groups <= bytes / (int64_t)sizeof(trace_group_record) &&
           header->facts <= bytes && (header->details == 0 || header->details == events) &&
           header->groups < 1U << BMF_DETAIL_GROUP_BITS && (header->details == 0 || header->groups > 0) &&
           trace_recorded_layout_of(header).end == bytes;
}

static const char *take_groups(bmf_trace_run *run, const trace_recorded_header *header, const char *section,
                               const trace_recorded_layout *at, char *fault, size_t size)
{
    run->group = allocate_array(header->groups, (int64_t)sizeof *run->group);
    run->member = allocate_array(header->members, (int64_t)sizeof *run->member);
    memcpy(run->member, section + at->members, (size_t)header->members * sizeof *run->member);
    run->members = header->members;
    int64_t first = 0;
    for (uint32_t k = 0; k < header->groups; k++) {
        trace_group_record record;
        memcpy(&record, section + at->groups + (int64_t)(k * sizeof record), sizeof record);
        if (record.name >= run->names || record.members < 1 || record.members > header->members - first) {
            snprintf(fault, size, "group %" PRIu32 " has %d members and name %" PRIu32, k, record.members, record.name);
            return fault;
        }
        run->group[k] = (bmf_trace_group){record.name, record.members, first};
        first += record.members;
    }
    run->groups = header->groups;
    for (int64_t k = 0; k < run->members; k++)
        if (run->member[k] < 0 || run->member[k] >= run->lanes)
            return "a member of a group does not exist";
    return first == run->members ? NULL : "members belong to no group";
}

static const char *take_facts(bmf_trace_run *run, const trace_recorded_header *header, const char *text)
{
    const char *end = text + header->text_bytes;
    for (uint32_t k = 0; k < header->facts; k++) {
        const char *value = memchr(text, '\0', (size_t)(end - text));
        const char *stop = value ? memchr(value + 1, '\0', (size_t)(end - value - 1)) : NULL;
        if (!stop)
            return "its facts do not end where they should";
        run_add_fact(run, text, value + 1);
        text = stop + 1;
    }
    return text == end ? NULL : "its facts do not end where they should";
}

/* What is wrong with an event's details, or NULL. */
static const char *detail_fault(const bmf_trace_run *run, int64_t k)
{
    const bmf_trace_detail *detail = &run->detail[k];
    const bmf_event *event = &run->event[k];
    if (detail_group(detail) >= run->groups)
        return "its group does not exist";
    if (detail->number < -1)
        return "its number is impossible";
    if (event->kind == BMF_EVENT_COLLECTIVE && detail->number < 0 && !(detail_flags(detail) & BMF_DETAIL_OPAQUE))
        return "it is a collective without a number";
    return NULL;
}

const char *trace_take_recorded(bmf_trace_run *run, const char *section, int64_t bytes, char *fault, size_t size)
{
    trace_recorded_header header;
    if (bytes < (int64_t)sizeof header)
        return "the section of recorded programs is too short";
    memcpy(&header, section, sizeof header);
    if (!sizes_fit(&header, bytes, run->events))
        return "the groups, facts and details do not fit their section";
    const trace_recorded_layout at = trace_recorded_layout_of(&header);
    const char *wrong = take_groups(run, &header, section, &at, fault, size);
    if (!wrong)
        wrong = take_facts(run, &header, section + at.text);
    if (wrong || header.details == 0)
        return wrong;
    run->detail = allocate_array(run->events, (int64_t)sizeof *run->detail);
    memcpy(run->detail, section + at.details, (size_t)run->events * sizeof *run->detail);
    for (int64_t k = 0; k < run->events; k++)
        if ((wrong = detail_fault(run, k))) {
            snprintf(fault, size, "event %" PRId64 ": %s", k, wrong);
            return fault;
        }
    return NULL;
}

/* Phases and steps that a program marks itself (include/bmf_mark.h), from C and from Fortran. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "predict/record/record.h"
#include "bmf_mark.h"
#include "runtime/base/array.h"
#include "runtime/base/text.h"

typedef struct phase {
    char *name;
    uint32_t node, entered;
} phase;

static struct {
    phase *phase;
    int64_t count, capacity;
    phase *open;
    int64_t begin;
} phases;

static phase *find_phase(const char *name)
{
    for (int64_t k = 0; k < phases.count; k++)
        if (strcmp(phases.phase[k].name, name) == 0)
            return &phases.phase[k];
    const uint32_t node = part_node(0, name);
    phase *made = ARRAY_APPEND(phases.phase, phases.count, phases.capacity);
    *made = (phase){text_copy(name), node, 0};
    return made;
}

/* Ends the computing before a mark: a call that takes no time. */
static int64_t end_computing(void)
{
    const bmf_call c = ENTER(COMPUTE);
    if (c.begin < 0)
        return clock_now();
    record_leave(&c, c.begin);
    events_flush();
    return c.begin;
}

static void close_phase(int64_t end)
{
    if (!phases.open)
        return;
    if (!rec.sums)
        event_add(&(bmf_call){0, 0, NULL}, phases.begin, end,
                  &(bmf_event_facts){.kind = BMF_EVENT_REGION, .peer = -1, .tag = -1, .number = -1});
    phases.open = NULL;
    rec.node = rec.instance = 0;
}

void phase_end(void)
{
    if (rec.open)
        close_phase(end_computing());
}

void phase_begin(const char *name)
{
    if (!rec.open)
        return;
    const int64_t now = end_computing();
    close_phase(now);
    phases.open = find_phase(name);
    phases.begin = now;
    rec.node = phases.open->node;
    rec.instance = phases.open->entered++;
}

RECORD_EXPORT void bmf_record_phase(const char *name)
{
    phase_begin(name);
}

RECORD_EXPORT void bmf_record_phase_end(void)
{
    phase_end();
}

RECORD_EXPORT void bmf_record_steps(double steps)
{
    const bmf_call c = ENTER(STEPS);
    if (c.begin < 0)
        return;
    event_add(&c, c.begin, c.begin,
              &(bmf_event_facts){.kind = BMF_EVENT_KERNEL,
                                 .peer = -1,
                                 .tag = -1,
                                 .amount = steps > 0 && steps < 1e15 ? (int64_t)(steps + 0.5) : 0,
                                 .number = 0});
    record_leave(&c, c.begin);
}

RECORD_EXPORT void bmf_record_value(const char *name, double value)
{
    char text[64], key[256];
    if (!rec.open)
        return;
    snprintf(text, sizeof text, "%.17g", value);
    snprintf(key, sizeof key, "value %s", name);
    part_fact(key, text);
}

/* ---- Fortran: names end in an underscore, lengths of texts come last ---- */

static void copy_text(char *to, size_t size, const char *text, size_t length)
{
    while (length > 0 && text[length - 1] == ' ')
        length--;
    length = length < size - 1 ? length : size - 1;
    memcpy(to, text, length);
    to[length] = '\0';
}

RECORD_EXPORT void bmf_phase_(const char *name, size_t length);
RECORD_EXPORT void bmf_phase_(const char *name, size_t length)
{
    char text[256];
    copy_text(text, sizeof text, name, length);
    phase_begin(text);
}

RECORD_EXPORT void bmf_phase_end_(void);
RECORD_EXPORT void bmf_phase_end_(void)
{
    phase_end();
}

RECORD_EXPORT void bmf_compute_(const double *steps);
RECORD_EXPORT void bmf_compute_(const double *steps)
{
    bmf_record_steps(*steps);
}

RECORD_EXPORT void bmf_value_(const char *name, const double *value, size_t length);
RECORD_EXPORT void bmf_value_(const char *name, const double *value, size_t length)
{
    char text[256];
    copy_text(text, sizeof text, name, length);
    bmf_record_value(text, *value);
}

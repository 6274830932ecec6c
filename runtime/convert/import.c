/* What readers of foreign traces share. */
#include "runtime/convert/import.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/base/text.h"

#define IMPORT_ROW(name, about) {#name, about, import_##name},
const bmf_import imports[] = {BMF_IMPORTS(IMPORT_ROW){NULL, NULL, NULL}};

int trace_import(const bmf_import *format, const char *path, bmf_trace **trace)
{
    *trace = NULL;
    FILE *stream = fopen(path, "re");
    if (!stream)
        return bmf_fail(NULL, BMF_ERROR_FILE, "cannot open '%s': %s", path, strerror(errno));
    bmf_trace_run *run = NULL;
    const int status = format->read(stream, path, &run);
    fclose(stream);
    BMF_TRY(status);
    *trace = allocate_clear(1, (int64_t)sizeof **trace);
    (*trace)->runs = 1;
    (*trace)->run[0] = run;
    return run_sort(run) == BMF_OK ? BMF_OK : bmf_fail(NULL, BMF_ERROR_MEMORY, "no memory to read '%s'", path);
}

bool read_time(const char *text, double unit_ns, int64_t *nanoseconds)
{
    char *end;
    errno = 0;
    const double value = strtod(text, &end) * unit_ns;
    if (end == text || *end || errno || !(value >= 0) || value > (double)BMF_TRACE_MAX_NUMBER)
        return false;
    *nanoseconds = llround(value);
    return true;
}

/* ---- states ---- */

typedef struct entered {
    int64_t time;
    char *text; /* NULL: nothing */
} entered;

typedef struct log_event {
    int32_t processor;
    int64_t begin, end;
    char *text;
} log_event;

struct bmf_state_log {
    entered *now; /* by processor */
    int64_t processors, processor_capacity;
    log_event *event;
    int64_t events, event_capacity;
};

bmf_state_log *state_log_create(void)
{
    return allocate_clear(1, (int64_t)sizeof(bmf_state_log));
}

bool state_log_enter(bmf_state_log *log, int32_t processor, int64_t time, const char *text)
{
    while (log->processors <= processor)
        *ARRAY_APPEND(log->now, log->processors, log->processor_capacity) = (entered){0, NULL};
    entered *now = &log->now[processor];
    if (time < now->time)
        return false;
    if (now->text)
        *ARRAY_APPEND(log->event, log->events, log->event_capacity) =
            (log_event){processor, now->time, time, now->text};
    *now = (entered){time, text ? text_copy(text) : NULL};
    return true;
}

/* Computing is a kernel; all else, whose partners such traces do not say, is waiting or a collective operation. */
static bmf_event_kind kind_of(const char *text)
{
    static const char *const computing[] = {"BUSY", "COMPUTE"}, *const waiting[] = {"SEND", "RECV", "WAIT", "SENDRECV"};
    for (size_t k = 0; k < sizeof computing / sizeof *computing; k++)
        if (strcmp(text, computing[k]) == 0)
            return BMF_EVENT_KERNEL;
    for (size_t k = 0; k < sizeof waiting / sizeof *waiting; k++)
        if (strcmp(text, waiting[k]) == 0)
            return BMF_EVENT_WAIT;
    return BMF_EVENT_COLLECTIVE;
}

bmf_trace_run *state_log_finish(bmf_state_log *log, const char *program, int32_t processors)
{
    const int32_t lanes = log->processors > processors ? (int32_t)log->processors : processors;
    bmf_trace_run *run = run_create(program, "", lanes, lanes, 1);
    run->group = allocate((int64_t)sizeof *run->group);
    run->member = allocate_array(run->lanes, (int64_t)sizeof *run->member);
    run->group[0] = (bmf_trace_group){0, run->lanes, 0};
    run->groups = 1;
    run->members = run->lanes;
    for (int32_t lane = 0; lane < run->lanes; lane++)
        run->member[lane] = lane;
    for (int64_t k = 0; k < log->events; k++) {
        const log_event *e = &log->event[k];
        run_add(run, &(bmf_event){.begin = e->begin,
                                  .end = e->end,
                                  .low = e->end - e->begin,
                                  .high = e->end - e->begin,
                                  .lane = e->processor,
                                  .peer = -1,
                                  .kind = (uint16_t)kind_of(e->text),
                                  .name = (uint16_t)run_name(run, e->text)});
        free(e->text);
    }
    for (int64_t k = 0; k < log->processors; k++)
        free(log->now[k].text);
    free(log->now);
    free(log->event);
    free(log);
    return run;
}

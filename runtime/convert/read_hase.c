/* Reading state traces: document 001, 2.4.2 and figure 2.9 (SIM++, HASE).
 *
 * `$types` and lines `NAME STATE..`, continued after a backslash; `$bars` and lines `p[k] NAME`; `$events` and lines
 * `u:p[k] at SECONDS: P STATE`: the processor is in the state until its next line; DONE ends it. Other letters than P,
 * and comments behind //, are passed over. Types are not needed to read the events.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/convert/import.h"

enum { LINE = 4096, MAX_PROCESSORS = 1 << 20, STATE = 64 };

typedef enum section { BEFORE, TYPES, BARS, EVENTS } section;

typedef struct reader {
    const char *path;
    int64_t line;
    section section;
    int32_t bars;
    bmf_state_log *log;
} reader;

static int fail(const reader *r, const char *what)
{
    return bmf_fail(NULL, BMF_ERROR_FILE, "%s:%lld: %s", r->path, (long long)r->line, what);
}

static int read_event(const reader *r, const char *text)
{
    int processor, used = 0;
    char time[STATE], letter, state[STATE];
    int64_t nanoseconds;
    if (sscanf(text, " u:p[%d] at %63[^: ] : %c%n", &processor, time, &letter, &used) < 3 &&
        sscanf(text, " u:p[%d] at %63[^: ]: %c%n", &processor, time, &letter, &used) < 3)
        return strncmp(text, "u:", 2) == 0 && strncmp(text, "u:p[", 4) != 0
                   ? BMF_OK
                   : fail(r, "expected 'u:p[K] at SECONDS: P STATE'");
    if (letter != 'P')
        return BMF_OK;
    if (processor < 0 || processor >= MAX_PROCESSORS)
        return fail(r, "there is no such processor");
    if (!read_time(time, 1e9, &nanoseconds))
        return fail(r, "the time is no number of seconds");
    if (sscanf(text + used, " %63s", state) != 1)
        return fail(r, "the state is missing");
    if (!state_log_enter(r->log, processor, nanoseconds, strcmp(state, "DONE") == 0 ? NULL : state))
        return fail(r, "the time is before that of the processor's last line");
    return BMF_OK;
}

static int read_bar(reader *r, const char *text)
{
    int processor;
    if (sscanf(text, " p[%d]", &processor) != 1 || processor < 0 || processor >= MAX_PROCESSORS)
        return fail(r, "expected 'p[K] TYPE'");
    r->bars = processor >= r->bars ? processor + 1 : r->bars;
    return BMF_OK;
}

static int read_line(reader *r, char *text)
{
    char *comment = strstr(text, "//");
    if (comment)
        *comment = '\0';
    while (isspace((unsigned char)*text))
        text++;
    if (!*text)
        return BMF_OK;
    if (*text == '$') {
        r->section = strncmp(text, "$types", 6) == 0    ? TYPES
                     : strncmp(text, "$bars", 5) == 0   ? BARS
                     : strncmp(text, "$events", 7) == 0 ? EVENTS
                                                        : BEFORE;
        return r->section == BEFORE ? fail(r, "unknown section; known: $types, $bars, $events") : BMF_OK;
    }
    if (r->section == BEFORE)
        return fail(r, "expected $types, $bars or $events");
    return r->section == EVENTS ? read_event(r, text) : r->section == BARS ? read_bar(r, text) : BMF_OK;
}

int import_hase(FILE *stream, const char *path, bmf_trace_run **run)
{
    char text[LINE];
    int status = BMF_OK;
    reader r = {.path = path, .log = state_log_create()};
    while (status == BMF_OK && fgets(text, sizeof text, stream)) {
        r.line++;
        status = read_line(&r, text);
    }
    if (status == BMF_OK && r.section != EVENTS)
        status = fail(&r, "the file has no $events");
    *run = state_log_finish(r.log, path, r.bars > 0 ? r.bars : 1);
    if (status != BMF_OK) {
        run_free(*run);
        *run = NULL;
    }
    return status;
}

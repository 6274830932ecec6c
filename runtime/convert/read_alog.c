/* Reading Upshot's ALOG as document 001, 2.4.1, prints it: `TYPE PROCESS 0 0 0 MICROSECONDS LABEL`, labels `start X`
 * and `end X` in any case. Lines of all processes are mixed; what lies between an end and the next start is BUSY. Lines
 * with negative types are headers.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "runtime/convert/import.h"

enum { LINE = 4096, MAX_PROCESSES = 1 << 20, LABEL = 64 };

static int fail(const char *path, int64_t line, const char *what)
{
    return bmf_fail(NULL, BMF_ERROR_FILE, "%s:%lld: %s", path, (long long)line, what);
}

/* "start broadcast" -> BROADCAST; NULL if it is an end; others are no states. */
static bool read_label(const char *text, char state[LABEL], bool *starts)
{
    *starts = strncasecmp(text, "start ", 6) == 0;
    if (!*starts && strncasecmp(text, "end ", 4) != 0)
        return false;
    const char *from = text + (*starts ? 6 : 4);
    size_t used = 0;
    for (; *from && *from != '\n' && *from != '\r' && used + 1 < LABEL; from++)
        if (!isspace((unsigned char)*from))
            state[used++] = (char)toupper((unsigned char)*from);
    state[used] = '\0';
    return used > 0;
}

static int read_line(bmf_state_log *log, const char *text, const char *path, int64_t number)
{
    int type, process, label = 0;
    char time[LABEL], state[LABEL];
    bool starts;
    int64_t nanoseconds;
    while (isspace((unsigned char)*text))
        text++;
    if (!*text || *text == '#')
        return BMF_OK;
    if (sscanf(text, "%d", &type) == 1 && type < 0)
        return BMF_OK;
    if (sscanf(text, "%d %d %*d %*d %*d %63s %n", &type, &process, time, &label) < 3 || label == 0)
        return fail(path, number, "expected 'TYPE PROCESS 0 0 0 MICROSECONDS LABEL'");
    if (process < 0 || process >= MAX_PROCESSES)
        return fail(path, number, "there is no such process");
    if (!read_time(time, 1e3, &nanoseconds))
        return fail(path, number, "the time is no number of microseconds");
    if (!read_label(text + label, state, &starts))
        return BMF_OK;
    if (!state_log_enter(log, process, nanoseconds, starts ? state : "BUSY"))
        return fail(path, number, "the time is before that of the process's last line");
    return BMF_OK;
}

int import_alog(FILE *stream, const char *path, bmf_trace_run **run)
{
    char text[LINE];
    int status = BMF_OK;
    int64_t number = 0;
    bmf_state_log *log = state_log_create();
    while (status == BMF_OK && fgets(text, sizeof text, stream))
        status = read_line(log, text, path, ++number);
    *run = state_log_finish(log, path, 1);
    if (status != BMF_OK) {
        run_free(*run);
        *run = NULL;
    }
    return status;
}

/* Running one point of a sweep, and the times that a program prints.
 *
 * A program says its times on standard output, in one of these ways; of several the last one counts:
 *   a line that is a JSON object with "seconds", and, if it has phases, "phases": {"NAME": SECONDS, ..}
 *   a line with the words `seconds X`
 *   lines `phase NAME X`
 * A program that says nothing takes what passed from its start to its end. */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "drivers/sweep/sweep.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/base/text.h"

enum { MAX_OUTPUT = 1 << 24, NUMBER = 40 };

/* ---- words ---- */

typedef struct words {
    char **word;
    int64_t count, capacity;
} words;

static void replace(char **text, const char *mark, const char *value)
{
    for (char *at; (at = strstr(*text, mark)) != NULL;) {
        char *made = NULL;
        if (asprintf(&made, "%.*s%s%s", (int)(at - *text), *text, value, at + strlen(mark)) < 0)
            out_of_memory((int64_t)strlen(*text), "for a command");
        free(*text);
        *text = made;
    }
}

static void add_word(words *w, const char *text, int64_t p, double n)
{
    char number[NUMBER], *made = text_copy(text);
    snprintf(number, sizeof number, "%lld", (long long)p);
    replace(&made, "{p}", number);
    snprintf(number, sizeof number, "%.15g", n);
    replace(&made, "{n}", number);
    *ARRAY_APPEND(w->word, w->count, w->capacity) = made;
}

char **launch_words(const char *launch, char *const *program, int64_t p, double n)
{
    words w = {0};
    char *copy = text_copy(launch), *rest = copy;
    for (char *word; (word = strtok_r(rest, " \t", &rest)) != NULL;)
        add_word(&w, word, p, n);
    free(copy);
    for (int k = 0; program[k]; k++)
        add_word(&w, program[k], p, n);
    *ARRAY_APPEND(w.word, w.count, w.capacity) = NULL;
    return w.word;
}

void launch_words_free(char **word)
{
    for (int k = 0; word[k]; k++)
        free(word[k]);
    free(word);
}

/* ---- running ---- */

static double now(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

static void become(char *const *word, int to, int failed)
{
    dup2(to, STDOUT_FILENO);
    dup2(to, STDERR_FILENO);
    execvp(word[0], word);
    const int reason = errno;
    _exit(write(failed, &reason, sizeof reason) > 0 ? 127 : 126);
}

/* All that comes, as text to be freed; what is beyond MAX_OUTPUT is read and forgotten. */
static char *read_all(int from)
{
    char *text = NULL, block[4096];
    int64_t used = 0, room = 0;
    ssize_t got;
    while ((got = read(from, block, sizeof block)) > 0 || (got < 0 && errno == EINTR)) {
        if (got < 0 || used + got > MAX_OUTPUT)
            continue;
        ARRAY_RESERVE(text, room, used + got + 1);
        memcpy(text + used, block, (size_t)got);
        used += got;
    }
    ARRAY_RESERVE(text, room, used + 1);
    text[used] = 0;
    return text;
}

/* Starts the command and waits for it. Its output is to be freed; *failure: errno if it could not be started. */
static char *run_command(char *const *word, int *outcome, int *failure)
{
    int output[2], failed[2];
    *failure = *outcome = 0;
    fflush(NULL);
    if (pipe2(output, O_CLOEXEC) != 0 || pipe2(failed, O_CLOEXEC) != 0) {
        *failure = errno;
        return text_copy("");
    }
    const pid_t child = fork();
    if (child == 0)
        become(word, output[1], failed[1]);
    if (child < 0)
        *failure = errno;
    close(output[1]);
    close(failed[1]);
    char *text = read_all(output[0]);
    if (child > 0 && read(failed[0], failure, sizeof *failure) <= 0)
        *failure = 0;
    while (child > 0 && waitpid(child, outcome, 0) < 0 && errno == EINTR) {
    }
    close(output[0]);
    close(failed[0]);
    return text;
}

/* ---- what it printed ---- */

static void add_phase(bmf_launched *l, const char *name, double seconds)
{
    if (!(seconds >= 0.0 && isfinite(seconds)) || l->phases == BMF_LAUNCH_PHASES - 1 || !name[0])
        return;
    char *to = l->name[l->phases];
    snprintf(to, BMF_SWEEP_NAME, "%s", name);
    for (char *c = to; *c; c++)
        if (isspace((unsigned char)*c) || iscntrl((unsigned char)*c))
            *c = '_';
    if (strcmp(to, "total") != 0)
        l->seconds[l->phases++] = seconds;
}

/* True if the line is an object with seconds. */
static bool read_object(const char *line, bmf_launched *l, double *total)
{
    const char *name;
    json_t *value, *root = json_loads(line, 0, NULL), *phases = json_object_get(root, "phases");
    const json_t *seconds = json_object_get(root, "seconds");
    const bool found = json_is_number(seconds);
    if (found) {
        *total = json_number_value(seconds);
        l->phases = 0;
        json_object_foreach(phases, name, value) add_phase(l, name, json_number_value(value));
    }
    json_decref(root);
    return found;
}

static bool read_word(const char *line, const char *word, double *value)
{
    const char *at = strstr(line, word);
    char *end;
    if (!at || (at > line && !isspace((unsigned char)at[-1])))
        return false;
    const double number = strtod(at + strlen(word), &end);
    if (end == at + strlen(word) || (*end && !isspace((unsigned char)*end)) || !(number >= 0.0 && isfinite(number)))
        return false;
    *value = number;
    return true;
}

static void read_line(const char *line, bmf_launched *l, double *total)
{
    char name[BMF_SWEEP_NAME];
    double seconds;
    if (line[0] == '{' && read_object(line, l, total))
        return;
    if (sscanf(line, "phase %47s %lf", name, &seconds) == 2)
        add_phase(l, name, seconds);
    else if (read_word(line, "seconds ", &seconds))
        *total = seconds;
}

static void read_output(char *text, double passed, bmf_launched *l)
{
    double total = passed;
    for (char *rest = text, *line; (line = strsep(&rest, "\n")) != NULL;)
        read_line(line, l, &total);
    snprintf(l->name[l->phases], BMF_SWEEP_NAME, "total");
    l->seconds[l->phases++] = total;
}

/* "ended with exit code 1: its last line". */
static void read_failure(char *const *word, char *text, int outcome, int failure, bmf_launched *l)
{
    const char *last = "";
    for (char *rest = text, *line; (line = strsep(&rest, "\n")) != NULL;)
        last = line[strspn(line, " \t\r")] ? line : last;
    if (failure)
        snprintf(l->reason, sizeof l->reason, "cannot run '%.80s': %s", word[0], strerror(failure));
    else if (WIFSIGNALED(outcome))
        snprintf(l->reason, sizeof l->reason, "ended by signal %d: %.400s", WTERMSIG(outcome), last);
    else
        snprintf(l->reason, sizeof l->reason, "ended with exit code %d: %.400s", WEXITSTATUS(outcome), last);
    text_make_printable(l->reason);
}

static bool succeeded(int outcome, int failure)
{
    return failure == 0 && WIFEXITED(outcome) && WEXITSTATUS(outcome) == 0;
}

bool launch_program(char *const *word, bmf_launched *l)
{
    int outcome, failure;
    *l = (bmf_launched){0};
    const double start = now();
    char *text = run_command(word, &outcome, &failure);
    const double passed = now() - start;
    const bool right = succeeded(outcome, failure);
    if (right)
        read_output(text, passed, l);
    else
        read_failure(word, text, outcome, failure, l);
    free(text);
    return right;
}

bool launch_prediction(char *const *word, bmf_launched *l)
{
    int outcome, failure;
    *l = (bmf_launched){0};
    char *text = run_command(word, &outcome, &failure), *object = strstr(text, "{\"program\"");
    bool right = succeeded(outcome, failure);
    json_t *root = right && object ? json_loads(object, JSON_DISABLE_EOF_CHECK, NULL) : NULL;
    const json_t *seconds = json_object_get(json_array_get(json_object_get(root, "runs"), 0), "seconds");
    if (json_is_number(seconds)) {
        snprintf(l->name[0], BMF_SWEEP_NAME, "total");
        l->seconds[l->phases++] = json_number_value(seconds);
    } else {
        read_failure(word, text, outcome, failure, l);
        right = false;
    }
    json_decref(root);
    free(text);
    return right;
}

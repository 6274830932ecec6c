/* Running one point of a sweep, and the times that a program prints.
 *
 * A program says its times on standard output, in one of these ways; of several the last one counts:
 *   a line that is a JSON object with "seconds", and, if it has phases, "phases": {"NAME": SECONDS, ..}
 *   a line with the words `seconds X`
 *   lines `phase NAME X`
 * A program that says nothing takes what passed from its start to its end. */
#define _GNU_SOURCE
#include <ctype.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "drivers/sweep/sweep.h"

static double now(void)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
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

bool launch_program(char *const *word, bmf_launched *l)
{
    int outcome, failure;
    *l = (bmf_launched){0};
    const double start = now();
    char *text = launch_run(word, &outcome, &failure);
    const double passed = now() - start;
    const bool right = launch_succeeded(outcome, failure);
    if (right)
        read_output(text, passed, l);
    else
        launch_reason(word, text, outcome, failure, l->reason);
    free(text);
    return right;
}

bool launch_prediction(char *const *word, bmf_launched *l)
{
    int outcome, failure;
    *l = (bmf_launched){0};
    char *text = launch_run(word, &outcome, &failure), *object = strstr(text, "{\"program\"");
    bool right = launch_succeeded(outcome, failure);
    json_t *root = right && object ? json_loads(object, JSON_DISABLE_EOF_CHECK, NULL) : NULL;
    const json_t *seconds = json_object_get(json_array_get(json_object_get(root, "runs"), 0), "seconds");
    if (json_is_number(seconds)) {
        snprintf(l->name[0], BMF_SWEEP_NAME, "total");
        l->seconds[l->phases++] = json_number_value(seconds);
    } else {
        launch_reason(word, text, outcome, failure, l->reason);
        right = false;
    }
    json_decref(root);
    free(text);
    return right;
}

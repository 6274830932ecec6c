/* What the commands that report and compare share: runs as text and JSON. */
#include "drivers/runs.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/convert/view.h"
#include "drivers/command/json.h"
#include "predict/replay/replay.h"
#include "runtime/base/allocate.h"
#include "runtime/base/text.h"

char *text_run(const bmf_trace_run *run)
{
    char *program = style_text(run->program, BMF_STYLE_PLAIN), *machine = style_text(run->machine, BMF_STYLE_PLAIN);
    size_t size = (program ? strlen(program) : 0) + (machine ? strlen(machine) : 0) + 160;
    char *text = allocate((int64_t)size);
    snprintf(text, size, "%s: %s on %s, %d processor%s, %d rank%s, %d thread%s each",
             run->predicted ? "predicted" : "measured", program ? program : "", machine ? machine : "", run->lanes,
             run->lanes == 1 ? "" : "s", run->ranks, run->ranks == 1 ? "" : "s", run->threads,
             run->threads == 1 ? "" : "s");
    free(program);
    free(machine);
    return text;
}

void print_remarks(const bmf_trace_run *run)
{
    const char *which = run->predicted ? "predicted" : "measured";
    if (run->dropped)
        printf("note: the %s run lost %lld events for lack of memory; its sums are too small\n", which,
               (long long)run->dropped);
    if (!run->predicted && run->lanes > run->ranks)
        printf("note: %d processors were run by %d rank%s: a processor's time includes its rank's work for others\n",
               run->lanes, run->ranks, run->ranks == 1 ? "" : "s");
}

int make_run_intervals(bmf_trace_run *run, uint32_t node, int64_t instance, bmf_intervals **intervals, char **why)
{
    bmf_trace_run *ideal;
    char *reason = intervals_ideal(run, &ideal) == BMF_OK ? NULL : strdup(bmf_error_text(NULL));
    int status = instance < 0 ? intervals_create(run, ideal, intervals)
                              : intervals_instance(run, ideal, node, (uint32_t)instance, intervals);
    run_free(ideal);
    if (why)
        *why = reason;
    else
        free(reason);
    return status;
}

json_t *run_json(const bmf_trace_run *run)
{
    return json_pack("{s:s, s:o, s:o, s:i, s:i, s:i, s:f, s:I, s:I}", "run", run->predicted ? "predicted" : "measured",
                     "program", json_text(run->program), "machine", json_text(run->machine), "processors", run->lanes,
                     "ranks", run->ranks, "threads", run->threads, "seconds", replay_length(run), "events",
                     (json_int_t)run->events, "lost_events", (json_int_t)run->dropped);
}

json_t *json_lines(const char *text)
{
    json_t *lines = json_array();
    char *copy = text_copy(text), *rest = copy, *line;
    while ((line = strsep(&rest, "\n")))
        json_array_append_new(lines, json_text(line));
    free(copy);
    return lines;
}

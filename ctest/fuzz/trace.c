/* Fuzz target of traces: what can be read can be written, converted to every format that goes to a stream, and
 * replayed on an ideal machine, or is refused with a line. */
#include <stdlib.h>

#include "ctest/fuzz/fuzz.h"
#include "predict/replay/replay.h"
#include "runtime/convert/convert.h"
#include "runtime/trace/trace.h"
#include "bmf/status.h"
#include "bmf/trace.h"

static void check(int status)
{
    if (status != BMF_OK)
        demand_line(status);
}

static void replay(bmf_trace_run *run)
{
    static bmf_machine *ideal;
    bmf_actions *actions = NULL;
    int64_t count = 0;
    char **remarks = NULL;
    if (!ideal)
        demand(machine_parse("name = \"ideal\"; network = { type = \"fixed\"; };", "ideal.machine", &ideal) == BMF_OK,
               "an ideal machine");
    int status = replay_onto_machine(run, ideal, true, &actions, &count, &remarks);
    check(status);
    for (int64_t k = 0; k < count; k++)
        free(remarks[k]);
    free(remarks);
    if (status == BMF_OK)
        actions_free(actions);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    bmf_trace *trace;
    int status = bmf_trace_read(NULL, file_of(bytes, size), &trace);
    if (status != BMF_OK) {
        demand_line(status);
        return 0;
    }
    check(convert_csv(NULL, trace, "/dev/null"));
    check(convert_chrome(NULL, trace, "/dev/null"));
    check(convert_paje(NULL, trace, "/dev/null"));
    check(convert_perfetto(NULL, trace, "/dev/null"));
    check(convert_svg(NULL, trace, "/dev/null"));
    check(convert_picl(NULL, trace, "/dev/null"));
    replay(trace->run[0]);
    bmf_trace_free(trace);
    return 0;
}

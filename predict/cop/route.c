/* Schedules of a plan's phases. Method: the stream router of the mesh, phase by phase. An operator that is alone in its
 * phase asks for all it may have, others for what the plan gave them. Cost: that of the stream router. Source: document
 * 004, 6.3. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "bmf/status.h"
#include "predict/cop/plan.h"
#include "runtime/base/allocate.h"

static const bmf_cop_streams *streams_of(const bmf_cop_plan *plan, const bmf_cop_use *use)
{
    return &plan->candidates[use->op->number].candidate[use->candidate].streams;
}

const bmf_cop_stream *cop_phase_stream(const bmf_cop_plan *plan, const bmf_cop_phase *phase, int64_t number,
                                       int64_t *use)
{
    for (*use = 0; *use < phase->uses; ++*use) {
        const bmf_cop_streams *s = streams_of(plan, &phase->use[*use]);
        if (number < s->count)
            return &s->stream[number];
        number -= s->count;
    }
    return NULL;
}

/* An operator that is alone in its phase may have all that fits; otherwise it is asked for what the estimate shared
 * out. Never more than :b. */
static double wish(const bmf_cop_phase *phase, const bmf_cop_use *use)
{
    return phase->uses > 1 || use->op->bandwidth <= 0 ? use->bandwidth : fmin(use->op->bandwidth, 0.5);
}

static int route_phase(const bmf_cop_plan *plan, bmf_cop_phase *phase)
{
    bmf_stream *stream = allocate_array(phase->streams + 1, (int64_t)sizeof *stream);
    for (int64_t k = 0; k < phase->streams; k++) {
        int64_t use;
        const bmf_cop_stream *from = cop_phase_stream(plan, phase, k, &use);
        stream[k] = (bmf_stream){.from = from->from,
                                 .destinations = from->destinations,
                                 .to = from->to,
                                 .bandwidth = wish(phase, &phase->use[use]),
                                 .reprogrammed = from->reprogrammed};
    }
    const bmf_stream_request request = {
        .hardware = plan->settings.hardware, .streams = phase->streams, .stream = stream, .leaves = phase->is_followed};
    const int status = numesh_route_streams(&request, &phase->routes);
    free(stream);
    return status;
}

static void take_bandwidths(const bmf_cop_plan *plan, bmf_cop_phase *phase)
{
    for (int64_t u = 0; u < phase->uses; u++)
        phase->use[u].bandwidth = 1;
    for (int64_t k = 0; k < phase->streams; k++) {
        int64_t use;
        cop_phase_stream(plan, phase, k, &use);
        const double found = (double)phase->routes->route[k].slots / plan->settings.hardware.length;
        phase->use[use].bandwidth = fmin(phase->use[use].bandwidth, found);
    }
}

int cop_route_plan(bmf_cop_plan *plan)
{
    bmf_cop_phase **list;
    const int64_t count = cop_list_phases(plan, &list);
    int status = BMF_OK;
    for (int64_t p = 0; p < count && status == BMF_OK; p++) {
        if (list[p]->streams == 0)
            continue;
        status = route_phase(plan, list[p]);
        if (status == BMF_OK && !list[p]->routes)
            status = lisp_fail_at(plan->program->lisp, list[p]->use[0].op->place,
                                  "the %" PRId64 " streams of the phase of '%s' find no schedule", list[p]->streams,
                                  list[p]->use[0].op->label);
        if (status == BMF_OK)
            take_bandwidths(plan, list[p]);
    }
    free(list);
    return status;
}

/* The same run on the ideal network, for serialisation and transfer (POP; shared with `bmf replay`).
 *
 * Method: the recorded actions are simulated again with their recorded computing times and messages that take no time.
 * Cost: that of a replay.
 */
#include <stdlib.h>

#include "predict/replay/recorded.h"
#include "predict/replay/replay.h"
#include "predict/report/intervals.h"

/* Of a recorded MPI program: its calls again. */
static int recorded_ideal(bmf_trace_run *run, const bmf_machine *machine, bmf_trace_run **ideal)
{
    bmf_recorded_replay result;
    bmf_network *network = network_ideal(run->lanes);
    const int status = run_sort(run) == BMF_OK ? replay_recorded(run, machine, network,
                                                                 &(bmf_recorded_options){.exact = true}, ideal, &result)
                                               : bmf_fail(NULL, BMF_ERROR_MEMORY, "no memory to replay a run");
    network->type->destroy(network);
    return status;
}

int intervals_ideal(bmf_trace_run *run, bmf_trace_run **ideal)
{
    const bmf_machine machine = {.name = (char[]){"ideal network"}, .compute = BMF_COMPUTE_MEASURED, .power = 1};
    bmf_actions *actions;
    char **remark;
    int64_t remarks = 0;
    *ideal = NULL;
    if (is_recorded(run))
        return recorded_ideal(run, &machine, ideal);
    BMF_TRY(replay_onto_machine(run, &machine, false, &actions, &remarks, &remark));
    bmf_network *network = network_ideal(run->lanes);
    int status = replay_trace(run, &machine, actions, network, ideal);
    network->type->destroy(network);
    actions_free(actions);
    for (int64_t k = 0; k < remarks; k++)
        free(remark[k]);
    free(remark);
    return status;
}

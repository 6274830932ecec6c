/* First calls in the offers of `bmf choose`: of programs of the language on machines whose kernels are timed here. */
#include <omp.h>

#include "drivers/choose/choose.h"
#include "predict/choose/retime.h"

/* Sizes of --elements and --scale are no files that could be run. */
static bool has_first_calls(const choose_study *study)
{
    bool any = false;
    for (int64_t m = 0; m < study->machines; m++)
        any = any || machine_shares_recording(study->machine[m]);
    return any && !choose_is_alone(study->options) && study->options->predict.elements == 0;
}

void choose_measure_first_calls(choose_study *study)
{
    const int cores = omp_get_num_procs();
    study->first_calls = has_first_calls(study);
    for (int64_t t = 0; study->first_calls && t < study->teams; t++)
        if (t == 0 || study->team[t] <= cores)
            first_calls_measure(&study->options->predict, study->team[t], &study->first[study->firsts++]);
}

/* More threads than there are cores here take what the most of these do. */
static const bmf_first_calls *first_calls_of(const choose_study *study, int64_t threads)
{
    const bmf_first_calls *found = &study->first[0];
    for (int64_t t = 1; t < study->firsts && study->first[t].threads <= threads; t++)
        found = &study->first[t];
    return found;
}

void choose_set_first_calls(const choose_study *study, const bmf_machine *machine, const bmf_network *network,
                            bmf_actions *actions)
{
    if (!study->first_calls)
        return;
    const bmf_first_calls *first = first_calls_of(study, machine->threads);
    const bool sends = actions->processors > 1 && network->type->first_message;
    actions_set_first_calls(actions,
                            first_calls_each(first, actions->processors) / machine->power +
                                (sends ? network->type->first_message(network) : 0.0),
                            first->error);
}

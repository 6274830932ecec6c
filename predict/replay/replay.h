/* Replay: from a recorded run to the actions that a machine would carry out.
 *
 * What a trace says is what every processor did in which order, and which message went where; how long it took is the
 * recording machine's affair. Computing keeps its recorded time, divided by the machine's power, or is asked for from
 * the machine's kernel sheet, or costs nothing; files keep theirs, divided by the power (nothing if computing costs
 * nothing). Time in which nothing was recorded is kept, if wanted: as work of the processor, divided by the power, as
 * far as the machine's sheet does not have it in its kernels and messages; but what all processors took to agree
 * becomes an agreement of the machine, up to which they wait for the slowest (gaps.c says how the two are told
 * apart). A machine on which agreements cost nothing has none, as in predictions.
 *
 * Sends and receives are matched by structural ids: call, instance, round, sender, receiver, and the how-manieth
 * between the two. In a round a processor is ready for its receives where its first event of the round stands, sends
 * there what it sends, and takes its receives at the round's last event: so a run of one rank, which copies messages
 * one after the other, becomes what its processors would do side by side. Cost: sorting; memory about twice that of the
 * events. */
#ifndef BMF_REPLAY_H
#define BMF_REPLAY_H

#include "predict/machine/machine.h"
#include "predict/model/actions.h"

/* gaps: keep time in which nothing was recorded. The run, which is sorted if it was not, must outlive the actions: they
 * have its names and nodes. remarks: texts about kernels outside the sheet's domain, `count` of them. Errors:
 * BMF_ERROR_ARGUMENT, in one line: events were lost, calls that not all processors took part in, messages without a
 * second end, kernels that the sheet lacks; BMF_ERROR_MEMORY. */
int replay_onto_machine(bmf_trace_run *run, const bmf_machine *machine, bool gaps, bmf_actions **actions,
                        int64_t *count, char ***remarks);

/* The actions on that network with the expected times, as a predicted run named after the machine. BMF_ERROR_MEMORY,
 * and those of simulator_run. The caller frees. */
int replay_trace(const bmf_trace_run *recorded, const bmf_machine *machine, const bmf_actions *actions,
                 bmf_network *network, bmf_trace_run **predicted);

/* The end of the last event in seconds. */
double replay_length(const bmf_trace_run *run);

/* Seconds of what is replayed, without files before it: of a program of the language from when its last processor has
 * begun (its first event that is no file) to the last event, of others all. */
double replay_span(const bmf_trace_run *run);

#endif

/* The model backend: all processors of a modelled machine in this process, on the real data.
 *
 * Kernels run (threads of this host share the work) and messages are copied, so that a program has its real values and
 * takes its real branches; what is recorded are actions, which the simulator times on the machine's network. The
 * program sees one host with all processors: ranks 1, local_processors = P.
 */
#ifndef BMF_MODEL_H
#define BMF_MODEL_H

#include "predict/machine/machine.h"
#include "predict/model/actions.h"
#include "predict/model/kernel_times.h"
#include "predict/model/measurements.h"
#include "predict/simulate/simulate.h"
#include "bmf/context.h"

typedef struct bmf_model bmf_model;

/* Turns an open context of one rank, whose run has not begun, into one of the machine with `processors`; the machine is
 * borrowed and must outlive the context. ranks: of the run that is imitated in rank_messages and rank_bytes of
 * the statistics (processors in contiguous blocks); 0: as many as processors.
 * From then on bmf_seconds returns the largest virtual clock. Errors: BMF_ERROR_ARGUMENT: more ranks than 1, more
 * processors than the machine has; those of machine_network. */
int model_open(bmf_context *ctx, const bmf_machine *machine, int64_t processors, int64_t ranks);
/* Before anything is recorded: of kernels what they move is kept beside their actions (actions->bytes). */
void model_keep_bytes(bmf_context *ctx);
/* Before the program runs: where processors do the same, because what they do follows from the lengths of lists, only
 * some of them are emulated (16 if kernels are timed here, otherwise 1), and the others do as these. Messages, bytes
 * and values stay what they are. */
void model_use_classes(bmf_context *ctx);
/* Before the program runs: every processor has its first calls at the beginning (actions_set_first_calls). */
void model_has_first_calls(bmf_context *ctx);
/* Before the program runs: clocks that it asks for are 0, and cost nothing. For callers who want its actions only. */
void model_without_clocks(bmf_context *ctx);
/* Before the program runs: it is given up, with an error at its next round of messages, when it has taken more than so
 * many seconds on the machine (loading files aside), or has recorded more than so many actions. */
void model_give_up_after(bmf_context *ctx, double seconds, int64_t actions);
/* Before the program runs: the times of its kernels are kept with those of other programs, and actions get what is
 * typical of all of them by model_take_measurements. The times are borrowed. */
void model_share_times(bmf_context *ctx, bmf_kernel_times *times);
/* Whether it was, and then the seconds that it had taken. */
bool model_gave_up(const bmf_context *ctx, double *seconds);
/* How often a processor did as another one, and the most that were emulated one by one all the same. */
int64_t model_alike(const bmf_context *ctx);
int64_t model_unlike(const bmf_context *ctx);
/* The model of a context, NULL on the cluster. */
bmf_model *model_of_context(const bmf_context *ctx);
const bmf_actions *model_actions(const bmf_model *model);
/* The same as the caller's own, who frees them; the model has none any more. */
bmf_actions *model_take_actions(bmf_context *ctx);
bmf_network *model_network(const bmf_model *model);
/* Forgets what was recorded so far: what follows is the run. For programs whose time begins after loading. */
void model_restart(bmf_context *ctx);
/* After a run, if kernels were run and timed here: adds their times to those of other runs of the same program. After
 * the last one: gives the actions the typical times of all these runs, with their errors. */
void model_measure(bmf_context *ctx, bmf_measurements *all);
void model_take_measurements(bmf_context *ctx, const bmf_measurements *all);
/* Where what is recorded is for other machines (model_keep_bytes), ranks have threads, and kernels are timed here:
 * times are of one thread; they become those of the machine's ranks. */
void model_share(const bmf_model *model, bmf_actions *actions);
bool model_is_measured(const bmf_model *model);
/* Outside the sheet's domain, said once a kernel: "kernel scan plus: 12000000 elements, the sheet ends at 1000000";
 * NULL at the end. */
const char *model_remark(const bmf_model *model, int64_t index);
/* The actions on a network without noise as a predicted run; no interval of an event is looked for, so that it costs
 * one simulation. The caller frees. */
int trace_without_intervals(const bmf_actions *actions, bmf_network *network, bmf_trace_run **run);
/* The run as a trace, simulated with the expected times: on the machine's network, whose loads are those of this run
 * afterwards, and on a network that costs nothing, for efficiencies. The caller frees. */
int model_trace(bmf_context *ctx, bmf_trace_run **run);
int model_trace_ideal(bmf_context *ctx, bmf_trace_run **run);

#endif

/* Replay of recorded MPI programs (bmf record) on a machine: the same calls in the same order, with the same sources of
 * receives; only times change.
 *
 * Rules (document 001, 5.2, and the table in docs/mpi-programs.md):
 *   message     the machine's network; the receiver needs it from the later of its call and the arrival on
 *   collective  all leave at the latest start of the group + T(p, d) of the network's sheet, d the largest count of any
 *               member; networks without such times, or with collectives = "messages", send the messages that MPICH
 *               does
 *   computing   the recorded processor time / the machine's power
 *   tests that found nothing take no time in replays, since their number is the recording machine's affair, and
 *               `probe` in predictions, where it is this machine's
 *   intervals   from random samples of what is uncertain about the network and, where the machine's speed is stated,
 *               about computing; each event's from those of its length in the samples. The predicted run itself is the
 *               one without noise
 * Deterministic: the same trace and machine give the same bits. */
#ifndef BMF_REPLAY_RECORDED_H
#define BMF_REPLAY_RECORDED_H

#include "predict/machine/machine.h"
#include "predict/simulate/simulate.h"
#include "runtime/trace/trace.h"

/* What computing takes. */
typedef enum bmf_replay_compute {
    BMF_REPLAY_MEASURED, /* the recorded processor time / the machine's power; nothing on machines that compute so */
    BMF_REPLAY_STEPS,    /* what the program said by bmf_compute, a step of `step` seconds each */
    BMF_REPLAY_ZERO
} bmf_replay_compute;

typedef struct bmf_recorded_options {
    bmf_replay_compute compute;
    double step;     /* seconds */
    double probe;    /* seconds of a test or probe that finds nothing */
    int64_t bound;   /* sample of the network: 0, or BMF_SAMPLE_LEAST, .. */
    bool exact;      /* only that: no interval */
    int64_t samples; /* for the interval; 0: as many as are cheap */
} bmf_recorded_options;

typedef struct bmf_recorded_replay {
    bmf_prediction time;     /* the last processor's end */
    int64_t messages, bytes; /* of the program's own */
    int64_t collectives, wild;
} bmf_recorded_replay;

/* Whether a run is one of a recorded program. */
bool is_recorded(const bmf_trace_run *run);
/* predicted: the run on the machine without noise, to be freed. Errors: BMF_ERROR_ARGUMENT, in one line: the run is
 * incomplete or has calls whose meaning is not recorded, messages without a second end, ranks that wait for each other
 * for ever. */
int replay_recorded(const bmf_trace_run *run, const bmf_machine *machine, bmf_network *network,
                    const bmf_recorded_options *options, bmf_trace_run **predicted, bmf_recorded_replay *result);

#endif

/* The simulator: actions and a network give every processor's clock.
 *
 * Method: discrete events in causal order. A heap holds the processors that can go on, by (clock, number), and the
 * network's next event; the earliest is carried out. A processor's receives of one round are taken in the order of
 * arrival (equal times: by sender). Deterministic: the same input gives the same bits.
 * Cost: O(log P) an action; memory 8 bytes an action for the processors' lists, and 64 to 128 bytes for a message that is
 * on its way.
 */
#ifndef BMF_SIMULATE_H
#define BMF_SIMULATE_H

#include "predict/machine/network.h"
#include "predict/model/actions.h"

typedef struct bmf_simulator bmf_simulator;

typedef struct bmf_simulation {
    double seconds;           /* the last processor's clock */
    int64_t actions, messages, bytes;
    double idle;              /* seconds of waiting, over all processors */
} bmf_simulation;

/* The network is borrowed and started with `sample`; samples k > 0 also draw the computing times. Actions may be added
 * between calls of bmf_simulator_run. */
bmf_simulator *bmf_simulator_create(const bmf_actions *actions, bmf_network *network, int64_t sample);
/* Events are recorded from now on into `run`, a predicted run whose names and nodes are those of actions->names; scopes
 * that are left by then get one event on every lane, also where nothing was done in them. */
void bmf_simulator_record(bmf_simulator *simulator, bmf_run *run);
/* Carries out everything recorded so far. Errors: BMF_ERROR_ARGUMENT when processors wait for messages that nobody
 * sends (names one of them): actions from a damaged trace. */
int bmf_simulator_run(bmf_simulator *simulator);
double bmf_simulator_clock(const bmf_simulator *simulator, int64_t processor);
void bmf_simulator_result(const bmf_simulator *simulator, bmf_simulation *result);
void bmf_simulator_free(bmf_simulator *simulator);

/* The whole at once: expected time, and the 95 % interval of one run from `samples` random samples (0: as many as are
 * cheap, 20 to 200; low = high = seconds when nothing is uncertain). */
typedef struct bmf_prediction {
    double seconds, low, high;
    int64_t samples;
} bmf_prediction;
int bmf_simulate_interval(const bmf_actions *actions, bmf_network *network, int64_t samples, bmf_prediction *prediction);

#endif

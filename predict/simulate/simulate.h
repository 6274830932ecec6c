/* The simulator: actions and a network give every processor's clock.
 *
 * What a processor does at its clock:
 *   COMPUTE, OVERHEAD  clock + seconds
 *   POST     its receives of the round become known to the network
 *   SEND     the message is handed over; the clock becomes message->free
 *   RECEIVE  when all receives of the round have arrived: in the order of arrival (equal times: by sender), each
 *            clock = max(clock, arrived) + taking
 *   WAIT     clock = max(clock, done) over its sends of the round
 *   MEET     clock = the largest clock of all + seconds
 * and it stands still while a time that it needs is not known; see network.h for who knows what when.
 *
 * Method: discrete events in causal order. A heap holds the processors that come to a send (or post, if the network
 * cares), by (clock, number); what lies between concerns nobody else and is carried out at once. Deterministic: the
 * same input gives the same bits.
 * Cost: O(log P) a send; memory 8 bytes an action for the processors' lists, and 112 bytes for a message that is on its
 * way (in blocks of messages with neighbouring numbers, which are given back when all have been received).
 */
#ifndef BMF_SIMULATE_H
#define BMF_SIMULATE_H

#include "predict/network/network.h"
#include "predict/model/actions.h"

typedef struct bmf_simulator bmf_simulator;

typedef struct bmf_simulation {
    double seconds; /* the last processor's clock */
    double loading; /* of these before the program's start */
    int64_t actions, messages, bytes;
    double idle; /* seconds of waiting, over all processors */
} bmf_simulation;

/* The network is borrowed and started with `sample`; samples k > 0 also draw the computing times. Actions may be added
 * between calls of simulator_run: the result is that of one run over all of them. Where an added action comes before
 * something that was carried out, the run begins anew, which costs what it has cost so far. */
bmf_simulator *simulator_create(const bmf_actions *actions, bmf_network *network, int64_t sample);
/* Before the first run: events are recorded into `run`, a predicted run with as many lanes as there are processors,
 * whose names and nodes are those of actions->names. Scopes that have been left get one event on every lane, also where
 * nothing was done in them. Ids are those of the cluster backend with one processor a rank. */
void simulator_record(bmf_simulator *simulator, bmf_trace_run *run);
/* Carries out everything recorded so far. Errors: BMF_ERROR_ARGUMENT when processors wait for messages that nobody
 * sends (names one of them): actions from a damaged trace. */
int simulator_run(bmf_simulator *simulator);
double simulator_clock(const bmf_simulator *simulator, int64_t processor);
void simulator_result(const bmf_simulator *simulator, bmf_simulation *result);
void simulator_free(bmf_simulator *simulator);
/* Whether the times of a run that was recorded can stand in a trace: BMF_OK or BMF_ERROR_ARGUMENT. */
int simulation_fits_trace(const bmf_simulation *result);

/* The whole at once, from the program's start: the time without any noise, and the median and the 95 % interval of one
 * run from `samples` random samples (0: as many as are cheap, 20 to 200). Every wait takes a maximum, so that noise
 * makes runs longer: the median is what is to be expected. When nothing is uncertain all are equal; when only the
 * machine is (actions->relative_error, network->relative_error), median = seconds. */
enum { BMF_PREDICTION_KEPT = 200 };
typedef struct bmf_prediction {
    double seconds, median, low, high;
    /* Of the variance of a run's logarithm: what the machine's runs have in common, single times, and what is not known
     * about its equations; together 1. NAN: nothing is uncertain, or it was not asked for. */
    double run_share, event_share, fit_share;
    double loading; /* files before the program's start, without noise; not in the others */
    int64_t samples;
    double sample[BMF_PREDICTION_KEPT]; /* the first of them; those of one number share what is not known about the
                                           machine's equations, so quotients of predictions can be taken */
} bmf_prediction;
/* The 95 % interval of one more number like these `count`, in which their median lies; they are put into order. */
void sample_bounds(double *value, int64_t count, double *low, double *high);
/* The 95 % interval of the quotient of a run of `a` and another one of `b`; NAN if there are too few samples. */
void prediction_quotient(const bmf_prediction *a, const bmf_prediction *b, double *low, double *high);
/* The same of a run on one machine and one on another: what is not known about the two has nothing in common. */
void prediction_quotient_apart(const bmf_prediction *a, const bmf_prediction *b, double *low, double *high);
/* Half the 95 % interval of the logarithm of the quotient of their medians, as far as these are off by the chance of
 * samples: 0 where no median depends on it. */
double prediction_median_quotient_error(const bmf_prediction *a, const bmf_prediction *b);
/* Without any noise, and nothing else. */
int simulate_seconds(const bmf_actions *actions, bmf_network *network, double *seconds);
int simulate_interval(const bmf_actions *actions, bmf_network *network, int64_t samples, bmf_prediction *prediction);
/* The run without noise as events of `run` (as simulator_record says), each with the 95 % interval that it has in one
 * run, with its waiting for others; whole: the length and interval of all of it. */
int simulate_events(const bmf_actions *actions, bmf_network *network, bmf_trace_run *run, bmf_simulation *result,
                    bmf_prediction *whole);

/* The same for whatever can be simulated again and again. */
typedef struct bmf_sampled_run {
    /* The seconds of a sample, with all computing multiplied by a factor. */
    int (*simulate)(void *state, int64_t sample, double compute_factor, double *seconds);
    /* NULL, or the same of so many samples, from the first on, at once; where `drawn` is NULL. */
    int (*simulate_all)(void *state, int64_t first, const double *compute_factor, int64_t count, double *seconds);
    /* NULL, or called after each of those that the interval is made of; all its times are to be multiplied. */
    void (*drawn)(void *state, double time_factor);
    /* NULL, or: samples leave these of bmf_chance as they are from now on. */
    void (*keep)(void *state, unsigned still);
    void *state;
    uint64_t salt;                       /* tells runs apart whose samples have one number: their processors */
    int64_t steps;                       /* what a sample costs, as a number of actions */
    double compute_error, network_error; /* relative errors of what is stated and not measured */
    double run_deviation;                /* of the logarithm of what a run's computing has in common */
} bmf_sampled_run;
int sampled_interval(const bmf_sampled_run *run, int64_t samples, bmf_prediction *prediction);

#endif

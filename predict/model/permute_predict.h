/* Predicting a permutation on a modelled machine from its schedule alone: no element is moved, so N may be as large as
 * one likes. Rounds, messages and bytes are those of the plan, and so of the real run.
 *
 *   rounds, alltoallv, naive   as bmf_permute_execute does it on the machine's processors, with packing and unpacking
 *   sets                       document 003's 1-permutable sets of processors, record by record, straight from and to
 *                              their places; needs 2^p processors and at least as many elements
 *   clusters                   the same with sets of clusters (4.4); needs a network of type "edn", too
 *   rows                       the document's control (4.3): record by record, a row of them at a time; needs what
 *                              clusters need
 *
 *   two-pass                   sets of clusters, each in two passes over intermediate clusters (5.1); all processors
 *                              of a machine whose switch can do that (two_passes.h)
 *   coloured                   the same with sets by colouring (3.3), which are made beforehand: without setup
 *
 * On a network of type "edn" these take its setup_us and own_records into account. */
#ifndef BMF_PERMUTE_PREDICT_H
#define BMF_PERMUTE_PREDICT_H

#include "permute/exchange/exchange.h"
#include "predict/machine/machine.h"
#include "runtime/trace/trace.h"

typedef enum bmf_predicted_method {
    BMF_PREDICT_ROUNDS = BMF_PERMUTE_ROUNDS,
    BMF_PREDICT_ALLTOALLV = BMF_PERMUTE_ALLTOALLV,
    BMF_PREDICT_NAIVE = BMF_PERMUTE_NAIVE,
    BMF_PREDICT_SETS,
    BMF_PREDICT_CLUSTERS,
    BMF_PREDICT_ROWS,
    BMF_PREDICT_TWO_PASS,
    BMF_PREDICT_COLOURED,
    BMF_PREDICT_METHODS
} bmf_predicted_method;
/* "rounds", "alltoallv", "naive", "sets", "clusters", "rows", "two-pass", "coloured"; and back: false for an unknown
 * name. */
const char *predicted_method_name(bmf_predicted_method method);
bool predicted_method_find(const char *name, bmf_predicted_method *method);
/* Whether a method can be used on the machine with that many processors: its conditions above; for colouring at most
 * 2^16 records, since more take seconds and are only predicted when that is asked for. */
bool predicted_method_fits(bmf_predicted_method method, const bmf_machine *machine, const bmf_permutation *p,
                           int64_t processors);

enum { BMF_PREDICTION_REMARK = 512 };

typedef struct bmf_permute_prediction {
    bmf_permutation_class class_;
    int rank; /* r, or -1 where the parts are no subspaces */
    int64_t rounds, messages, bytes;
    bool timed;                         /* false: more messages than can be followed, times are NAN */
    double seconds, low, high;          /* the median, and the 95 % interval */
    char remark[BMF_PREDICTION_REMARK]; /* "" or what was outside the domain of an equation */
} bmf_permute_prediction;

/* Predicts for all bmf_processors(ctx) of a context with one rank. Cost: about a microsecond a message; kilobytes, and
 * on networks that do not take rounds as a whole 240 bytes a message. Errors: BMF_ERROR_ARGUMENT: the method cannot be
 * used here, more than 4096 processors that are no power of two of at most the elements, a sheet without the kernels
 * "permute pack" and "permute unpack"; those of machine_network and bmf_permute_plan_create. */
int permute_predict(bmf_context *ctx, const bmf_machine *machine, const bmf_permutation *p, int64_t element_bytes,
                    bmf_predicted_method method, bmf_permute_prediction *prediction);
/* The same, and the predicted run: a call "permute METHOD" with an event for everything that takes time, in the terms
 * of a real run; the caller frees it. Also BMF_ERROR_ARGUMENT: more than 2^22 messages. */
int permute_predict_run(bmf_context *ctx, const bmf_machine *machine, const bmf_permutation *p, int64_t element_bytes,
                        bmf_predicted_method method, bmf_permute_prediction *prediction, bmf_trace_run **run);

#endif

/* Flattened evaluation: an expression applied to a batch of arguments.
 *
 * Failures (docs/errors.md): a status that is returned from an expression that communicates, or that concerns
 * distributed lists, is known to all ranks, which leave together: it follows from what every rank knows, or was
 * settled by a collective call. Other expressions may fail on one rank only. That rank notes the failure, and goes on
 * with default values and without computing, so that it takes part in all communication, with marks instead of data.
 * Counts and layouts, which ranks must not disagree about, are shared by calls that settle.
 *
 * Trace: an operation opens a node (skeleton_begin) unless evaluator->quiet, which is set inside B_While loops that
 * may go round a different number of times on each rank. */
#ifndef BMF_LANGUAGE_EVALUATE_H
#define BMF_LANGUAGE_EVALUATE_H

#include "runtime/backend/backend.h"
#include "skeletons/language/evaluate/loop_rounds.h"
#include "skeletons/language/forms/form.h"
#include "skeletons/language/scalar/scalar.h"
#include "skeletons/language/batches/value.h"

enum { BMF_PLACE_TEXT = 512 };

typedef struct bmf_evaluator {
    bmf_context *ctx;
    const bmf_texts *texts;
    int quiet;
    char place[BMF_PLACE_TEXT]; /* of what is entered next */
    bool alone;                 /* inside of an expression that concerns this rank only */
    bool whole_batch;           /* not processor by processor, whatever the backend wants */
    bmf_loop_rounds *loops;     /* that are counted or cut short, or NULL */
} bmf_evaluator;

/* What is entered next in the trace stands at this place of the program's texts. Cost: that of text_place, if there is
 * a trace. */
void evaluator_place(bmf_evaluator *evaluator, bmf_span span);

/* Steps of the program (ctx->step) from one expression that communicates to the next: more than it has rounds. */
enum { BMF_STEPS = 64 };

/* Instances up to `end` (of this rank's) lie on `processor`. */
typedef struct bmf_run_of_instances {
    int64_t processor, end;
} bmf_run_of_instances;

/* The instances of a batch: where they come from and where they lie. */
typedef struct bmf_frame bmf_frame;
struct bmf_frame {
    const bmf_frame *outer;   /* NULL: the program itself, one instance on processor 0 */
    const bmf_expression *by; /* the map, reduce, .. that made them; for messages */
    int64_t count;            /* instances on this rank */
    /* one of these three says which outer instance instance j belongs to, and which element of its list it is */
    const int64_t *offsets; /* outer instance i has instances [offsets[i], offsets[i + 1]): elements of a placed list */
    const int64_t *picked;  /* instance j is outer instance picked[j]: a branch, or what continues in a loop */
    const bmf_distribution *spread;  /* elements of distributed lists */
    const bmf_run_of_instances *run; /* owned */
    int64_t runs;
    bmf_layout *layout; /* of all instances of all ranks, or NULL until frame_layout makes it; owned */
};

/* The program's own frame. */
void frame_open_program(bmf_evaluator *evaluator, bmf_frame *frame);
/* Elements of packed lists; offsets (outer->count + 1) stay the caller's. */
void frame_open_elements(const bmf_frame *outer, const bmf_expression *by, const int64_t *offsets, bmf_frame *frame);
/* Instances picked[0..count) of outer, in any order in which those of a processor are together, and processors rise. */
void frame_open_picked(const bmf_frame *outer, const bmf_expression *by, const int64_t *picked, int64_t count,
                       bmf_frame *frame);
/* Elements of distributed lists. No messages. */
void frame_open_spread(const bmf_frame *outer, const bmf_expression *by, bmf_distribution *spread, bmf_frame *frame);
void frame_close(bmf_frame *frame);
/* A value of the frame's instances is held by their processors from now on, its distributed lists by those of their
 * elements (runtime/context/held.h). */
void value_hold(bmf_context *ctx, const bmf_frame *frame, const bmf_value *value);
/* The layout of the frame's instances. Collective when it has to be made (ranks tell each other how many instances
 * they have): every rank calls it at the same operation. Returns BMF_OK or an agreed error. */
int frame_layout(bmf_evaluator *evaluator, bmf_frame *frame, bmf_layout **layout);

/* Cuts the `count` elements of this rank that belong to the frame's instances (offsets[count of instances + 1], or
 * NULL: one per instance) into pieces for ctx->backend->compute: processor by processor, workers in turn, cut
 * anywhere (grain 1) or only at instances' ends (whole; part is then the piece's first instance). The caller frees
 * *piece. */
void frame_pieces(bmf_evaluator *evaluator, const bmf_frame *frame, const int64_t *offsets, int64_t count, bool whole,
                  bmf_piece **piece, int64_t *pieces);

/* Stores the message of a failure that instance `failure->element` of the frame met (BMF_ERROR_INDEX,
 * BMF_ERROR_ARGUMENT, .., exit code 2):
 * prog.bmf:3:14: B_Index: index 7 is outside a list of 5 elements (element 12 of B_Map at 2:5, there element 3 of B_Map
 * at 3:1) Elements count from 0 and, for elements of distributed lists, over the whole list. Returns the status. Not
 * collective. */
int frame_fail(bmf_evaluator *evaluator, const bmf_frame *frame, const bmf_failure *failure);

/* Applies a checked (and perhaps rewritten) expression to x, which is taken over: freed, or moved into the result, as
 * early as possible. */
int evaluate_batch(bmf_evaluator *evaluator, bmf_expression *expression, bmf_frame *frame, bmf_value *x,
                   bmf_value *out);

/* ---- parts of the evaluator, one file each; all take x over ---- */

/* A scalar expression, or a kernel of one. */
bmf_evaluate_function evaluate_scalar;
bmf_evaluate_function evaluate_stream, evaluate_streams, evaluate_if, evaluate_while;
int evaluate_convert(bmf_evaluator *evaluator, const bmf_type *to, const bmf_frame *frame, bmf_value *x,
                     bmf_value *out);
/* General reductions and scans of placed lists, level by level over the batch (any operator, any type). */
bmf_evaluate_function evaluate_reduce, evaluate_scan;
/* Reductions by key, of {number of keys, list of {key, value}}. */
bmf_evaluate_function evaluate_by_key, evaluate_parallel_by_key;
bmf_evaluate_function evaluate_shift, evaluate_parallel_shift, evaluate_stencil, evaluate_parallel_stencil;
/* On distributed lists: parallel/. Collective. */
bmf_evaluate_function evaluate_parallel_split, evaluate_parallel_map, evaluate_parallel_reduce, evaluate_parallel_scan,
    evaluate_parallel_zip, evaluate_parallel_distl, evaluate_parallel_project, evaluate_parallel_index,
    evaluate_parallel_length, evaluate_parallel_blocks, evaluate_parallel_join, evaluate_parallel_transpose;

#endif

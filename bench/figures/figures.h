/* The figures of document 000, chapters 5 and 6, made again: its programs on its machines, what it says of every figure
 * and what is found. */
#ifndef BENCH_FIGURES_H
#define BENCH_FIGURES_H

#include "predict/network/graph/graph.h"
#include "runtime/base/output_file.h"
#include "runtime/trace/trace.h"

enum { FIGURE_TEXT = 200, FIGURE_PROCESSORS = 16 };

/* ---- programs.c ---- */

typedef enum figure_program {
    PROGRAM_SPLIT,
    PROGRAM_NESTED,
    PROGRAM_DISTL,
    PROGRAM_LARGE_DISTL,
    PROGRAM_REDUCE,
    PROGRAM_ZIP,
    PROGRAM_SCAN,
    PROGRAM_SCAN_LISTS,
    PROGRAM_REVERSAL,
    PROGRAM_RANDOM,
    PROGRAM_BROADCAST,
    FIGURE_PROGRAMS
} figure_program;

/* As the document prints it, with its brackets mended. */
const char *figure_program_text(figure_program program);
/* A predicted run; the caller frees it. Collective over one process, with MPI. Messages go to the process-wide slot. */
int figure_predict(figure_program program, const char *machine, bmf_trace_run **run);

/* ---- flights.c ---- */

typedef struct figure_flight {
    int64_t begin, end, bytes; /* of the send and of the receive, nanoseconds */
    int64_t taken;             /* when its receiver began to wait for it */
    int32_t from, to;
    uint32_t round;
} figure_flight;

typedef struct figure_flights {
    int64_t count;
    figure_flight *flight; /* by begin */
} figure_flights;

/* The messages of a call ("P_Scan") and of what it is made of; NULL: of the run. */
void figure_flights_find(const bmf_trace_run *run, const char *call, figure_flights *flights);
void figure_flights_free(figure_flights *flights);
/* Whether an event belongs to such a call. */
bool figure_is_in(const bmf_trace_run *run, const bmf_event *event, const char *call);
/* The most messages, or bytes, under way at once between two times. */
int64_t figure_peak(const figure_flights *flights, int64_t from, int64_t to, bool bytes);

/* ---- find.c: what the figures show; each writes at most FIGURE_TEXT bytes ---- */

typedef void figure_find(const bmf_trace_run *run, const char *call, char *found);

figure_find find_level_items, find_level_sizes, find_bursts, find_peak, find_starts, find_kernels, find_last_receiver,
    find_busy_bursts, find_last_of_first_level, find_stagger, find_nested, find_tree_load, find_mesh_load,
    find_tree_last_level, find_messages, find_gap;

/* ---- table.c ---- */

enum { PICTURE_GANTT = 1, PICTURE_SPACE_TIME = 2, PICTURE_TRAFFIC = 4, PICTURE_TREE = 8, PICTURE_MESH = 16 };

typedef struct bmf_figure {
    const char *number, *title;
    figure_program program;
    const char *machine;
    unsigned pictures;
    const char *what, *published;
    figure_find *find;
    const char *call;
    const char *remark; /* why it differs, or NULL */
} bmf_figure;

extern const bmf_figure figure_table[];
extern const int figure_count;

/* ---- picture.c: SVG ---- */

void picture_gantt(FILE *stream, const bmf_trace_run *run);
void picture_space_time(FILE *stream, const bmf_trace_run *run);
void picture_traffic(FILE *stream, const bmf_trace_run *run);
/* A frame for every level of the call: the messages of the level on the links of a topology. */
void picture_network(FILE *stream, const bmf_trace_run *run, const char *call, const char *topology);

#endif

/* The report: one self-contained HTML file about one run, or a measured and a predicted one side by side. */
#ifndef BMF_REPORT_H
#define BMF_REPORT_H

#include "predict/network/network.h"
#include "predict/report/compare.h"
#include "predict/report/intervals.h"
#include "runtime/trace/expected_length.h"

/* A point of a speed-up curve. */
typedef struct bmf_scaling {
    int64_t processors;
    double seconds, low, high;
    bool measured, in_domain;
} bmf_scaling;

/* Topologies that are laid under the runs: messages are shown on the links of their routes. */
typedef struct bmf_topology {
    char *name;
    struct bmf_graph *graph;
    bmf_network *network; /* which has the graph; NULL: it is the topology's own */
} bmf_topology;

typedef struct bmf_topologies {
    int count;
    bmf_topology *topology;
} bmf_topologies;

/* Adds what a text names: a topology of machine files ("mesh", "hypercube", ..) with at least that many processors, or
 * a machine with a network of type "graph". BMF_ERROR_FILE or BMF_ERROR_ARGUMENT. */
int topologies_add(bmf_topologies *all, const char *name, int64_t processors);
/* Adds the network of a machine, if it is a graph that has so many processors. */
void topologies_add_machine(bmf_topologies *all, const struct bmf_machine *machine, int64_t processors);
/* Adds those that everybody knows, for runs of a few processors; nothing for others. */
void topologies_add_usual(bmf_topologies *all, int64_t processors);
void topologies_free(bmf_topologies *all);

typedef struct bmf_report_contents {
    const char *title;
    int runs; /* 1 or 2; run 0 is drawn above run 1 */
    bmf_trace_run *run[2];
    bmf_intervals *intervals[2];
    const bmf_comparison *comparison; /* NULL with one run */
    int64_t loads[2];                 /* link loads, 0: none */
    const bmf_link_load *load[2];
    int64_t points; /* speed-up curve, 0: none */
    const bmf_scaling *scaling;
    const char *sources;              /* directory where the texts of places are besides; NULL: none */
    const bmf_topologies *topologies; /* NULL: none */
    bmf_expected_length expected[2];  /* of predicted runs (run_expect) */
} bmf_report_contents;

/* Writes the file; it appears whole or not at all. Everything shown is in the file: no network, no other file.
 * BMF_ERROR_FILE. */
int report_write(const bmf_report_contents *report, const char *path);

#endif

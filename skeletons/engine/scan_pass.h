/* The pass of a scan over this rank's elements. Private to skeletons. */
#ifndef BMF_SCAN_PASS_H
#define BMF_SCAN_PASS_H

#include "skeletons/engine/partials.h"
#include "bmf/skeletons.h"

typedef struct bmf_scan_pass {
    const bmf_source *source;
    const bmf_tree *tree;
    const bmf_partials *partials; /* with the prefix of every local part; NULL: the list is on one processor */
    bmf_scan_kind kind;
    const char *kernel; /* name in traces */
    bmf_list *out;      /* may be the source's list, which is then overwritten */
    bool in_place;
} bmf_scan_pass;

/* Reads the source and writes `out`. Same status on all ranks. */
int scan_pass(const bmf_scan_pass *pass);

#endif

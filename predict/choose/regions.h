/* What the parts of a program take on more and more processors: regions ($name functions) and calls.
 *
 * Times of one machine, for increasing numbers of processors; each part gets the equation
 *     t(p) = constant + divided / p + logarithmic log2(p) + linear p,   no coefficient below zero,
 * with as few terms as describe it. Nothing here is collective. */
#ifndef BMF_REGIONS_H
#define BMF_REGIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "runtime/trace/trace.h"

typedef enum bmf_region_term {
    BMF_REGION_CONSTANT,
    BMF_REGION_DIVIDED,     /* over p */
    BMF_REGION_LOGARITHMIC, /* times log2(p) */
    BMF_REGION_LINEAR,      /* times p */
    BMF_REGION_TERMS
} bmf_region_term;

typedef struct bmf_region {
    char *path;      /* "main/step/reduce plus", without "main/" */
    bool is_call;    /* of a skeleton or of MPI; otherwise a region of the program */
    bool has_parts;  /* others of the list are in it */
    double *seconds; /* by number of processors: the longest that a processor is in it, all its instances together; NAN:
                        it was not entered, or nothing is known */
    bool fitted;
    double coefficient[BMF_REGION_TERMS]; /* seconds */
    double deviation;                     /* the largest relative distance of the equation from a time */
} bmf_region;

typedef struct bmf_regions {
    int64_t numbers;
    int64_t *processors; /* increasing */
    double *whole;       /* seconds of the run; NAN: not known */
    int64_t count, capacity;
    bmf_region *region; /* in the order in which they were first entered */
} bmf_regions;

void regions_create(bmf_regions *regions, int64_t numbers, const int64_t *processors);
void regions_free(bmf_regions *regions);
/* Adds the run on processors[number], which is sorted if it was not. Calls inside of calls are left out. Errors of
 * intervals_create. */
int regions_add(bmf_regions *regions, int64_t number, bmf_trace_run *run);
/* Equations of all parts with times on three numbers of processors and more. */
void regions_fit(bmf_regions *regions);

/* The equation's time, and the part of it that does not fall with more processors. */
double region_time(const bmf_region *region, double processors);
double region_rest(const bmf_region *region, double processors);
/* Where the equation is least, from 1 on; INFINITY: it falls for ever. */
double region_least(const bmf_region *region);
/* "12 us + 3.4 ms / p + 20 us log2(p)"; returns text. */
const char *region_equation(const bmf_region *region, char *text, size_t size);
/* The part, of those without parts, whose time has most that does not fall, on the largest number of processors that is
 * known; -1: none. */
int64_t regions_worst(const bmf_regions *regions, int64_t *number);

#endif

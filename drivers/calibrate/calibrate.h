/* The parts of `bmf calibrate`. */
#ifndef BMF_DRIVERS_CALIBRATE_H
#define BMF_DRIVERS_CALIBRATE_H

#include <limits.h>

#include "predict/sheet/sheet.h"
#include "bmf/npy.h"
#include "drivers/calibrate/trial.h"
#include "drivers/command/number_list.h"

typedef struct bmf_calibrate_options {
    bmf_trial trial;
    bmf_number_list ranks, threads; /* that are run; none: as many ranks as cores, of one thread */
    bmf_number_list sizes;          /* of a command's {n}; of a program's argument found from the file */
    const char *output;
    const char *memory; /* a sheet that has the machine's memory; NULL: it is measured */
    int64_t repeats;    /* runs of every size; 0: until their median is known */
    int64_t max_spread; /* of the runs of one size, percent of their median */
    int64_t session;    /* 0: the only one; k > 0: the k-th, and those before it count as well */
    int64_t schedules;  /* seconds in which the algorithms of schedules are measured; 0: they are not */
    bool allow_noise;
} bmf_calibrate_options;

/* Runs with so many ranks and threads. */
typedef struct bmf_calibration_setting {
    bmf_trial trial;
    uint64_t key;      /* of the program, its argument and how it is started */
    int64_t runs;      /* of each size */
    double *computing; /* seconds of every run: sizes x most, a row for a size */
} bmf_calibration_setting;

/* What is learnt from: `runs` of each of `sizes` sizes, `repeats` in each of several sessions. */
typedef struct bmf_calibration {
    const bmf_calibrate_options *o;
    char rows[PATH_MAX];   /* the .npy file whose rows are learnt from: the argument, or what is made of it */
    bmf_npy_header header; /* of it */
    int sizes;
    double *size;
    int64_t repeats, most; /* most: of the runs that there may be */
    int settings;          /* those with equally many threads together, in increasing order */
    bmf_calibration_setting *setting;
    char *directory; /* with the runs' traces, which are kept until the machine file is there */
} bmf_calibration;

/* The trace of a run; path: PATH_MAX bytes. */
void calibration_trace(const bmf_calibration *c, const bmf_calibration_setting *s, int size, int64_t repeat,
                       char *path);

/* The numbers of ranks and threads that are asked for, or make sense. 0, or the exit code of bad usage. */
int calibration_settings(bmf_calibration *c);
/* Whether the median of every size is known well enough. */
bool calibration_settled(const bmf_calibration *c, const bmf_calibration_setting *s);
/* The kernels' sheets, OUTPUT.kernels and for more threads OUTPUT-THREADS.kernels, and the machine file, from all
 * traces. Refuses runs from which nothing can be
 * learnt, and removes those that are too far from the others, so that the next calibration repeats them. */
int calibration_learn(const bmf_calibration *c);

/* The path of a file beside the machine file: OUTPUT without .machine, and `ending`; path: PATH_MAX bytes. */
void calibration_beside(const char *output, const char *ending, char *path);

/* The table of costs by which runs on as many ranks as the trial has choose their algorithms, measured in so many
 * seconds unless this host's cache has it and it is right; a copy is written to `path`. */
int schedules_table(const bmf_trial *trial, int64_t seconds, const char *path);
/* Whether a kept file is so new that it need not be looked at again. */
bool measured_lately(const char *path);
/* A sheet of what messages cost on this host, measured once and kept in the user's cache directory; a copy is written
 * to `path`. */
int messages_sheet(const bmf_trial *trial, const char *directory, const char *path);
/* The same of what its memory is like, for as many ranks as the trial has; the caller frees it. */
int memory_sheet(const bmf_trial *trial, const char *directory, bmf_sheet **sheet);

#endif

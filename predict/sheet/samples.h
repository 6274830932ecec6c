/* RAW files: every repetition of every timing of one measurement, as text.
 *
 * One fact per line, words separated by single spaces, no quoting; only the last word of a header line may hold spaces:
 *
 *     bmf samples 1
 *     machine node7, 2 x 8 cores, MPICH 4.0.2
 *     date 2026-11-20T12:00:00Z
 *     version 0.1.0
 *     mpi MPICH 4.0.2
 *     ranks 4
 *     threads 2
 *     cores 16
 *     tick 1e-09
 *     clock barrier
 *     options --max-elements 65536 --repeats 10
 *     units seconds
 *     sample bcast collective p 4 d 1024 bytes 8 threads 1 fresh 3 1.25e-05 1.21e-05 1.3e-05
 *     skip allsend needs at least 4 ranks
 *     complete 1
 *
 * The header lines have this order; then come sample and skip lines in any order; `complete N` with the number of
 * sample lines is the last one. A file without it was interrupted: everything up to its last whole line counts, and
 * samples_resume goes on behind it. Lines that start with # and empty lines are skipped.
 *
 * Only one process reads and writes a file; nothing here is collective and nothing needs MPI. Messages go to the
 * process-wide slot (ctx NULL) and name file and line.
 */
#ifndef BMF_SAMPLES_H
#define BMF_SAMPLES_H

#include <stdbool.h>
#include <stdint.h>

enum {
    BMF_SAMPLE_NAME = 48,         /* bytes of an operation's name with its final 0 */
    BMF_SAMPLE_TEXT = 256,        /* bytes of a header text or of a reason with its final 0 */
    BMF_SAMPLE_REPEATS = 1 << 16, /* the most repetitions of one sample */
};

/* What an operation is; decides under which heading a sheet lists it, not how it is fitted (the data do). */
typedef enum bmf_family {
    BMF_FAMILY_PAIR,       /* "point-to-point": two processes; d varies */
    BMF_FAMILY_LINK,       /* "links": messages that follow each other; p and d vary */
    BMF_FAMILY_COLLECTIVE, /* "collective": p and d vary; also congested pairs */
    BMF_FAMILY_BARRIER,    /* "barrier": only p varies (comm_split too); d is 0 */
    BMF_FAMILY_SKELETON,   /* "skeleton": a bmf skeleton or permutation round; p and d vary */
    BMF_FAMILY_LOCAL,      /* "local": work of one process, p is 1 (or the threads that share it); d varies */
    BMF_FAMILY_THREADS,    /* "threads": an OpenMP construct; p is the number of threads */
    BMF_FAMILY_FILE,       /* "file": parallel reading and writing; p and d vary */
    BMF_FAMILY_MEMORY      /* "memory": one level of the memory after the other; p cores at once, d words each */
} bmf_family;
enum { BMF_FAMILIES = BMF_FAMILY_MEMORY + 1 };

/* The word of the file, static storage. */
const char *family_name(bmf_family family);
/* Whether there is such a word. */
bool family_find(const char *name, bmf_family *family);

/* The repetitions of one operation at one point (p, d).
 *
 * d is in elements: for collectives the count argument of the MPI call (for the v variants the mean count of a
 * process), for pairs the elements of a message, for skeletons, local work and files the elements *per process*, so
 * that a cost that falls on every process is linear in d at every p. 0 where there is no size. Within one file an
 * operation has one family, element size and number of threads (but for BMF_FAMILY_THREADS); give variants names of
 * their own (reduce.struct24, map.2t). Fresh and cached buffers are two series of one name: the sheet calls the cached
 * one NAME:cached. A name has letters, digits, '_', '-' and '.', and starts with a letter. */
typedef struct bmf_sample {
    char operation[BMF_SAMPLE_NAME];
    bmf_family family;
    bool cached;           /* buffers used before; fresh ones otherwise */
    int32_t p;             /* processes in the group, >= 1; of threads for BMF_FAMILY_THREADS */
    int64_t d;             /* elements, >= 0 */
    int32_t element_bytes; /* >= 1; 1 where there is no size */
    int32_t threads;       /* per process, >= 1 */
    int32_t repeats;       /* >= 1 */
    double *seconds;       /* repeats members, each finite and >= 0, in the order of measuring */
} bmf_sample;

/* An operation that was asked for and not measured. */
typedef struct bmf_skip {
    char operation[BMF_SAMPLE_NAME];
    char reason[BMF_SAMPLE_TEXT];
} bmf_skip;

typedef struct bmf_samples_header {
    char machine[BMF_SAMPLE_TEXT]; /* texts: one line, not empty */
    char date[BMF_SAMPLE_TEXT];    /* start of the measurement, ISO 8601, UTC */
    char version[BMF_SAMPLE_TEXT]; /* of bmf */
    char mpi[BMF_SAMPLE_TEXT];     /* library and version */
    int32_t ranks, threads, cores; /* of the run; cores that the ranks of one host share */
    double tick_seconds;           /* resolution of the clock, > 0 */
    char clock[BMF_SAMPLE_TEXT];   /* how repetitions start: "barrier" or "agreed" */
    char options[BMF_SAMPLE_TEXT]; /* what decides the points measured; must be the same to resume */
} bmf_samples_header;

typedef struct bmf_samples {
    bmf_samples_header header;
    int64_t count, skips;
    bmf_sample *sample;
    bmf_skip *skip;
    bool complete;
} bmf_samples;

/* Reads and validates a file: every line, then that no (operation, cached, p, d) stands in it twice.
 * partial: a file without its last line is fine, and a torn last line (no newline) is left out; otherwise both are
 * errors. The caller frees *samples with samples_free. BMF_ERROR_FILE. */
int samples_read(const char *path, bool partial, bmf_samples **samples);
/* NULL is fine. */
void samples_free(bmf_samples *samples);
/* The sample of that point, or NULL. */
const bmf_sample *samples_find(const bmf_samples *samples, const char *operation, bool cached, int32_t p, int64_t d);

/* A file being written. Every line is flushed to the file as soon as it is appended, so that nothing is lost when the
 * process dies. */
typedef struct bmf_samples_file bmf_samples_file;

/* Starts a file with its header; one that is there is replaced. */
int samples_create(const char *path, const bmf_samples_header *header, bmf_samples_file **file);
/* Opens an interrupted file to go on: cuts off a torn last line, returns what it holds in *samples (the caller frees)
 * and a file that appends behind it. All but date and tick of the header must agree with the file's. A complete file
 * is not opened: *file is NULL then, with BMF_OK. */
int samples_resume(const char *path, const bmf_samples_header *header, bmf_samples **samples, bmf_samples_file **file);
/* Appends one sample. Refuses with BMF_ERROR_ARGUMENT what samples_read would refuse. */
int samples_append(bmf_samples_file *file, const bmf_sample *sample);
/* Appends an operation that is left out, and why. */
int samples_skip(bmf_samples_file *file, const char *operation, const char *reason);
/* complete: writes the last line. Closes and frees in any case; NULL is fine. */
int samples_close(bmf_samples_file *file, bool complete);

#endif

/* What `bmf doctor` looks at: one check, one finding. */
#ifndef BMF_DOCTOR_CHECKS_H
#define BMF_DOCTOR_CHECKS_H

#include <sched.h>
#include <stdint.h>

typedef enum bmf_verdict { BMF_FINE, BMF_SLOW, BMF_WRONG } bmf_verdict;

enum { BMF_FOUND_TEXT = 256 };

typedef struct bmf_finding {
    const char *subject;
    bmf_verdict verdict;
    char found[BMF_FOUND_TEXT], remedy[BMF_FOUND_TEXT]; /* remedy: "" if it is fine */
} bmf_finding;

/* What checks know of the processes, as rank 0 sees them. */
typedef struct bmf_examination {
    const char *root;             /* where /proc and /sys are: "" for those of this system */
    int ranks;                    /* of the program */
    int here, cores;              /* ranks on this host, and cores that they may use together */
    int threads;                  /* of a rank */
    int own_cores;                /* cores that this rank may use */
    int64_t memory, memory_limit; /* bytes of the host; that processes may have */
} bmf_examination;

/* Looks, and says what it found. The subject is set; the verdict is fine until the check says otherwise. */
typedef void bmf_check(const bmf_examination *e, bmf_finding *f);

/* Processes (processes.c). */
bmf_check check_library, check_mpirun, check_job, check_cores, check_binding, check_wait_policy, check_transports,
    check_variables;
/* The host (host.c). */
bmf_check check_clock, check_frequency, check_huge_pages, check_direct_copies, check_memory, check_directory;

void fine(bmf_finding *f, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* What was found; how to mend it. */
void slow(bmf_finding *f, const char *remedy, const char *format, ...) __attribute__((format(printf, 3, 4)));
void wrong(bmf_finding *f, const char *remedy, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif

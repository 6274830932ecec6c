/* The memory hierarchy of a machine: seconds for a byte, by how much memory is in use.
 *
 * A curve is made of plateaus with smooth steps between them, t(f) = level 0 + sum of rises k / (1 + (step k / f)^(1 /
 * width k)), because a working set leaves a cache little by little. No rise is below zero. There is a curve for every
 * way of access and number of cores that work at once; they share caches and memory.
 *
 * Source: the plateaus of the working-set experiments of Saavedra and Smith, "Measuring cache and TLB performance and
 * their effect on benchmark runtimes", IEEE Transactions on Computers 44 (1995); the smooth steps and the fit are ours.
 */
#ifndef BMF_MEMORY_CURVE_H
#define BMF_MEMORY_CURVE_H

#include <stdbool.h>
#include <stdint.h>

/* Name in enums, word of sheets, operation whose samples make it. */
/* clang-format off */
#define BMF_MEMORY_ACCESSES(X)                                                          \
    X(READ, "read", "memory_read")       /* one byte behind the other */                \
    X(WRITE, "write", "memory_write")                                                   \
    X(RANDOM, "random", "memory_random") /* words from anywhere, several at a time */   \
    X(CHASE, "chase", "memory_chase")    /* each tells where the next one is */         \
    X(TOUCH, "touch", "memory_touch")    /* first writes, in huge pages if allowed */   \
    X(FAULT, "fault", "memory_fault")    /* first writes, in small pages */
/* clang-format on */

typedef enum bmf_memory_access {
#define BMF_MEMORY_NAME(name, word, operation) BMF_MEMORY_##name,
    BMF_MEMORY_ACCESSES(BMF_MEMORY_NAME)
#undef BMF_MEMORY_NAME
        BMF_MEMORY_ACCESS_COUNT
} bmf_memory_access;

enum { BMF_MEMORY_STEPS = 4, BMF_MEMORY_HUGE_PAGE = 2 << 20 };

typedef struct bmf_memory_curve {
    bmf_memory_access access;
    int32_t p;                     /* cores at once */
    double low, high;              /* bytes of a core that were measured */
    int steps;                     /* between steps + 1 plateaus */
    double level;                  /* seconds for a byte on the first plateau */
    double rise[BMF_MEMORY_STEPS]; /* above the plateau before, >= 0 */
    double step[BMF_MEMORY_STEPS]; /* bytes, increasing: where half of it is reached */
    double width[BMF_MEMORY_STEPS];
    double error; /* root mean square of curve / typical time - 1 */
} bmf_memory_curve;

/* All curves of a machine, ordered by access, then p. */
typedef struct bmf_memory {
    int64_t curves;
    bmf_memory_curve *curve;
} bmf_memory;

const char *memory_access_word(bmf_memory_access access);
const char *memory_access_operation(bmf_memory_access access);
bool memory_access_find(const char *word, bmf_memory_access *access);

/* Seconds for a byte when `bytes` are in use; beyond what was measured the last plateau. */
double memory_curve_at(const bmf_memory_curve *curve, double bytes);
/* The same for p cores: as a power of p between two measured numbers of cores, and beyond the most as from one core to
 * the most, but with as many bytes a second in all at least. 0 if the machine has no curve of that access. */
double memory_seconds(const bmf_memory *memory, bmf_memory_access access, double p, double bytes);

/* One size: bytes in use, and the typical seconds for one of them. */
typedef struct bmf_memory_point {
    double bytes, seconds;
} bmf_memory_point;

/* Fits a curve to count >= 2 points in the order of their bytes. The number of steps is where the Bayesian information
 * criterion is least; the rises are found by least squares of the relative errors, none below zero, for every place
 * and width of the steps that is tried: places are added one by one where they help most, then all are moved. Cost:
 * some ten thousand systems of at most 5 unknowns. */
void memory_curve_fit(int64_t count, const bmf_memory_point *point, bmf_memory_curve *curve);

#endif

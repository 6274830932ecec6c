/* Cormen's 1-permutable sets (document 003, 4.1 and 4.2): D = 2^d records of a BMMC permutation, one on every device
 * and one for every device. A device is a processor, or a cluster of them, that handles one record at a time; its
 * number is the d address bits from bit `first` on: first = 0 as for striped disks (4.1), first = n - d as for
 * processors with contiguous memories (4.2) and for clusters of those (4.4).
 *
 * N / D sets, made from one by exclusive or, cover every record once: the schedule.
 */
#ifndef BMF_ONE_PERMUTABLE_H
#define BMF_ONE_PERMUTABLE_H

#include "bmf/permutation.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bmf_one_permutable {
    int bits, first, device_bits;
    uint64_t s, t, u, v;             /* the document's sets of columns, column j as bit j */
    int s_column[BMF_MAX_BITS];      /* the columns of S in the order of Q: U's first, each part increasing */
    bmf_bit_matrix q, q_inverse;     /* d x d: the device rows of the columns of S */
    uint64_t t_column[BMF_MAX_BITS]; /* Q^-1 times the device rows of T's columns, T increasing */
    uint64_t complement;             /* the device bits of c */
} bmf_one_permutable;

/* The set of basis columns: d columns whose rows [first, first + d) are independent, found from the left as Wisniewski
 * does (document 003, 4.3). Returns them as a set, column j as bit j. n d word operations. */
uint64_t device_basis_columns(const bmf_bit_matrix *a, int first, int device_bits);

/* Finds the sets for devices numbered by address bits [first, first + device_bits); that must be inside the address. */
void one_permutable_make(const bmf_permutation *p, int first, int device_bits, bmf_one_permutable *set);

/* The permutation R of device numbers: the bits of i that U names, then those that T names. */
uint64_t one_permutable_r(const bmf_one_permutable *set, uint64_t i);

/* Source address of record i of set j: x(i) xor p(j), 0 <= i < 2^d, 0 <= j < 2^(n - d). */
uint64_t one_permutable_source(const bmf_one_permutable *set, uint64_t i, uint64_t j);

#ifdef __cplusplus
}
#endif
#endif

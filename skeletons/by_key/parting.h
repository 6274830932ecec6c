/* Elements parted by the bands of their keys (cut.h); private to skeletons/by_key.
 *
 * A parting is a run of elements of one part. Its elements are written to columns of their own, band by band and in a
 * band in their order: keys as numbers inside of their bands, and the leaves of the values. */
#ifndef BMF_BY_KEY_PARTING_H
#define BMF_BY_KEY_PARTING_H

#include "skeletons/by_key/cut.h"
#include "skeletons/by_key/tables.h"

/* The elements of a band. */
typedef struct bmf_band {
    int64_t band;
    int64_t begin, count; /* elements, in the columns of all partings */
} bmf_band;

typedef struct bmf_parting {
    int64_t part;
    int64_t begin, end; /* numbers of elements */
    const bmf_key_cut *cut;
    bmf_band *band; /* those that have elements */
    int64_t bands;
    uint64_t *order; /* of partings with more bands than elements: {band, element}, sorted; otherwise NULL */
} bmf_parting;

typedef struct bmf_parted {
    const bmf_by_key *by;
    bmf_parting *parting; /* ascending by elements */
    int64_t partings, elements;
    int key_bytes;
    bmf_buffer *keys, *leaf[BMF_MAX_LEAVES];
    bmf_slice value[BMF_MAX_LEAVES]; /* of the leaves' columns */
    struct bmf_parted_work *work;
} bmf_parted;

/* Looks where the elements of the given partings belong: their bands, and columns for them. All cuts have the same
 * key_bytes. One kernel call, of the number `round`; BMF_OK or its failure. *bad becomes the number of the first
 * element whose key is out of range, if there is one before it (-1: none yet); its parting then means nothing. */
int parted_open(bmf_parted *parted, const bmf_by_key *by, int64_t partings, bmf_parting *parting, uint32_t round,
                int64_t *bad);
/* Writes them; the same again. */
int parted_fill(bmf_parted *parted, uint32_t round);
void parted_close(bmf_parted *parted);

/* The bands [begin, end) of a parting, as numbers in parting->band: *first up to the result. */
int64_t parting_bands(const bmf_parting *parting, int64_t begin, int64_t end, int64_t *first);

#endif

/* Random lists for the property tests, and comparing lists with whole arrays of records.
 *
 * Every rank draws from an equal state and holds all records, so that each can build and check its own part without
 * any of the functions under test. All functions that take a context are collective.
 */
#ifndef BMF_TEST_SHAPES_H
#define BMF_TEST_SHAPES_H

#include "bmf.h"

enum { TEST_MACHINES = 6 };

/* The k-th number of processors to try, 0 <= k < TEST_MACHINES: 1, 2, 3, R, 2 R + 1, 16. */
int64_t test_processors(const bmf_context *ctx, int k);

/* A length: 0 .. P + 1, powers of two and their neighbours, a few thousand; up to 200000 if `large` (seldom). */
int64_t test_length(uint64_t *state, int64_t processors, bool large);

/* A random partition of n elements: placed, even, one level of any stride, or two levels; even or ragged parts. */
bmf_partition *test_partition(bmf_context *ctx, uint64_t *state, int64_t n);

/* A list of the given records; NULL (and a failed check) if it could not be made. */
bmf_list *test_list(bmf_context *ctx, const bmf_type *type, bmf_partition *partition, const void *records);

/* Checks that the list is sound, has the parts `partition` (unless NULL) and holds exactly these n records. */
void test_equal(const bmf_list *list, const bmf_partition *partition, int64_t n, const void *records, const char *what);

/* Whether two records have the same leaves, bit by bit (padding may differ). */
bool test_same_record(const bmf_type *type, const void *a, const void *b);

/* Checks that all ranks have this status, and the same message, which contains `part`. */
void test_refused(const bmf_context *ctx, int status, int expected, const char *part, const char *what);

#endif

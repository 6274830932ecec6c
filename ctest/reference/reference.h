/* The serial reference: what every computing skeleton means, written so that it is obviously right.
 *
 * Data are whole arrays of records (C structs, `size` bytes each) on every rank; functions work on one element. No
 * columns, parts, blocks or messages: the only thing shared with the library is the record. Cost: reference_tree_scan
 * n log n combinations, the others n.
 */
#ifndef BMF_REFERENCE_H
#define BMF_REFERENCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* y = f(x) and y = a op b; y is never the memory of an argument. */
typedef void reference_unary(const void *x, void *y);
typedef void reference_binary(const void *a, const void *b, void *y);
typedef bool reference_predicate(const void *x);

void reference_map(reference_unary *f, int64_t n, const void *x, size_t x_size, void *y, size_t y_size);
void reference_zip(reference_binary *f, int64_t n, const void *a, size_t a_size, const void *b, size_t b_size, void *y,
                   size_t y_size);
/* Copies the records for which the predicate holds, in order, to y; returns their number. */
int64_t reference_filter(reference_predicate *holds, int64_t n, const void *x, size_t size, void *y);

/* ((x[0] op x[1]) op x[2]) .. into y; n >= 1. */
void reference_fold(reference_binary *op, int64_t n, const void *x, size_t size, void *y);
/* y[i] = the fold of x[0..i]; with an identity (exclusive) y[0] = identity, y[i] = the fold of x[0..i). */
void reference_scan(reference_binary *op, int64_t n, const void *x, size_t size, const void *identity, void *y);

/* The same by the fixed tree of docs/reproducible.md. Node (k, j) covers the elements [j 2^k, (j + 1) 2^k); its value
 * is x[j] for k = 0 and value(k-1, 2j) op value(k-1, 2j+1) otherwise. A prefix of m elements is the fold from the left
 * of its complete nodes, one per binary digit of m, largest first. */
void reference_tree_fold(reference_binary *op, int64_t n, const void *x, size_t size, void *y);
void reference_tree_scan(reference_binary *op, int64_t n, const void *x, size_t size, const void *identity, void *y);
/* The reduction of the same page by an operator that commutes. Pairs of a sequence: x[0] op x[1], x[2] op x[3], .., an
 * odd one as it is; of these again, until one is left. A block of up to 64 elements has rows of 8: the pairs of every
 * column, from the top, are the sequence whose pairs are the block's value. The values of complete blocks go by the
 * tree; that of an incomplete one is last. */
void reference_column_fold(reference_binary *op, int64_t n, const void *x, size_t size, void *y);

#endif

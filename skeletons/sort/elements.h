/* Records of a column's elements, and back. Private to skeletons. */
#ifndef BMF_SORT_ELEMENTS_H
#define BMF_SORT_ELEMENTS_H

#include "skeletons/sort/order.h"
#include "skeletons/sort/records.h"

/* What the words behind keys are: records of elements alone have none. */
typedef enum bmf_numbering {
    BMF_NUMBERS_NONE,  /* elements are to be sorted */
    BMF_NUMBERS_ALL,   /* numbers of elements, on from `first` */
    BMF_NUMBERS_INSIDE /* those inside of segments, from 0 on */
} bmf_numbering;

/* Makes the records in room 0 of the column's elements; all segments' `where` is 0. Numbers take two words a record,
 * and let all NaN be equal. */
int records_make(bmf_records *records, const bmf_column *column, bmf_numbering numbering, int64_t first);
/* The elements of the records, or their numbers, as ints, one behind the other. */
int records_read(bmf_records *records, const bmf_type *type, bmf_numbering numbering, void *to);

#endif

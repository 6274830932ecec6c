/* Types, as the library itself sees them. */
#ifndef BMF_DATA_TYPE_H
#define BMF_DATA_TYPE_H

#include "bmf/type.h"

/* The only type of a kind: that of scalars and of nothing; NULL for the other kinds. */
const bmf_type *type_of_kind(bmf_type_kind kind);

#endif

/* Types, as the library itself sees them. */
#ifndef BMF_DATA_TYPE_H
#define BMF_DATA_TYPE_H

#include "bmf/type.h"

/* The only type of a kind: that of scalars and of nothing; NULL for the other kinds. */
const bmf_type *type_of_kind(bmf_type_kind kind);

/* A record is a tuple whose components have names, its fields: "x,y". Records are for texts, files and the type checker
 * of the language; columns and what runs have tuples without names. A field has 1 to FIELD_BYTES - 1 letters, digits
 * and _. */
enum { FIELD_BYTES = 40 };

/* The tuple with these names of its components. Interned. */
const bmf_type *type_with_fields(const bmf_type *tuple, const char *fields);
/* The type without any names of components, and without grids, also inside. Interned, as the type must be. */
const bmf_type *type_without_fields(const bmf_type *type);
/* Where name k of these begins, and its bytes; NULL: there is none. */
const char *field_in(const char *fields, int k, int *size);
/* The place of a name among them, from 0 on, or -1. */
int field_find(const char *fields, const char *name, int64_t size);

/* A distributed list of the blocks of a grid knows how many there are in each dimension, as a record knows its fields:
 * for texts and the type checker. 0: nobody knows before the program runs. */
enum { TYPE_DIMENSIONS = 3 };

/* The distributed list as blocks of a grid of 2 or more dimensions. Interned. */
const bmf_type *type_with_grid(const bmf_type *distributed, int dimensions, const int64_t *blocks);
/* The grid of a distributed list: how many dimensions, 0: none; and its blocks. */
int type_grid(const bmf_type *type, int64_t blocks[TYPE_DIMENSIONS]);
/* Distributed lists of these elements, on the grid that another has. Interned. */
const bmf_type *type_on_grid_of(const bmf_type *distributed, const bmf_type *element);

#endif

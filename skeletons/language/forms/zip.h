/* Whose grid the pairs of two distributed lists are on: number[0] of a typed B_Zip. */
#ifndef BMF_LANGUAGE_FORMS_ZIP_H
#define BMF_LANGUAGE_FORMS_ZIP_H

enum {
    BMF_ZIP_FIRST_GRID, /* that of the first list, or none */
    BMF_ZIP_SECOND_GRID,
    BMF_ZIP_GRIDS /* of both, which must be the same */
};

#endif

/* The forms of the language, one line each: X(KIND, file). BMF_EXPRESSION_KIND is its kind, forms/file.c holds its
 * descriptor (form.h), bmf_form_file. A new form is its file and its line, that of a skeleton in BMF_SKELETON_FORMS. */
#ifndef BMF_LANGUAGE_FORMS_LIST_H
#define BMF_LANGUAGE_FORMS_LIST_H

#include "skeletons/skeleton_types.h"

#define BMF_FORMS(X)                                                                                                   \
    X(NAME, name)                                                                                                      \
    X(ID, identity)                                                                                                    \
    X(COMP, composition)                                                                                               \
    X(CON, constant)                                                                                                   \
    X(ALLTUP, tuple)                                                                                                   \
    X(ALLVEC, vector)                                                                                                  \
    X(OP, operation)                                                                                                   \
    X(ADDR, component)                                                                                                 \
    X(RECORD, record)                                                                                                  \
    X(FIELD, field)                                                                                                    \
    X(WITH, update)                                                                                                    \
    BMF_SKELETON_FORMS(X)                                                                                              \
    X(RING, ring)                                                                                                      \
    X(IF, choice)                                                                                                      \
    X(WHILE, loop)                                                                                                     \
    /* made by the checker and the rewriter, never written */                                                          \
    X(CONVERT, conversion)                                                                                             \
    X(SCALAR, kernel)                                                                                                  \
    X(STREAM, stream)                                                                                                  \
    X(STREAMS, streams)

#endif

/* Types as programs write them: int, real, bool, [type], {type, ..}, {x: type, ..}, and _ for any, which is the type
 * nothing. */
#ifndef BMF_LANGUAGE_TYPE_PARSE_H
#define BMF_LANGUAGE_TYPE_PARSE_H

#include "bmf/type.h"
#include "skeletons/language/front/text.h"

/* Parses the type that begins at a place of a text, in the core or in the notation; *end: behind it. NULL after a
 * message that points at the place, with BMF_ERROR_USAGE. The type is interned. Not collective. */
const bmf_type *type_parse(bmf_context *ctx, const bmf_texts *texts, int text, int64_t at, int64_t *end);

/* A type as it is written. The caller frees it. */
char *type_print(const bmf_type *type);

#endif

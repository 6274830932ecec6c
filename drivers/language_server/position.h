/* Places in texts as the language server protocol says them: lines from 0, columns of UTF-16 units; and names of files
 * as URIs. */
#ifndef BMF_LANGUAGE_SERVER_POSITION_H
#define BMF_LANGUAGE_SERVER_POSITION_H

#include <jansson.h>
#include <stdint.h>

#include "skeletons/language/front/text.h"

/* {"line": .., "character": ..} of a byte. */
json_t *position_of(const bmf_text *text, int64_t at);
/* {"start": .., "end": ..} */
json_t *position_range(const bmf_text *text, bmf_span span);
/* The byte of a position; beyond the end of a line or of the text, the end. -1: this is no position. */
int64_t position_byte(const char *bytes, int64_t size, const json_t *position);

/* The path of a file URI; NULL: it is none. The caller frees it. */
char *uri_path(const char *uri);
/* The URI of a path, absolute if there is such a file. The caller frees it. */
char *uri_of(const char *path);

#endif

/* What the server answers about one text. All return a new JSON value, null if there is nothing to say. */
#ifndef BMF_LANGUAGE_SERVER_FEATURES_H
#define BMF_LANGUAGE_SERVER_FEATURES_H

#include "drivers/language_server/inspection.h"

/* What stands at byte `at`, with its type, as Markdown. */
json_t *feature_hover(const inspection *of, int64_t at);
/* Where the name at byte `at` is bound or defined; uri: of the text. */
json_t *feature_definition(const inspection *of, const char *uri, int64_t at);
/* All places of the text where the name at byte `at` stands with the same meaning; with or without the one that binds
 * or defines it. */
json_t *feature_references(const inspection *of, const char *uri, int64_t at, bool declaration);
/* The same as highlights. */
json_t *feature_highlights(const inspection *of, int64_t at);
/* The name at byte `at`, if it can get another. */
json_t *feature_rename_range(const inspection *of, int64_t at);
/* The edits that give it the name; libraries: of the text. why, which begins empty: the reason if it cannot have it. */
json_t *feature_rename(const inspection *of, const char *uri, int64_t at, const char *name,
                       const bmf_strings *libraries, char *why, size_t size);
/* The definitions and main. */
json_t *feature_symbols(const inspection *of);
/* All names and words that could stand somewhere in the text. */
json_t *feature_completion(const inspection *of);
/* The edit that formats the text; none if it does not parse, or is formatted. */
json_t *feature_formatting(const inspection *of);

/* The core name ($name) at a byte, without the $, in the arena; NULL: there is none. */
const char *feature_core_name(const inspection *of, int64_t at, bmf_span *span);

#endif

/* Converters: traces in the formats that other tools read.
 *
 * Every converter takes a whole trace (one or two runs) and writes one file, or a few whose names start alike. The
 * measured run is process, application or container 1, the predicted run 2. Every event carries its structural id
 * (bmf_convert_id), equal for the same event of both runs. Layouts and mappings: docs/trace-format.md.
 */
#ifndef BMF_CONVERT_H
#define BMF_CONVERT_H

#include <stdbool.h>

#include "runtime/trace/trace.h"

/* Writes `trace` to `path`. Files appear whole or not at all. Not collective; ctx (may be NULL) takes the message.
 * Errors: BMF_ERROR_FILE, BMF_ERROR_MEMORY. The trace's runs are sorted (as bmf_trace_read leaves them). */
typedef int bmf_converter(bmf_context *ctx, const bmf_trace *trace, const char *path);

bmf_converter convert_picl, convert_chrome, convert_perfetto, convert_paje, convert_prv, convert_otf2, convert_csv,
    convert_svg;

typedef struct bmf_format {
    const char *name;      /* as on the command line */
    const char *extension; /* usual ending of its files, without the dot; "" for a folder */
    bool streams;          /* may go to standard output, path "-" */
    bmf_converter *convert;
    const char *about; /* a few words for help texts */
} bmf_format;

/* All formats, ended by one with name NULL. */
extern const bmf_format formats[];
/* NULL if there is none of this name. */
const bmf_format *format_find(const char *name);

#endif

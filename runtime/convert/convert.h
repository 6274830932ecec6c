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

/* All formats: name, as on the command line; usual ending of its files; whether it may go to standard output; a few
 * words for help texts. A new format is its file NAME.c with convert_NAME, and its line here. */
/* clang-format off */
#define BMF_FORMATS(X)                                                              \
    X(picl, "trf", false, "PICL, new record format, for ParaGraph")                 \
    X(chrome, "json", true, "Chrome trace events, for chrome://tracing and Perfetto") \
    X(perfetto, "pftrace", true, "Perfetto protobuf, for big traces")               \
    X(paje, "paje", true, "Paje, for PajeNG and ViTE")                              \
    X(prv, "prv", false, "Paraver, with its .pcf and .row")                         \
    X(otf2, "", false, "an OTF2 archive, for Vampir, Scalasca, otf2-print")         \
    X(csv, "csv", true, "comma separated values, for spreadsheets and scripts")     \
    X(hase, "trace", true, "states of processors, as document 001 compares them")   \
    X(ti, "", false, "time-independent traces for SimGrid's smpirun -replay, of recorded MPI programs") \
    X(svg, "svg", true, "a picture: one line per processor, with messages")
/* clang-format on */

#define BMF_FORMAT_DECLARATION(name, extension, streams, about) bmf_converter convert_##name;
BMF_FORMATS(BMF_FORMAT_DECLARATION)
#undef BMF_FORMAT_DECLARATION

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

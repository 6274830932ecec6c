/* Traces from foreign formats. Each reader makes a trace with one measured run; what is wrong is said with the line. */
#ifndef BMF_IMPORT_H
#define BMF_IMPORT_H

#include <stdio.h>

#include "runtime/trace/trace.h"

/* Errors: BMF_ERROR_FILE, with file and line. The caller frees the run. */
typedef int bmf_importer(FILE *stream, const char *path, bmf_trace_run **run);

/* Name, as on the command line, and a few words. A new format is its file read_NAME.c with import_NAME, and its
 * line. */
#define BMF_IMPORTS(X)                                                                                                 \
    X(hase, "states of processors ($types, $bars, $events), document 001, 2.4.2")                                      \
    X(alog, "Upshot's ALOG, document 001, 2.4.1")

#define BMF_IMPORT_DECLARATION(name, about) bmf_importer import_##name;
BMF_IMPORTS(BMF_IMPORT_DECLARATION)
#undef BMF_IMPORT_DECLARATION

typedef struct bmf_import {
    const char *name, *about;
    bmf_importer *read;
} bmf_import;
/* Ended by one with name NULL. */
extern const bmf_import imports[];

/* Reads a file. */
int trace_import(const bmf_import *format, const char *path, bmf_trace **trace);

/* For readers: states of processors as they come, each until the next of its processor. A run is made of them. */
typedef struct bmf_state_log bmf_state_log;
bmf_state_log *state_log_create(void);
/* The processor is in this state from then on; text NULL: in none. Times of a processor must not decrease: false. */
bool state_log_enter(bmf_state_log *log, int32_t processor, int64_t time, const char *text);
/* The run, freeing the log. processors: at least so many lanes. */
bmf_trace_run *state_log_finish(bmf_state_log *log, const char *program, int32_t processors);

/* A number of seconds or of any unit, as nanoseconds: digits without loss. False: it is none, or too large. */
bool read_time(const char *text, double unit_ns, int64_t *nanoseconds);

#endif

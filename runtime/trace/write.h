/* What both writers of trace files share; private to runtime/trace. */
#ifndef BMF_TRACE_WRITE_H
#define BMF_TRACE_WRITE_H

#include "runtime/base/output_file.h"
#include "runtime/trace/format.h"

int64_t trace_text_bytes(const bmf_trace_run *run);
trace_run_header trace_header_of(const bmf_trace_run *run);

/* These return the errno of a failure, or 0. */
int trace_write_at(int file, const void *data, int64_t bytes, int64_t offset);
/* Everything of a run but its events, and what recorded programs have besides. */
int trace_write_tables(int file, const bmf_trace_run *run, const trace_run_header *header, const trace_layout *at);
/* Gives the file its full length at once, so that a full disk and sections nobody writes are settled early. */
int trace_write_headers(int file, const trace_run_header *header, const trace_counts *counts, uint32_t runs,
                        int64_t file_bytes);

/* The length of what a recorded program has besides, 0: it is none; and writing it. */
int64_t trace_recorded_bytes(const bmf_trace_run *run);
int trace_write_recorded(int file, const bmf_trace_run *run, int64_t offset);

/* These return a status. */
int trace_fail_write(bmf_context *ctx, const char *path, int failure);
/* Opens a file for a trace; devices and pipes cannot be written to in any order. */
int trace_open_output(bmf_context *ctx, const char *path, bmf_output_file *output);

#endif

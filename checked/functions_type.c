/* The functions of bmf/type.h and bmf/trace.h. */
#include "bmf/trace.h"
#include "checked/checked.h"

/* clang-format off */

VALUE_FUNCTION(const bmf_type *, bmf_type_intern, (const bmf_type *type), (type),
               BMF_ANY_THREAD, TYPE(type))
VALUE_FUNCTION(const bmf_type *, bmf_type_tuple, (int components, const bmf_type *const *component),
               (components, component),
               BMF_ANY_THREAD, RANGE(components, 1, BMF_MAX_LEAVES), MEMORY(component))
VALUE_FUNCTION(const bmf_type *, bmf_type_pair, (const bmf_type *first, const bmf_type *second), (first, second),
               BMF_ANY_THREAD, TYPE(first), TYPE(second))
VALUE_FUNCTION(const bmf_type *, bmf_type_list, (const bmf_type *element), (element),
               BMF_ANY_THREAD, TYPE(element))
VALUE_FUNCTION(const bmf_type *, bmf_type_distributed, (const bmf_type *element), (element),
               BMF_ANY_THREAD, TYPE(element))
VALUE_FUNCTION(const bmf_type *, bmf_type_struct, (int64_t size, const char *name), (size, name),
               BMF_ANY_THREAD, RANGE(size, 1, INT64_MAX), TEXT(name))
VALUE_FUNCTION(bool, bmf_type_equal, (const bmf_type *a, const bmf_type *b), (a, b),
               BMF_ANY_THREAD, TYPE(a), TYPE(b))
VALUE_FUNCTION(bool, bmf_type_is_fixed, (const bmf_type *type), (type),
               BMF_ANY_THREAD, TYPE(type))
VALUE_FUNCTION(int, bmf_type_leaves, (const bmf_type *type, const bmf_type *leaf[BMF_MAX_LEAVES]), (type, leaf),
               BMF_ANY_THREAD, TYPE(type), MEMORY(leaf))
VALUE_FUNCTION(int64_t, bmf_type_record, (const bmf_type *type, int64_t offset[BMF_MAX_LEAVES]), (type, offset),
               BMF_ANY_THREAD, TYPE(type), MEMORY(offset))
VALUE_FUNCTION(char *, bmf_type_print, (const bmf_type *type, char *text, size_t size), (type, text, size),
               BMF_ANY_THREAD, TYPE(type), MEMORY(text))

/* ---- traces ---- */

STATUS_FUNCTION(bmf_trace_read, (bmf_context *ctx, const char *path, bmf_trace **trace), (ctx, path, trace),
                BMF_ANY_THREAD, OPTIONAL_CONTEXT(ctx), TEXT(path), NEW_TRACE(trace))
VOID_FUNCTION(bmf_trace_free, (bmf_trace *trace), (trace),
              BMF_ANY_THREAD, LAST_TRACE(trace))
VALUE_FUNCTION(int, bmf_trace_runs, (const bmf_trace *trace), (trace),
               BMF_ANY_THREAD, TRACE(trace))
VALUE_FUNCTION(bool, bmf_trace_is_predicted, (const bmf_trace *trace, int run), (trace, run),
               BMF_ANY_THREAD, TRACE(trace), INDEX(run, BMF_INDEX_RUN))
VALUE_FUNCTION(int32_t, bmf_trace_lanes, (const bmf_trace *trace, int run), (trace, run),
               BMF_ANY_THREAD, TRACE(trace), INDEX(run, BMF_INDEX_RUN))
VALUE_FUNCTION(int32_t, bmf_trace_lane_rank, (const bmf_trace *trace, int run, int32_t lane), (trace, run, lane),
               BMF_ANY_THREAD, TRACE(trace), INDEX(run, BMF_INDEX_RUN))
VALUE_FUNCTION(const bmf_event *, bmf_trace_events, (const bmf_trace *trace, int run, int64_t *count),
               (trace, run, count),
               BMF_ANY_THREAD, TRACE(trace), INDEX(run, BMF_INDEX_RUN), MEMORY(count))
VALUE_FUNCTION(const char *, bmf_trace_name, (const bmf_trace *trace, int run, uint32_t name), (trace, run, name),
               BMF_ANY_THREAD, TRACE(trace), INDEX(run, BMF_INDEX_RUN))
VALUE_FUNCTION(char *, bmf_trace_path,
               (const bmf_trace *trace, int run, uint32_t node, char *text, size_t size),
               (trace, run, node, text, size),
               BMF_ANY_THREAD, TRACE(trace), INDEX(run, BMF_INDEX_RUN), MEMORY(text))

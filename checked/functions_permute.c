/* The functions of bmf/bit_matrix.h, bmf/permutation.h and bmf/permute.h. */
#include "checked/checked.h"

/* clang-format off */

#define BITS(bits) RANGE(bits, 0, BMF_MAX_BITS)

VOID_FUNCTION(bmf_bit_matrix_identity, (int bits, bmf_bit_matrix *a), (bits, a),
              BMF_ANY_THREAD, BITS(bits), MEMORY(a))
VOID_FUNCTION(bmf_bit_matrix_product, (const bmf_bit_matrix *a, const bmf_bit_matrix *b, bmf_bit_matrix *product),
              (a, b, product),
              BMF_ANY_THREAD, MATRIX(a), MATRIX(b), MEMORY(product))
VOID_FUNCTION(bmf_bit_matrix_transpose, (const bmf_bit_matrix *a, bmf_bit_matrix *transpose), (a, transpose),
              BMF_ANY_THREAD, MATRIX(a), MEMORY(transpose))
STATUS_FUNCTION(bmf_bit_matrix_inverse, (const bmf_bit_matrix *a, bmf_bit_matrix *inverse), (a, inverse),
                BMF_ANY_THREAD, MATRIX(a), MEMORY(inverse))
VALUE_FUNCTION(int, bmf_bit_matrix_rank, (const bmf_bit_matrix *a), (a),
               BMF_ANY_THREAD, MATRIX(a))
VALUE_FUNCTION(bool, bmf_bit_matrix_equal, (const bmf_bit_matrix *a, const bmf_bit_matrix *b), (a, b),
               BMF_ANY_THREAD, MATRIX(a), MATRIX(b))
VALUE_FUNCTION(bool, bmf_bit_matrix_is_permutation, (const bmf_bit_matrix *a), (a),
               BMF_ANY_THREAD, MATRIX(a))
VALUE_FUNCTION(bool, bmf_bit_matrix_is_identity, (const bmf_bit_matrix *a), (a),
               BMF_ANY_THREAD, MATRIX(a))
VOID_FUNCTION(bmf_bit_matrix_random, (int bits, uint64_t *state, bmf_bit_matrix *a), (bits, state, a),
              BMF_ANY_THREAD, BITS(bits), MEMORY(state), MEMORY(a))
VOID_FUNCTION(bmf_bit_matrix_random_permutation, (int bits, uint64_t *state, bmf_bit_matrix *a), (bits, state, a),
              BMF_ANY_THREAD, BITS(bits), MEMORY(state), MEMORY(a))

VALUE_FUNCTION(bmf_permutation_class, bmf_permutation_classify, (const bmf_permutation *p), (p),
               BMF_ANY_THREAD, PERMUTATION(p))
VOID_FUNCTION(bmf_permutation_compose,
              (const bmf_permutation *second, const bmf_permutation *first, bmf_permutation *composition),
              (second, first, composition),
              BMF_ANY_THREAD, PERMUTATION(second), PERMUTATION(first), MEMORY(composition))
VOID_FUNCTION(bmf_permutation_inverse, (const bmf_permutation *p, bmf_permutation *inverse), (p, inverse),
              BMF_ANY_THREAD, PERMUTATION(p), MEMORY(inverse))
VALUE_FUNCTION(bool, bmf_permutation_equal, (const bmf_permutation *a, const bmf_permutation *b), (a, b),
               BMF_ANY_THREAD, PERMUTATION(a), PERMUTATION(b))
VOID_FUNCTION(bmf_permutation_identity, (int bits, bmf_permutation *p), (bits, p),
              BMF_ANY_THREAD, BITS(bits), MEMORY(p))
VOID_FUNCTION(bmf_permutation_bit_reversal, (int bits, bmf_permutation *p), (bits, p),
              BMF_ANY_THREAD, BITS(bits), MEMORY(p))
VOID_FUNCTION(bmf_permutation_rotation, (int bits, int by, bmf_permutation *p), (bits, by, p),
              BMF_ANY_THREAD, BITS(bits), MEMORY(p))
VOID_FUNCTION(bmf_permutation_gray, (int bits, bmf_permutation *p), (bits, p),
              BMF_ANY_THREAD, BITS(bits), MEMORY(p))
VOID_FUNCTION(bmf_permutation_inverse_gray, (int bits, bmf_permutation *p), (bits, p),
              BMF_ANY_THREAD, BITS(bits), MEMORY(p))
VOID_FUNCTION(bmf_permutation_reblocking, (int bits, int a, int b, int c, bmf_permutation *p), (bits, a, b, c, p),
              BMF_ANY_THREAD, BITS(bits), RANGE(a, 0, bits), RANGE(b, 0, bits - a), RANGE(c, 0, bits - a - b),
              MEMORY(p))
STATUS_FUNCTION(bmf_permutation_parse, (bmf_context *ctx, int bits, const char *spec, bmf_permutation *p),
                (ctx, bits, spec, p),
                BMF_ANY_THREAD, OPTIONAL_CONTEXT(ctx), BITS(bits), TEXT(spec), MEMORY(p))
STATUS_FUNCTION(bmf_permutation_parse_complement, (bmf_context *ctx, const char *text, bmf_permutation *p),
                (ctx, text, p),
                BMF_ANY_THREAD, OPTIONAL_CONTEXT(ctx), TEXT(text), PERMUTATION(p))
VOID_FUNCTION(bmf_permutation_print_matrix, (const bmf_permutation *p, FILE *stream), (p, stream),
              BMF_ANY_THREAD, PERMUTATION(p), MEMORY(stream))

/* ---- of data ---- */

#define ELEMENT_BYTES(bytes) RANGE(bytes, 1, 4096)
#define THREADS(threads) RANGE(threads, 1, INT_MAX)

STATUS_FUNCTION(bmf_local_permute,
                (void *target, const void *source, int64_t element_bytes, const bmf_permutation *p, int threads),
                (target, source, element_bytes, p, threads),
                BMF_ANY_THREAD, MEMORY(target), MEMORY(source), ELEMENT_BYTES(element_bytes), PERMUTATION(p),
                THREADS(threads))
STATUS_FUNCTION(bmf_local_permute_in_place,
                (void *data, int64_t element_bytes, const bmf_permutation *p, int threads),
                (data, element_bytes, p, threads),
                BMF_ANY_THREAD, MEMORY(data), ELEMENT_BYTES(element_bytes), PERMUTATION(p), THREADS(threads))
VOID_FUNCTION(bmf_local_permute_naive,
              (void *target, const void *source, int64_t element_bytes, const bmf_permutation *p),
              (target, source, element_bytes, p),
              BMF_ANY_THREAD, MEMORY(target), MEMORY(source), ELEMENT_BYTES(element_bytes), PERMUTATION(p))
VALUE_FUNCTION(bool, bmf_permute_method_find, (const char *name, bmf_permute_method *method), (name, method),
               BMF_ANY_THREAD, TEXT(name), MEMORY(method))

#define COLUMNS(columns) RANGE(columns, 1, BMF_MAX_LEAVES)
#define METHOD(method) RANGE(method, 0, BMF_PERMUTE_AUTO)

STATUS_FUNCTION(bmf_permute_plan_create,
                (bmf_context *ctx, const bmf_permutation *p, int columns, const int64_t *column_bytes,
                 bmf_permute_method method, bmf_permute_plan **plan),
                (ctx, p, columns, column_bytes, method, plan),
                BMF_COLLECTIVE, CONTEXT(ctx), PERMUTATION(p), COLUMNS(columns), MEMORY(column_bytes), METHOD(method),
                NEW_PLAN(plan))
STATUS_FUNCTION(bmf_permute_plan_create_tuned,
                (bmf_context *ctx, const bmf_permutation *p, int columns, const int64_t *column_bytes,
                 bmf_permute_method method, bmf_permute_plan **plan),
                (ctx, p, columns, column_bytes, method, plan),
                BMF_COLLECTIVE, CONTEXT(ctx), PERMUTATION(p), COLUMNS(columns), MEMORY(column_bytes), METHOD(method),
                NEW_PLAN(plan))
STATUS_FUNCTION(bmf_permute_tune,
                (bmf_context *ctx, const void *const *source, void *const *target, bmf_permute_plan **plan),
                (ctx, source, target, plan),
                BMF_COLLECTIVE, CONTEXT(ctx), MEMORY(source), MEMORY(target), MEMORY(plan), PLAN_AT(plan),
                NEW_PLAN(plan))
VOID_FUNCTION(bmf_permute_plan_free, (bmf_permute_plan *plan), (plan),
              BMF_OWN_THREAD, LAST_PLAN(plan))
VALUE_FUNCTION(bmf_permute_method, bmf_permute_plan_method, (const bmf_permute_plan *plan), (plan),
               BMF_ANY_THREAD, PLAN(plan))
VALUE_FUNCTION(int64_t, bmf_permute_plan_rounds, (const bmf_permute_plan *plan), (plan),
               BMF_ANY_THREAD, PLAN(plan))
VALUE_FUNCTION(int64_t, bmf_permute_plan_messages, (const bmf_permute_plan *plan), (plan),
               BMF_ANY_THREAD, PLAN(plan))
VALUE_FUNCTION(int64_t, bmf_permute_plan_bytes, (const bmf_permute_plan *plan), (plan),
               BMF_ANY_THREAD, PLAN(plan))
VOID_FUNCTION(bmf_permute_plan_print, (const bmf_permute_plan *plan, FILE *stream), (plan, stream),
              BMF_ANY_THREAD, PLAN(plan), MEMORY(stream))
STATUS_FUNCTION(bmf_permute_execute,
                (bmf_context *ctx, const bmf_permute_plan *plan, const void *const *source, void *const *target),
                (ctx, plan, source, target),
                BMF_COLLECTIVE, CONTEXT(ctx), PLAN(plan), MEMORY(source), MEMORY(target))
VOID_FUNCTION(bmf_permute_relabel,
              (const bmf_permutation *p, int processor_bits, bmf_permutation *relabelled, bmf_permutation *relabel),
              (p, processor_bits, relabelled, relabel),
              BMF_ANY_THREAD, PERMUTATION(p), BITS(processor_bits), MEMORY(relabelled), MEMORY(relabel))
VALUE_FUNCTION(int, bmf_permute_processor_bits, (const bmf_permutation *p, int64_t processors), (p, processors),
               BMF_ANY_THREAD, PERMUTATION(p))
VALUE_FUNCTION(int64_t, bmf_permute_local_count, (const bmf_context *ctx, int bits), (ctx, bits),
               BMF_ANY_THREAD, CONTEXT(ctx), BITS(bits))
VALUE_FUNCTION(int64_t, bmf_permute_local_first, (const bmf_context *ctx, int bits), (ctx, bits),
               BMF_ANY_THREAD, CONTEXT(ctx), BITS(bits))

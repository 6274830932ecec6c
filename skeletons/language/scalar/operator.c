/* Operators of the fixed tree from scalar expressions.
 *
 * Method: B_Plus, B_Times, B_Max, B_Min, B_And and B_Or of two equal scalars take the ready-made operators, where
 * those mean the same. Sums and products of ints are checked: a block whose elements are so small that nothing in it
 * can overflow takes the ready-made functions, any other one goes level by level through the checked instruction.
 * Overflow depends on the association, so these do not claim to be exact; then every number of ranks and threads
 * meets the same failures. Every other expression runs as compiled code.
 * Cost: one more pass over the elements, in the cache, to see how large ints are. */
#include <omp.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "skeletons/language/scalar/code.h"
#include "bmf/operators.h"

struct bmf_scalar_operator {
    bmf_operator op;
    const bmf_expression *expression;
    const bmf_operator *ready; /* the ready-made one, or NULL */
    bmf_scalar_opcode opcode;  /* of sums and products of ints */
    const bmf_scalar *scalar;
    int rooms;
    bmf_scalar_room **room;
    atomic_flag *taken; /* of every room */
    atomic_int failed;  /* 0, 1: being written, 2: failure says it */
    bmf_failure failure;
};

static void note(bmf_scalar_operator *operation, const bmf_failure *failure)
{
    int none = 0;
    if (!atomic_compare_exchange_strong(&operation->failed, &none, 1))
        return;
    operation->failure = *failure;
    atomic_store(&operation->failed, 2);
}

bool scalar_operator_failure(const bmf_scalar_operator *operation, bmf_failure *failure)
{
    if (atomic_load(&((bmf_scalar_operator *)operation)->failed) != 2)
        return false;
    *failure = operation->failure;
    return true;
}

/* ---- compiled code ---- */

/* A room that no other thread has; there are as many as workers, so one is free. */
static int take_room(bmf_scalar_operator *operation)
{
    int k = omp_get_thread_num() % operation->rooms;
    while (atomic_flag_test_and_set_explicit(&operation->taken[k], memory_order_acquire))
        k = (k + 1) % operation->rooms;
    return k;
}

static int combine_compiled(const void *context, int64_t count, const bmf_slice *in, const bmf_slice *out)
{
    bmf_scalar_operator *operation = (bmf_scalar_operator *)context;
    const int inputs = operation->scalar->inputs, outputs = operation->scalar->outputs, k = take_room(operation);
    bmf_slice from[BMF_MAX_LEAVES], to[BMF_MAX_LEAVES];
    bmf_failure failure;
    int code = 0;
    for (int64_t begin = 0; begin < count && code == 0; begin += BMF_BLOCK) {
        for (int i = 0; i < inputs; i++)
            from[i] = (bmf_slice){(char *)in[i].data + begin * in[i].stride, in[i].stride};
        for (int i = 0; i < outputs; i++)
            to[i] = (bmf_slice){(char *)out[i].data + begin * out[i].stride, out[i].stride};
        code = scalar_run(operation->scalar, operation->room[k], count - begin < BMF_BLOCK ? count - begin : BMF_BLOCK,
                          from, to, &failure);
    }
    atomic_flag_clear_explicit(&operation->taken[k], memory_order_release);
    if (code != 0)
        note(operation, &failure);
    return code;
}

/* ---- sums and products of ints ---- */

enum { CHECKED_BLOCK = 256 };

/* out[i] = a[i] op b[i] at any distances; notes the first overflow. */
static int combine_checked(bmf_scalar_operator *operation, int64_t count, const bmf_slice *a, const bmf_slice *b,
                           const bmf_slice *out)
{
    int64_t x[CHECKED_BLOCK], y[CHECKED_BLOCK], result[CHECKED_BLOCK];
    for (int64_t begin = 0; begin < count; begin += CHECKED_BLOCK) {
        const int64_t now = count - begin < CHECKED_BLOCK ? count - begin : CHECKED_BLOCK;
        scalar_gather(8, now, (char *)a->data + begin * a->stride, a->stride, x);
        scalar_gather(8, now, (char *)b->data + begin * b->stride, b->stride, y);
        if (scalar_operations[operation->opcode].run[0](now, x, y, x, result)) {
            int64_t i = 0;
            while (scalar_fails_at(operation->opcode, &x[i], &y[i]) == BMF_FAILURE_NONE)
                i++;
            note(operation, &(bmf_failure){BMF_FAILURE_OVERFLOW, operation->expression, begin + i, {x[i], y[i]}, 0.0});
            return 1;
        }
        scalar_scatter(8, now, result, (char *)out->data + begin * out->stride, out->stride);
    }
    return 0;
}

static int combine_ints(const void *context, int64_t count, const bmf_slice *in, const bmf_slice *out)
{
    return combine_checked((bmf_scalar_operator *)context, count, &in[0], &in[1], out);
}

/* All the bits that are set in any element's magnitude. */
BMF_VECTORISE static uint64_t magnitude(int64_t count, const int64_t *x)
{
    uint64_t bits = 0;
    for (int64_t i = 0; i < count; i++) {
        const uint64_t sign = (uint64_t)(x[i] >> 63);
        bits |= ((uint64_t)x[i] ^ sign) - sign;
    }
    return bits;
}

/* Whether nothing can overflow that is made of one such prefix (or NULL) and up to BMF_BLOCK such elements. */
static bool is_small(const bmf_scalar_operator *operation, int64_t count, const int64_t *x, const int64_t *prefix)
{
    const uint64_t bits = magnitude(count, x), before = prefix ? magnitude(1, prefix) : 0;
    return operation->opcode == BMF_SCALAR_ADD_INT ? bits >> 52 == 0 && before >> 62 == 0 : bits <= 1;
}

static void fold_ints(const void *context, int64_t count, const void *x, void *levels)
{
    bmf_scalar_operator *operation = (bmf_scalar_operator *)context;
    if (is_small(operation, count, x, NULL)) {
        operation->ready->fold(NULL, count, x, levels);
        return;
    }
    const int64_t *from = x;
    int64_t *to = levels;
    memset(to, 0, (size_t)(count - 1) * sizeof *to); /* levels above a failure */
    for (int64_t half = count / 2; half > 0; half /= 2) {
        const bmf_slice a = {(void *)from, 16}, b = {(void *)(from + 1), 16}, out = {to, 8};
        if (combine_checked(operation, half, &a, &b, &out))
            return;
        from = to;
        to += half;
    }
}

/* The fold of everything before element m is that before the last node of m elements, op that node. */
static void scan_checked(bmf_scalar_operator *operation, int64_t count, const int64_t *x, const int64_t *levels,
                         const int64_t *prefix, int64_t *before)
{
    before[0] = prefix ? *prefix : 0;
    for (int64_t m = 1; m < count; m++) {
        const int64_t width = m & -m, level = width == 1 ? 0 : count - 2 * (count / width);
        const int64_t *node = width == 1 ? &x[m - 1] : &levels[level + m / width - 1], *sum = &before[m - width];
        if (m == width && !prefix) {
            before[m] = *node;
        } else if (scalar_operations[operation->opcode].run[7](1, sum, node, sum, &before[m])) {
            note(operation, &(bmf_failure){BMF_FAILURE_OVERFLOW, operation->expression, m, {*sum, *node}, 0.0});
            memset(before + m, 0, (size_t)(count - m) * sizeof *before);
            return;
        }
    }
}

static void scan_ints(const void *context, int64_t count, const void *x, const void *levels, const void *prefix,
                      const void *last, void *out_, void *scratch)
{
    bmf_scalar_operator *operation = (bmf_scalar_operator *)context;
    int64_t *before = scratch, *out = out_;
    if (is_small(operation, count, x, prefix)) {
        operation->ready->scan(NULL, count, x, levels, prefix, last, out, scratch);
        return;
    }
    scan_checked(operation, count, x, levels, prefix, before);
    const int64_t skip = last || !prefix ? 1 : 0;
    memcpy(last ? out : out + skip, before + skip, (size_t)(count - skip) * sizeof *out);
    if (last)
        out[count - 1] = *(const int64_t *)last;
}

/* fold_keys of the operator, checked. */
static int64_t fold_keys_ints(const void *context, int64_t keys, int64_t count, const int64_t *key, const void *x,
                              void *table)
{
    bmf_scalar_operator *operation = (bmf_scalar_operator *)context;
    const bool sum = operation->opcode == BMF_SCALAR_ADD_INT;
    const int64_t *element = x;
    int64_t *entry = table, made;
    for (int64_t i = 0; i < count; i++) {
        if ((uint64_t)key[i] >= (uint64_t)keys)
            return i;
        const int64_t before = entry[key[i]];
        if (sum ? __builtin_add_overflow(before, element[i], &made)
                : __builtin_mul_overflow(before, element[i], &made)) {
            note(operation, &(bmf_failure){BMF_FAILURE_OVERFLOW, operation->expression, i, {before, element[i]}, 0.0});
            return -1;
        }
        entry[key[i]] = made;
    }
    return count;
}

/* ---- which operator ---- */

/* The ready-made operator with the same meaning, but for overflow; *checked: the instruction that checks it, or
 * CHOICE. */
static const bmf_operator *ready_made(const bmf_expression *e, bmf_scalar_opcode *checked)
{
    const bmf_operator *ints[] = {&bmf_plus_int, &bmf_times_int, &bmf_max_int, &bmf_min_int};
    const bmf_operator *reals[] = {&bmf_plus_real, &bmf_times_real, &bmf_max_real, &bmf_min_real};
    const bmf_operation numbers[] = {BMF_OPERATION_PLUS, BMF_OPERATION_TIMES, BMF_OPERATION_MAX, BMF_OPERATION_MIN};
    const bmf_type *leaf[BMF_MAX_LEAVES];
    *checked = BMF_SCALAR_CHOICE;
    while (e->kind == BMF_EXPRESSION_SCALAR || (e->kind == BMF_EXPRESSION_COMP && e->children == 1))
        e = e->child[0];
    if (e->kind != BMF_EXPRESSION_OP || !e->in || bmf_type_leaves(e->in, leaf) != 2 || leaf[0]->kind != leaf[1]->kind)
        return NULL;
    if (leaf[0]->kind == BMF_BOOL)
        return e->operation == BMF_OPERATION_AND ? &bmf_and : e->operation == BMF_OPERATION_OR ? &bmf_or : NULL;
    for (int k = 0; k < 4; k++) {
        if (e->operation != numbers[k])
            continue;
        if (leaf[0]->kind == BMF_INT && k < 2)
            *checked = k == 0 ? BMF_SCALAR_ADD_INT : BMF_SCALAR_MULTIPLY_INT;
        return leaf[0]->kind == BMF_INT ? ints[k] : reals[k];
    }
    return NULL;
}

static void make_rooms(bmf_scalar_operator *operation, bmf_expression *e, int workers)
{
    operation->scalar = scalar_of_expression(e);
    operation->rooms = workers > 0 ? workers : 1;
    operation->room = allocate(operation->rooms * (int64_t)sizeof *operation->room);
    operation->taken = allocate_clear(operation->rooms, (int64_t)sizeof *operation->taken);
    for (int k = 0; k < operation->rooms; k++) {
        operation->room[k] = scalar_room_open(operation->scalar);
        atomic_flag_clear(&operation->taken[k]);
    }
    operation->op = (bmf_operator){.name = "composed",
                                   .type = e->out,
                                   .combine = combine_compiled,
                                   .context = operation,
                                   .may_fail = scalar_may_fail(operation->scalar)};
}

bmf_scalar_operator *scalar_operator_create(bmf_expression *operation, int workers)
{
    bmf_scalar_operator *made = allocate_clear(1, (int64_t)sizeof *made);
    made->expression = operation->kind == BMF_EXPRESSION_SCALAR ? operation->child[0] : operation;
    made->ready = ready_made(operation, &made->opcode);
    if (!made->ready) {
        make_rooms(made, operation, workers);
        return made;
    }
    made->op = *made->ready;
    if (made->opcode != BMF_SCALAR_CHOICE) {
        made->op.combine = combine_ints;
        made->op.fold = fold_ints;
        made->op.scan = scan_ints;
        made->op.reassociate = NULL;
        made->op.fold_rows = NULL;
        made->op.scan_rows = NULL;
        made->op.fold_keys = fold_keys_ints;
        made->op.context = made;
        made->op.flags &= ~(unsigned)BMF_EXACT;
        made->op.may_fail = true;
    }
    return made;
}

const bmf_operator *scalar_operator_get(const bmf_scalar_operator *operation)
{
    return &operation->op;
}

void scalar_operator_free(bmf_scalar_operator *operation)
{
    if (!operation)
        return;
    for (int k = operation->rooms - 1; k >= 0; k--)
        scalar_room_close(operation->room[k]);
    free(operation->room);
    free(operation->taken);
    free(operation);
}

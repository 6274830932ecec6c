/* Extents of values; see extents.h.
 *
 * Method: the extents of the argument are pushed through the typed expression from the right to the left. An element's
 * extents hold for all elements of its list. A branch, the body of a loop, an operator and a function of the elements
 * of a list that may be empty may never be computed: there nothing is refused. Of a loop's argument holds what its body
 * keeps: what is known of it shrinks until that is so. */
#include "skeletons/language/types/extents.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "skeletons/language/forms/stencil.h"
#include "skeletons/language/front/data.h"

enum { MOST_NODES = 100000, MOST_LEVELS = 1000, MOST_ELEMENTS = 4096 };

typedef struct survey {
    bmf_context *ctx;
    const bmf_texts *texts;
    bmf_expressions *arena;
    const bmf_extent_observer *observer;
    int64_t nodes;
    int level, perhaps; /* perhaps: places around this one that may never be computed */
    int status;
} survey;

/* ---- making extents ---- */

static const bmf_extent *make(bmf_expressions *arena, bmf_extent extent, int parts, const bmf_extent *const *part)
{
    bmf_extent *made = expressions_bytes(arena, (int64_t)sizeof *made);
    *made = extent;
    made->parts = parts;
    if (parts > 0) {
        const bmf_extent **copy = expressions_bytes(arena, parts * (int64_t)sizeof *copy);
        memcpy(copy, part, (size_t)parts * sizeof *copy);
        made->part = copy;
    }
    return made;
}

/* length below 0: not known. */
static const bmf_extent *list(bmf_expressions *arena, int64_t length, const bmf_extent *element)
{
    return make(arena, (bmf_extent){.known = length >= 0, .number = length, .joined = -1}, 1, &element);
}

static const bmf_extent *number(bmf_expressions *arena, int64_t value)
{
    return make(arena, (bmf_extent){.known = true, .number = value, .joined = -1}, 0, NULL);
}

const bmf_extent *extent_of_tuple(bmf_expressions *arena, int parts, const bmf_extent *const *part)
{
    return make(arena, (bmf_extent){.joined = -1}, parts, part);
}

const bmf_extent *extent_of_shape(bmf_expressions *arena, int depth, const int64_t *length)
{
    return depth == 0 ? NULL : list(arena, length[0], extent_of_shape(arena, depth - 1, length + 1));
}

/* What holds for both. */
static const bmf_extent *join(bmf_expressions *arena, const bmf_extent *a, const bmf_extent *b)
{
    const bmf_extent *part[BMF_MAX_LEAVES];
    if (!a || !b || a == b)
        return a == b ? a : NULL;
    if (a->parts != b->parts)
        return NULL;
    for (int k = 0; k < a->parts; k++)
        part[k] = join(arena, a->part[k], b->part[k]);
    const bool same = a->known && b->known && a->number == b->number;
    const int64_t joined = a->joined == b->joined ? a->joined : -1;
    return make(arena, (bmf_extent){same, same ? a->number : -1, joined, 0, NULL}, a->parts, part);
}

static const bmf_extent *of_element(bmf_expressions *arena, const bmf_column *column, int64_t i);

/* Of all elements [begin, end) of a column that has lists in it. */
static const bmf_extent *of_elements(bmf_expressions *arena, const bmf_column *column, int64_t begin, int64_t end)
{
    const bmf_type *type = column->type;
    if (begin == end || bmf_type_is_fixed(type))
        return NULL;
    if (type->kind == BMF_LIST && bmf_type_is_fixed(type->component[0])) {
        const int64_t length = column->offsets[begin + 1] - column->offsets[begin];
        for (int64_t i = begin; i < end; i++)
            if (column->offsets[i + 1] - column->offsets[i] != length)
                return list(arena, -1, NULL);
        return list(arena, length, NULL);
    }
    if (end - begin > MOST_ELEMENTS)
        return NULL;
    const bmf_extent *all = of_element(arena, column, begin);
    for (int64_t i = begin + 1; i < end && all; i++)
        all = join(arena, all, of_element(arena, column, i));
    return all;
}

static const bmf_extent *of_element(bmf_expressions *arena, const bmf_column *column, int64_t i)
{
    const bmf_extent *part[BMF_MAX_LEAVES];
    const bmf_type *type = column->type;
    if (type->kind == BMF_INT && column->data)
        return number(arena, *(const int64_t *)((const char *)column->data + i * column->stride));
    if (type->kind == BMF_LIST)
        return list(arena, column->offsets[i + 1] - column->offsets[i],
                    of_elements(arena, column->child, column->offsets[i], column->offsets[i + 1]));
    if (type->kind != BMF_TUPLE || !column->child)
        return NULL;
    for (int k = 0; k < type->components; k++)
        part[k] = of_element(arena, &column->child[k], i);
    return extent_of_tuple(arena, type->components, part);
}

const bmf_extent *extent_of_column(bmf_expressions *arena, const bmf_column *column)
{
    return column->count > 0 ? of_element(arena, column, 0) : NULL;
}

/* ---- reading them ---- */

static int64_t number_of(const bmf_extent *extent)
{
    return extent && extent->known ? extent->number : -1;
}

static const bmf_extent *part_of(const bmf_extent *extent, int k)
{
    return extent && k < extent->parts ? extent->part[k] : NULL;
}

/* The same is known of both. */
static bool says_the_same(const bmf_extent *a, const bmf_extent *b)
{
    if (!a || !b || a == b)
        return a == b;
    if (a->known != b->known || (a->known && a->number != b->number) || a->joined != b->joined || a->parts != b->parts)
        return false;
    for (int k = 0; k < a->parts; k++)
        if (!says_the_same(a->part[k], b->part[k]))
            return false;
    return true;
}

/* ---- expressions ---- */

static const bmf_extent *infer(survey *s, const bmf_expression *e, const bmf_extent *in);

static const bmf_extent *infer_perhaps(survey *s, const bmf_expression *e, const bmf_extent *in)
{
    s->perhaps++;
    const bmf_extent *out = infer(s, e, in);
    s->perhaps--;
    return out;
}

/* A function of the elements of a list. */
static const bmf_extent *infer_each(survey *s, const bmf_expression *f, int64_t length, const bmf_extent *element)
{
    return length > 0 ? infer(s, f, element) : infer_perhaps(s, f, element);
}

static bool is_refused(const survey *s)
{
    return s->perhaps == 0 && s->status == BMF_OK;
}

static const bmf_extent *infer_zip(survey *s, const bmf_expression *e, const bmf_extent *in)
{
    const bmf_extent *a = part_of(in, 0), *b = part_of(in, 1), *pair[] = {part_of(a, 0), part_of(b, 0)};
    const int64_t first = number_of(a), second = number_of(b), length = first >= 0 ? first : second;
    const bmf_extent *element = extent_of_tuple(s->arena, 2, pair);
    return list(s->arena, length, e->children > 0 ? infer_each(s, e->child[0], length, element) : element);
}

static const bmf_extent *infer_matmul(survey *s, const bmf_expression *e, const bmf_extent *in)
{
    const bmf_extent *a = part_of(in, 0), *b = part_of(in, 1);
    const int64_t rows = number_of(a), columns = number_of(part_of(a, 0));
    const int64_t other_rows = number_of(b), other_columns = number_of(part_of(b, 0));
    if (rows > 0 && columns >= 0 && other_rows >= 0 && columns != other_rows && is_refused(s)) {
        char width[24] = "?";
        if (other_columns >= 0 || other_rows == 0)
            snprintf(width, sizeof width, "%" PRId64, other_rows == 0 ? 0 : other_columns);
        s->status = text_fail(s->texts, s->ctx, e->span, BMF_ERROR_SHAPE,
                              "%s needs as many columns of the first matrix as rows of the second, found %" PRId64
                              " x %" PRId64 " and %" PRId64 " x %s",
                              expression_keyword(e), rows, columns, other_rows, width);
    }
    return list(s->arena, rows, list(s->arena, other_columns, NULL));
}

static const bmf_extent *infer_slice(survey *s, const bmf_expression *e, const bmf_extent *in)
{
    const bmf_extent *all = part_of(in, 0), *from = part_of(in, 1), *to = part_of(in, 2);
    const int64_t length = number_of(all);
    if (!from || !to || !from->known || !to->known || from->number < 0 || to->number < from->number)
        return list(s->arena, -1, part_of(all, 0));
    if (length >= 0 && to->number > length && is_refused(s))
        s->status = text_fail(s->texts, s->ctx, e->span, BMF_ERROR_INDEX,
                              "%s: %" PRId64 " ..< %" PRId64 " is outside a list of %" PRId64 " element%s",
                              expression_keyword(e), from->number, to->number, length, length == 1 ? "" : "s");
    return list(s->arena, to->number - from->number, part_of(all, 0));
}

static const bmf_extent *infer_arithmetic(survey *s, const bmf_expression *e, const bmf_extent *in)
{
    const bmf_extent *a = part_of(in, 0), *b = part_of(in, 1);
    int64_t made;
    if (!a || !b || !a->known || !b->known || e->out->kind != BMF_INT)
        return NULL;
    const bool large = e->operation == BMF_OPERATION_PLUS    ? __builtin_add_overflow(a->number, b->number, &made)
                       : e->operation == BMF_OPERATION_MINUS ? __builtin_sub_overflow(a->number, b->number, &made)
                                                             : __builtin_mul_overflow(a->number, b->number, &made);
    return large ? NULL : number(s->arena, made);
}

/* How many columns there are: none without rows. */
static int64_t columns_of(int64_t rows, const bmf_extent *row)
{
    return rows > 0 ? number_of(row) : rows == 0 ? 0 : -1;
}

static const bmf_extent *infer_transpose(survey *s, const bmf_extent *in)
{
    const bmf_extent *row = part_of(in, 0);
    return list(s->arena, columns_of(number_of(in), row), list(s->arena, number_of(in), part_of(row, 0)));
}

/* Rows in parts come out in as many, split evenly; blocks of a grid as what they are by themselves. */
static const bmf_extent *infer_parallel_transpose(survey *s, const bmf_expression *e, const bmf_extent *in)
{
    const bmf_extent *part = part_of(in, 0), *row = part_of(part, 0);
    const int64_t parts = number_of(in), joined = in ? in->joined : -1;
    const int64_t columns = columns_of(e->on_grid ? number_of(part) : joined, row);
    const bool even = !e->on_grid && parts > 0 && columns >= 0 && columns % parts == 0;
    const int64_t rows = e->on_grid ? columns : even ? columns / parts : -1;
    const bmf_extent *made =
        list(s->arena, rows, list(s->arena, e->on_grid ? number_of(part) : joined, part_of(row, 0)));
    return make(s->arena, (bmf_extent){.known = parts >= 0, .number = parts, .joined = e->on_grid ? -1 : columns}, 1,
                &made);
}

static const bmf_extent *infer_operation(survey *s, const bmf_expression *e, const bmf_extent *in)
{
    const bmf_extent *a = part_of(in, 0), *b = part_of(in, 1), *pair[2];
    switch (e->operation) {
    case BMF_OPERATION_PLUS:
    case BMF_OPERATION_MINUS:
    case BMF_OPERATION_TIMES:
        return infer_arithmetic(s, e, in);
    case BMF_OPERATION_LENGTH:
        return in && in->known ? number(s->arena, in->number) : NULL;
    case BMF_OPERATION_IOTA:
        return list(s->arena, number_of(in), NULL);
    case BMF_OPERATION_INDEX:
        return part_of(a, 0);
    case BMF_OPERATION_DISTL:
        pair[0] = a;
        pair[1] = part_of(b, 0);
        return list(s->arena, number_of(b), extent_of_tuple(s->arena, 2, pair));
    case BMF_OPERATION_PROJECT:
        return list(s->arena, number_of(b), part_of(a, 0));
    case BMF_OPERATION_SORT:
    case BMF_OPERATION_ARGSORT:
        return list(s->arena, number_of(in), NULL);
    case BMF_OPERATION_CONC:
        return list(s->arena, number_of(a) >= 0 && number_of(b) >= 0 ? number_of(a) + number_of(b) : -1,
                    number_of(a) == 0   ? part_of(b, 0)
                    : number_of(b) == 0 ? part_of(a, 0)
                                        : join(s->arena, part_of(a, 0), part_of(b, 0)));
    case BMF_OPERATION_TRANSPOSE:
        if (e->in->kind == BMF_DISTRIBUTED)
            return infer_parallel_transpose(s, e, in);
        return infer_transpose(s, in);
    case BMF_OPERATION_MATMUL:
        return infer_matmul(s, e, in);
    case BMF_OPERATION_SLICE:
        return infer_slice(s, e, in);
    default:
        return NULL;
    }
}

/* p parts of a list, all as long if they can be. */
static const bmf_extent *infer_split(survey *s, const bmf_expression *e, const bmf_extent *in)
{
    const int64_t parts = e->number[0], length = number_of(in);
    const bmf_extent *part = list(s->arena, length >= 0 && length % parts == 0 ? length / parts : -1, part_of(in, 0));
    return make(s->arena, (bmf_extent){.known = true, .number = parts, .joined = length}, 1, &part);
}

/* The blocks of a placed array: their sizes where they all have the same. */
static const bmf_extent *infer_blocks(survey *s, const bmf_expression *e, const bmf_extent *in)
{
    int64_t length[BMF_NUMBERS], blocks = 1;
    if (e->in->kind == BMF_DISTRIBUTED)
        return NULL;
    for (int d = 0; d < e->numbers; d++, in = part_of(in, 0)) {
        const int64_t all = number_of(in), number = e->number[d];
        length[d] = number > 0 && all >= 0 && all % number == 0 ? all / number : -1;
        blocks = number == 0 || blocks < 0 ? -1 : blocks * number;
    }
    for (int d = e->numbers - 1; d >= 0; d--)
        in = list(s->arena, length[d], in);
    return list(s->arena, blocks, in);
}

static const bmf_extent *infer_join(survey *s, const bmf_expression *e, const bmf_extent *in)
{
    int64_t length[BMF_NUMBERS];
    in = part_of(in, 0);
    for (int d = 0; d < e->numbers; d++, in = part_of(in, 0))
        if (number_of(in) < 0 || e->number[d] == 0 || __builtin_mul_overflow(number_of(in), e->number[d], &length[d]))
            length[d] = -1;
    for (int d = e->numbers - 1; d >= 0; d--)
        in = list(s->arena, length[d], in);
    return in;
}

/* All lists of a list as one; of what else is reduced nothing is known. */
static const bmf_extent *infer_reduce(survey *s, const bmf_expression *e, const bmf_extent *in)
{
    const bmf_expression *by = e->child[0];
    const int64_t lists = number_of(in), length = number_of(part_of(in, 0));
    int64_t joined = in ? in->joined : -1;
    for (int k = 0; k < e->children; k++)
        infer_perhaps(s, e->child[k], NULL);
    if (e->children > 1 || by->kind != BMF_EXPRESSION_OP || by->operation != BMF_OPERATION_CONC)
        return NULL;
    if (joined < 0 && (lists < 0 || length < 0 || __builtin_mul_overflow(lists, length, &joined)))
        joined = -1;
    return list(s->arena, joined, part_of(part_of(in, 0), 0));
}

static const bmf_extent *infer_composition(survey *s, const bmf_expression *e, const bmf_extent *in)
{
    for (int k = e->children - 1; k >= 0; k--)
        in = infer(s, e->child[k], in);
    return in;
}

static const bmf_extent *infer_tuple(survey *s, const bmf_expression *e, const bmf_extent *in)
{
    const bmf_extent *part[BMF_MAX_LEAVES];
    for (int k = 0; k < e->children; k++)
        part[k] = infer(s, e->child[k], in);
    return extent_of_tuple(s->arena, e->children, part);
}

static const bmf_extent *infer_vector(survey *s, const bmf_expression *e, const bmf_extent *in)
{
    const bmf_extent *element = NULL;
    for (int k = 0; k < e->children; k++) {
        const bmf_extent *next = infer(s, e->child[k], in);
        element = k == 0 ? next : join(s->arena, element, next);
    }
    return list(s->arena, e->children, element);
}

static const bmf_extent *infer_loop(survey *s, const bmf_expression *e, const bmf_extent *in)
{
    const bmf_extent_observer *observer = s->observer;
    const bmf_extent *before;
    s->observer = NULL; /* only what holds always is told */
    do {
        before = in;
        in = join(s->arena, in, infer_perhaps(s, e->child[1], in));
    } while (!says_the_same(before, in));
    s->observer = observer;
    if (observer) {
        infer_perhaps(s, e->child[0], in);
        infer_perhaps(s, e->child[1], in);
    }
    return in;
}

static bool is_list(const bmf_type *type)
{
    return type->kind == BMF_LIST || type->kind == BMF_DISTRIBUTED;
}

/* Lists, rows and planes keep their lengths, whatever the function makes of points. */
static const bmf_extent *infer_stencil(survey *s, const bmf_expression *e, const bmf_extent *in)
{
    int64_t length[BMF_NUMBERS + 1];
    const int most = stencil_dimensions(e) + (e->in->kind == BMF_DISTRIBUTED ? 1 : 0);
    const bmf_extent *at = in;
    int levels = 0;
    for (const bmf_type *type = e->in; levels < most && is_list(type); type = type->component[0]) {
        length[levels++] = number_of(at);
        at = part_of(at, 0);
    }
    if (!in || levels == 0)
        return NULL;
    const bmf_extent *made = extent_of_shape(s->arena, levels, length);
    return make(s->arena, (bmf_extent){made->known, made->number, in->joined, 0, NULL}, 1, made->part);
}

static const bmf_extent *infer_form(survey *s, const bmf_expression *e, const bmf_extent *in)
{
    const bmf_extent *first, *second;
    switch (e->kind) {
    case BMF_EXPRESSION_ID:
        return in;
    case BMF_EXPRESSION_CONVERT: /* ints become reals */
        return bmf_type_is_fixed(e->in) ? NULL : in;
    case BMF_EXPRESSION_COMP:
        return infer_composition(s, e, in);
    case BMF_EXPRESSION_CON:
        return e->constant.kind == BMF_INT ? number(s->arena, e->constant.integer) : NULL;
    case BMF_EXPRESSION_ALLTUP:
        return infer_tuple(s, e, in);
    case BMF_EXPRESSION_ALLVEC:
        return infer_vector(s, e, in);
    case BMF_EXPRESSION_ADDR:
        return part_of(in, (int)e->number[0] - 1);
    case BMF_EXPRESSION_OP:
        return infer_operation(s, e, in);
    case BMF_EXPRESSION_IF:
        infer(s, e->child[0], in);
        first = infer_perhaps(s, e->child[1], in);
        second = infer_perhaps(s, e->child[2], in);
        return join(s->arena, first, second);
    case BMF_EXPRESSION_MAP:
        return list(s->arena, number_of(in), infer_each(s, e->child[0], number_of(in), part_of(in, 0)));
    case BMF_EXPRESSION_ZIP:
        return infer_zip(s, e, in);
    case BMF_EXPRESSION_SPLIT:
        return infer_split(s, e, in);
    case BMF_EXPRESSION_BLOCKS:
        return infer_blocks(s, e, in);
    case BMF_EXPRESSION_JOIN:
        return infer_join(s, e, in);
    case BMF_EXPRESSION_REDUCE:
        return infer_reduce(s, e, in);
    case BMF_EXPRESSION_SCAN:
        return list(s->arena, number_of(in), NULL);
    case BMF_EXPRESSION_WHILE:
        return infer_loop(s, e, in);
    case BMF_EXPRESSION_STENCIL:
        return infer_stencil(s, e, in);
    case BMF_EXPRESSION_SHIFT:
        return in ? list(s->arena, number_of(in), e->children > 0 ? NULL : part_of(in, 0)) : NULL;
    case BMF_EXPRESSION_SORT_BY:
        return e->in->kind == BMF_DISTRIBUTED ? NULL : list(s->arena, number_of(in), part_of(in, 0));
    case BMF_EXPRESSION_FILTER:
        return list(s->arena, -1, part_of(in, 0));
    default:
        return NULL;
    }
}

static const bmf_extent *infer(survey *s, const bmf_expression *e, const bmf_extent *in)
{
    if (++s->nodes > MOST_NODES || s->level > MOST_LEVELS || s->status != BMF_OK)
        return NULL;
    s->level++;
    const bmf_extent *out = infer_form(s, e, in);
    s->level--;
    if (s->observer)
        s->observer->saw(s->observer->state, e, out);
    return out;
}

int extents_check(bmf_context *ctx, const bmf_texts *texts, bmf_expressions *arena, const bmf_expression *checked,
                  const bmf_extent *argument, const bmf_extent_observer *observer, const bmf_extent **value)
{
    survey s = {.ctx = ctx, .texts = texts, .arena = arena, .observer = observer};
    const bmf_extent *made = infer(&s, checked, argument);
    if (value)
        *value = made;
    return s.status;
}

/* ---- words ---- */

void extent_print(const bmf_extent *extent, const bmf_type *type, char *text, size_t size)
{
    size_t used = 0;
    bool known = false;
    text[0] = '\0';
    for (; is_list(type) && used < size; type = type->component[0], extent = part_of(extent, 0)) {
        char length[24] = "?";
        const int64_t n = number_of(extent);
        if (n >= 0)
            snprintf(length, sizeof length, "%" PRId64, n);
        known = known || n >= 0;
        used += (size_t)snprintf(text + used, size - used, "%s%s", used > 0 ? " x " : " ", length);
    }
    if (!known)
        text[0] = '\0';
}

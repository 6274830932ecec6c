/* The type checker: names, compositions, conversions, messages.
 *
 * Method: the type of the argument is pushed through the expression from the right to the left; every node is copied
 * with the types it has there. A definition is checked once for each type it is used at (and once more inside maps,
 * where less is allowed), and its uses share the result: a chain of names, each twice the one before, stays as short
 * as it is written.
 * Cost: O(nodes * types a definition is used at).
 * Source: document 000, chapter 2 and 4.2; the rules stand in docs/language.md. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "skeletons/language/types/checker.h"
#include "skeletons/language/forms/form.h"
#include "skeletons/language/front/data.h"
#include "skeletons/language/front/fields.h"
#include "skeletons/language/notation/syntax.h"

enum {
    MAX_PARTS = 1024,     /* of a flattened composition */
    MAX_NAMED_PARTS = 64, /* of one whose parts keep the names they had: parts with names of their own are not shared */
    MAX_TYPE_NODES = 1000 /* of a type: names that double it would fill the memory */
};

struct bmf_checker_memo {
    const bmf_type *in;
    bool inside;
    bmf_expression *typed;
    bmf_checker_memo *next;
};

/* ---- messages ---- */

char *checker_words(const bmf_type *type, char text[BMF_TYPE_WORDS])
{
    bmf_type_print(type, text, BMF_TYPE_WORDS);
    if (strlen(text) == BMF_TYPE_WORDS - 1)
        memcpy(text + BMF_TYPE_WORDS - 3, "..", 2);
    return text;
}

bool checker_in_notation(const bmf_checker *checker, const bmf_expression *expression)
{
    const int text = expression->span.text;
    return checker->texts && text >= 0 && text < checker->texts->count && checker->texts->text[text].words;
}

const char *checker_keyword(const bmf_expression *expression)
{
    return expression_keyword(expression);
}

/* Appends " (in $Size, used at lib.bmf:1:9; in $Mean, used at prog.bmf:3:4)": the innermost uses and the outermost
 * one. */
static void add_uses(const bmf_checker *checker, char *text, size_t size)
{
    enum { SHOWN = 3 };
    size_t used = strlen(text);
    int shown = 0;
    for (const bmf_checker_use *use = checker->use; use && used < size; use = use->outer, shown++) {
        if (shown == SHOWN && use->outer) {
            used += (size_t)snprintf(text + used, size - used, "; ..");
            while (use->outer)
                use = use->outer;
            if (used >= size)
                return;
        }
        int64_t line = 0, column = 0;
        const bmf_text *source = use->span.text >= 0 ? &checker->texts->text[use->span.text] : NULL;
        if (source)
            text_place(source, use->span.begin, &line, &column);
        used +=
            (size_t)snprintf(text + used, size - used, "%sin $%.40s, used at %.60s:%lld:%lld", shown == 0 ? " (" : "; ",
                             use->name, source ? source->name : "?", (long long)line, (long long)column);
    }
    if (shown > 0 && used + 1 < size)
        memcpy(text + used, ")", 2);
}

bmf_expression *checker_fail(bmf_checker *checker, bmf_span span, const char *format, ...)
{
    checker->status = BMF_ERROR_TYPE;
    if (!checker->texts)
        return NULL;
    char text[500];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    add_uses(checker, text, sizeof text);
    checker->status = text_fail(checker->texts, checker->ctx, span, BMF_ERROR_TYPE, "%s", text);
    return NULL;
}

bmf_expression *checker_needs(bmf_checker *checker, const bmf_expression *expression, const char *what,
                              const bmf_type *found)
{
    char words[BMF_TYPE_WORDS];
    return checker_fail(checker, expression->span, "%s needs %s, found %s", checker_keyword(expression), what,
                        checker_words(found, words));
}

/* ---- types of nodes ---- */

bool bmf_type_holds_distributed(const bmf_type *type)
{
    if (type->kind == BMF_DISTRIBUTED)
        return true;
    for (int k = 0; k < type->components; k++)
        if (bmf_type_holds_distributed(type->component[k]))
            return true;
    return false;
}

void expression_set_types(bmf_expression *node, const bmf_type *in, const bmf_type *out)
{
    node->in = in;
    node->out = out;
    const bmf_expression_form *form = form_of(node);
    node->parallel = form->is_parallel && form->is_parallel(node, in);
    node->communicates = node->parallel;
    node->repeats = form->repeats;
    for (int k = 0; k < node->children; k++) {
        if (!node->child[k])
            continue;
        node->communicates = node->communicates || node->child[k]->communicates;
        node->repeats = node->repeats || node->child[k]->repeats;
    }
}

/* Nodes of a type, counted up to a limit. */
static int count_nodes(const bmf_type *type, int limit)
{
    int count = 1;
    for (int k = 0; k < type->components && count < limit; k++)
        count += count_nodes(type->component[k], limit - count);
    return count;
}

/* Scalars of a fixed type, -1 for others; *most: of the largest fixed part. */
static int count_scalars(const bmf_type *type, int *max)
{
    if (type->kind <= BMF_BOOL)
        return 1;
    int count = 0;
    for (int k = 0; k < type->components; k++) {
        int inner = count_scalars(type->component[k], max);
        count = count < 0 || inner < 0 ? -1 : count + inner;
    }
    if (type->kind != BMF_TUPLE)
        return -1;
    if (count > *max)
        *max = count;
    return count;
}

const char *type_too_large(const bmf_type *type)
{
    int max = 0;
    if (count_nodes(type, MAX_TYPE_NODES) >= MAX_TYPE_NODES)
        return "a type of 1000 or more parts; the limit is 999";
    count_scalars(type, &max);
    return max > BMF_MAX_LEAVES ? "a tuple of more than 32 scalars" : NULL;
}

bmf_expression *checker_finish(bmf_checker *checker, bmf_expression *node, const bmf_type *in, const bmf_type *out)
{
    if (!node)
        return NULL;
    const char *large = type_too_large(out);
    if (large)
        return checker_fail(checker, node->span, "%s makes %s", checker_keyword(node), large);
    expression_set_types(node, in, out);
    return node;
}

bmf_expression *checker_node(bmf_checker *checker, const bmf_expression *expression, int children,
                             bmf_expression *const *child)
{
    for (int k = 0; k < children; k++)
        if (!child[k])
            return NULL;
    bmf_expression *node = expression_create(checker->arena, expression->kind, expression->span, children);
    node->parallel = expression->parallel;
    node->operation = expression->operation;
    node->numbers = expression->numbers;
    node->on_grid = expression->on_grid;
    memcpy(node->number, expression->number, sizeof node->number);
    node->constant = expression->constant;
    node->name = expression->name;
    memcpy(node->processors, expression->processors, sizeof node->processors);
    for (int k = 0; k < children; k++)
        node->child[k] = child[k];
    return node;
}

/* ---- compositions ---- */

static int parts_of(const bmf_expression *expression)
{
    return expression->kind == BMF_EXPRESSION_COMP ? expression->children : 1;
}

bmf_expression *expression_compose(bmf_expressions *arena, bmf_span span, int parts, bmf_expression *const *part)
{
    int64_t flat = 0;
    for (int k = 0; k < parts; k++)
        flat += parts_of(part[k]);
    if (parts == 1)
        return part[0];
    bool flatten = flat <= MAX_PARTS, named = flat <= MAX_NAMED_PARTS;
    bmf_expression *node = expression_create(arena, BMF_EXPRESSION_COMP, span, flatten ? (int)flat : parts);
    int at = 0;
    for (int k = 0; k < parts; k++) {
        if (flatten && part[k]->kind == BMF_EXPRESSION_COMP) {
            for (int i = 0; i < part[k]->children; i++)
                node->child[at++] = expression_under(arena, part[k]->child[i], named ? part[k]->names : NULL);
        } else {
            node->child[at++] = part[k];
        }
    }
    expression_set_types(node, part[parts - 1]->in, part[0]->out);
    return node;
}

typedef struct part_list {
    const bmf_expression **part;
    int count, capacity;
} part_list;

static void add_part(part_list *list, const bmf_expression *part)
{
    if (list->count == list->capacity) {
        int capacity = list->capacity > 0 ? 2 * list->capacity : 16;
        list->part = reallocate(list->part, list->capacity * (int64_t)sizeof *list->part,
                                capacity * (int64_t)sizeof *list->part);
        list->capacity = capacity;
    }
    list->part[list->count++] = part;
}

/* The parts of a composition as written; a chain of dots nests to the right, as long as the text. */
static void collect_parts(part_list *list, const bmf_expression *expression)
{
    for (; expression->kind == BMF_EXPRESSION_COMP; expression = expression->child[expression->children - 1])
        for (int k = 0; k + 1 < expression->children; k++)
            collect_parts(list, expression->child[k]);
    add_part(list, expression);
}

bmf_expression *checker_composition(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    part_list list = {NULL, 0, 0};
    collect_parts(&list, expression);
    bmf_expression **typed = allocate(list.count * (int64_t)sizeof *typed), *result = NULL;
    int k = list.count;
    for (const bmf_type *type = in; k > 0; k--) {
        typed[k - 1] = checker_infer(checker, list.part[k - 1], type);
        if (!typed[k - 1])
            break;
        type = typed[k - 1]->out;
    }
    if (k == 0)
        result = expression_compose(checker->arena, expression->span, list.count, typed);
    free(typed);
    free(list.part);
    return result;
}

/* ---- conversions ---- */

static bmf_expression *conversion(bmf_expressions *arena, bmf_span span, const bmf_type *from, const bmf_type *to)
{
    if (from->kind == BMF_LIST && bmf_type_is_fixed(from->component[0]) && bmf_type_is_fixed(to->component[0])) {
        bmf_expression *map = expression_create(arena, BMF_EXPRESSION_MAP, span, 1);
        map->child[0] = conversion(arena, span, from->component[0], to->component[0]);
        expression_set_types(map, from, to);
        return map;
    }
    bmf_expression *node = expression_create(arena, BMF_EXPRESSION_CONVERT, span, 0);
    expression_set_types(node, from, to);
    return node;
}

/* A record where a tuple is asked for has no names any more, which nobody needs to compute. */
static bmf_expression *renamed(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in,
                               const bmf_type *out)
{
    bmf_expression *same = expression_copy(checker->arena, expression);
    same->in = in;
    same->out = out;
    return same;
}

bmf_expression *checker_convert(bmf_checker *checker, bmf_expression *expression, const bmf_type *to)
{
    if (!expression || expression->out == to)
        return expression;
    if (type_without_fields(expression->out) == type_without_fields(to))
        return renamed(checker, expression, expression->in, to);
    if (expression->kind == BMF_EXPRESSION_CON && expression->out->kind == BMF_INT && to->kind == BMF_REAL) {
        bmf_expression *constant = expression_copy(checker->arena, expression);
        constant->constant = (bmf_constant){BMF_REAL, 0, (double)expression->constant.integer};
        constant->out = to;
        return constant;
    }
    bmf_expression *both[2] = {conversion(checker->arena, expression->span, expression->out, to), expression};
    return expression_compose(checker->arena, expression->span, 2, both);
}

bmf_expression *checker_convert_argument(bmf_checker *checker, bmf_expression *node, const bmf_type *in)
{
    if (!node || node->in == in)
        return node;
    if (type_without_fields(node->in) == type_without_fields(in))
        return renamed(checker, node, in, node->out);
    bmf_expression *both[2] = {node, conversion(checker->arena, node->span, in, node->in)};
    return expression_compose(checker->arena, node->span, 2, both);
}

/* ---- names ---- */

static bmf_expression *infer_definition(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    const bmf_definition *definition = checker->library ? library_find(checker->library, expression->name) : NULL;
    if (!definition)
        return checker_fail(checker, expression->span, "$%.100s is not defined", expression->name);
    bmf_checker_memo **memo = &checker->memo[definition - checker->library->definition];
    bool inside = checker->inside > 0;
    for (const bmf_checker_memo *known = *memo; known; known = known->next)
        if (known->in == in && known->inside == inside)
            return known->typed;
    bmf_checker_use use = {expression->name, expression->span, checker->use};
    checker->use = &use;
    bmf_expression *typed = checker_infer(checker, definition->expression, in);
    checker->use = use.outer;
    if (!typed)
        return NULL;
    bmf_checker_memo *made = allocate(sizeof *made);
    *made = (bmf_checker_memo){in, inside, typed, *memo};
    *memo = made;
    return typed;
}

/* A composition of many parts, flattened or not. */
static bool is_long(const bmf_expression *expression)
{
    bool is = parts_of(expression) > MAX_NAMED_PARTS;
    for (int k = 0; expression->kind == BMF_EXPRESSION_COMP && k < expression->children && !is; k++)
        is = expression->child[k]->kind == BMF_EXPRESSION_COMP;
    return is;
}

/* Scalar expressions become parts of kernels, which are too small for regions; all uses of them share one, as those of
 * long compositions do, which names that double make. */
bmf_expression *checker_name(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    char text[BMF_TYPE_WORDS];
    bmf_expression *typed = infer_definition(checker, expression, in);
    if (!typed || is_scalar_expression(typed) || is_long(typed))
        return typed;
    int length = snprintf(text, sizeof text, "$%s", expression->name);
    length = length < (int)sizeof text ? length : (int)sizeof text - 1;
    bmf_naming use = {.name = expressions_text(checker->arena, text, length), .use = expression->span};
    return expression_under(checker->arena, typed, naming_keep(checker->arena, &use));
}

static void free_memos(bmf_checker *checker)
{
    for (int k = 0; checker->library && k < checker->library->count; k++) {
        while (checker->memo[k]) {
            bmf_checker_memo *next = checker->memo[k]->next;
            free(checker->memo[k]);
            checker->memo[k] = next;
        }
    }
    free(checker->memo);
}

/* ---- patterns of the notation ---- */

static bool fail_binding(bmf_checker *checker, const bmf_binding *binding, const bmf_type *in)
{
    char words[BMF_TYPE_WORDS];
    checker_words(in, words);
    const bmf_checker_use *use = checker->use;
    if (binding->function && use) {
        checker->use = use->outer;
        checker_fail(checker, use->span, "%.60s takes %d arguments, found %s", binding->function, binding->parts,
                     words);
        checker->use = use;
    } else if (in->kind == BMF_TUPLE)
        checker_fail(checker, binding->span, "the pattern has %d component%s, the value %d: %s", binding->parts,
                     binding->parts == 1 ? "" : "s", in->components, words);
    else
        checker_fail(checker, binding->span, "the pattern has %d components, the value is no tuple: %s", binding->parts,
                     words);
    return false;
}

/* A tuple's pattern needs a tuple of as many components. */
static bool fits_binding(bmf_checker *checker, const bmf_binding *binding, const bmf_type *in)
{
    if (binding->parts == 0 || in->kind == BMF_NOTHING)
        return true;
    if (in->kind != BMF_TUPLE || in->components != binding->parts)
        return fail_binding(checker, binding, in);
    for (int k = 0; k < binding->parts; k++)
        if (!fits_binding(checker, binding->part[k], in->component[k]))
            return false;
    return true;
}

/* ---- everything ---- */

bmf_expression *checker_infer(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    if (expression->in == in) /* the rewriter's: typed already */
        return (bmf_expression *)expression;
    if (checker->depth == BMF_MAX_DEPTH)
        return checker_fail(checker, expression->span, "with all names replaced, expressions nest more than %d deep",
                            BMF_MAX_DEPTH);
    for (const bmf_binding *binding = expression->binding; binding; binding = binding->also)
        if (!fits_binding(checker, binding, in))
            return NULL;
    checker->depth++;
    bmf_expression *typed = form_of(expression)->check(checker, expression, in);
    checker->depth--;
    for (const bmf_binding *binding = expression->result; typed && binding; binding = binding->also)
        if (!fits_binding(checker, binding, typed->out))
            typed = NULL;
    if (checker->observer)
        checker->observer->saw(checker->observer->state, expression, in, typed ? typed->out : NULL);
    return typed;
}

bmf_expression *checker_infer_inside(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in)
{
    checker->inside++;
    bmf_expression *typed = checker_infer(checker, expression, in);
    checker->inside--;
    return typed;
}

int check_types(bmf_context *ctx, const bmf_texts *texts, bmf_expressions *arena, const bmf_library *library,
                const bmf_expression *expression, const bmf_type *argument, bmf_expression **checked)
{
    return check_types_observed(ctx, texts, arena, library, expression, argument, NULL, NULL, checked);
}

int check_types_observed(bmf_context *ctx, const bmf_texts *texts, bmf_expressions *arena, const bmf_library *library,
                         const bmf_expression *expression, const bmf_type *argument, const bmf_type_observer *observer,
                         const bmf_type **value, bmf_expression **checked)
{
    bmf_checker checker = {.ctx = ctx, .texts = texts, .arena = arena, .library = library, .observer = observer};
    const char *large = type_too_large(argument);
    if (large)
        return text_fail(texts, ctx, expression->span, BMF_ERROR_TYPE, "the argument has %s", large);
    if (library)
        checker.memo = allocate_clear(library->count, sizeof *checker.memo);
    bmf_expression *typed = checker_infer(&checker, expression, bmf_type_intern(argument));
    free_memos(&checker);
    if (!typed)
        return checker.status;
    if (value)
        *value = typed->out;
    expressions_forget_fields(arena);
    *checked = typed;
    return BMF_OK;
}

bmf_expression *check_again(bmf_expressions *arena, const bmf_expression *expression, const bmf_type *in)
{
    bmf_checker checker = {.arena = arena};
    return checker_infer(&checker, expression, in);
}

/* All types fixed, and only forms that compute; budget bounds the work where uses share definitions. */
static bool is_scalar(const bmf_expression *node, int *budget)
{
    if (--*budget < 0 || !form_of(node)->is_scalar || !bmf_type_is_fixed(node->in) || !bmf_type_is_fixed(node->out))
        return false;
    for (int k = 0; k < node->children; k++)
        if (!is_scalar(node->child[k], budget))
            return false;
    return true;
}

bool is_scalar_expression(const bmf_expression *checked)
{
    int budget = 4096; /* instructions of a kernel, not much more */
    return is_scalar(checked, &budget);
}

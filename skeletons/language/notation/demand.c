/* What core functions take of their arguments.
 *
 * Method: an expression is walked from what is applied first; components split the pattern, everything else uses what
 * it meets. A part that is used as a whole and in components has names for the components. */
#include "skeletons/language/notation/demand.h"

#include <stdio.h>
#include <string.h>

#include "skeletons/language/front/fields.h"

static const char value[] = "x", list[] = "xs"; /* marks of what is used, before it has a name */

static void split(notation_naming *naming, notation_pattern *pattern, int parts)
{
    const char *used = pattern->name;
    const bmf_span nowhere = {.text = -1};
    notation_pattern *made = notation_pattern_create(naming->arena, NULL, nowhere, parts);
    for (int k = 0; k < parts; k++)
        made->part[k] = notation_pattern_create(naming->arena, used, nowhere, 0);
    *pattern = *made;
}

static void use(notation_pattern *pattern, const char *as)
{
    for (int k = 0; k < pattern->parts; k++)
        use(pattern->part[k], value);
    if (pattern->parts == 0 && pattern->name != list)
        pattern->name = as;
}

static void use_pair(notation_naming *naming, notation_pattern *pattern, const char *first, const char *second)
{
    if (pattern->parts == 0)
        split(naming, pattern, 2);
    if (pattern->parts != 2) {
        use(pattern, value);
        return;
    }
    use(pattern->part[0], first);
    use(pattern->part[1], second);
}

/* A tuple of so many components, each as a whole. */
static void use_parts(notation_naming *naming, notation_pattern *pattern, int parts)
{
    if (pattern->parts == 0)
        split(naming, pattern, parts);
    use(pattern, value);
}

static void demand(notation_naming *naming, const bmf_expression *expression, notation_pattern *pattern);

/* Two components or more that have none of their own: names that are handed on together. */
static bool is_flat(const notation_pattern *pattern)
{
    for (int k = 0; k < pattern->parts; k++)
        if (pattern->part[k]->parts > 0)
            return false;
    return pattern->parts > 1;
}

/* An operation; `next` is applied behind it, or NULL. */
static void demand_operation(notation_naming *naming, const bmf_expression *operation, const bmf_expression *next,
                             notation_pattern *pattern)
{
    const notation_builtin *builtin = builtin_of_operation(operation->operation);
    if (operation->operation == BMF_OPERATION_INDEX) {
        use_pair(naming, pattern, list, value);
    } else if (operation->operation == BMF_OPERATION_SLICE) {
        use_parts(naming, pattern, 3);
        use(pattern->parts == 3 ? pattern->part[0] : pattern, list);
    } else if (operation->operation == BMF_OPERATION_DISTL) {
        notation_pattern both = {.span = {.text = -1}};
        if (pattern->parts == 0)
            split(naming, pattern, 2);
        use_pair(naming, pattern, value, list);
        if (next && next->kind == BMF_EXPRESSION_MAP)
            demand(naming, next->child[0], &both);
        if (pattern->parts == 2 && both.parts == 2 && is_flat(both.part[0]) && pattern->part[0]->parts == 0) {
            *pattern->part[0] = *both.part[0];
            use(pattern->part[0], value);
        }
    } else if (builtin && builtin->role == NOTATION_BINARY) {
        const bool lists = operation->operation == BMF_OPERATION_CONC ||
                           operation->operation == BMF_OPERATION_PROJECT ||
                           operation->operation == BMF_OPERATION_MATMUL;
        use_pair(naming, pattern, lists ? list : value, lists ? list : value);
    } else {
        use(pattern, operation->operation == BMF_OPERATION_LENGTH ? list : value);
    }
}

/* Where a walk along the links of a composition stands. */
typedef struct walk {
    notation_pattern *pattern; /* of what the next link is applied to; NULL: something new */
    bool component;            /* a part of the argument, which links that use it often have a name of their own for */
} walk;

static void demand_part(notation_naming *naming, const bmf_expression *part, const bmf_expression *next, walk *at)
{
    notation_pattern *pattern = at->pattern;
    if (part->kind == BMF_EXPRESSION_ID)
        return;
    at->pattern = NULL;
    switch (part->kind) {
    case BMF_EXPRESSION_ADDR:
        if (pattern->parts == 0)
            split(naming, pattern, (int)part->number[1]);
        if (pattern->parts == part->number[1])
            *at = (walk){pattern->part[part->number[0] - 1], true};
        else
            use(pattern, value);
        return;
    case BMF_EXPRESSION_CON:
    case BMF_EXPRESSION_ALLTUP:
    case BMF_EXPRESSION_ALLVEC:
    case BMF_EXPRESSION_IF:
        if (at->component)
            use(pattern, value);
        for (int k = 0; k < part->children && !at->component; k++)
            demand(naming, part->child[k], pattern);
        return;
    case BMF_EXPRESSION_OP:
        demand_operation(naming, part, next, pattern);
        return;
    case BMF_EXPRESSION_ZIP:
        use_pair(naming, pattern, list, list);
        return;
    case BMF_EXPRESSION_REDUCE_BY_KEY:
        use_pair(naming, pattern, value, list);
        return;
    case BMF_EXPRESSION_RECORD:
    case BMF_EXPRESSION_WITH:
        use_parts(naming, pattern, fields_count(part->name) + (part->kind == BMF_EXPRESSION_WITH));
        return;
    case BMF_EXPRESSION_NAME:
    case BMF_EXPRESSION_WHILE:
    case BMF_EXPRESSION_FIELD:
        use(pattern, value);
        return;
    default:
        use(pattern, list);
    }
}

static void demand_links(notation_naming *naming, const bmf_expression *expression, const bmf_expression *next,
                         walk *at)
{
    if (expression->kind != BMF_EXPRESSION_COMP)
        demand_part(naming, expression, next, at);
    for (int k = expression->children - 1; expression->kind == BMF_EXPRESSION_COMP && k >= 0 && at->pattern; k--)
        demand_links(naming, expression->child[k], k > 0 ? expression->child[k - 1] : next, at);
}

static void demand(notation_naming *naming, const bmf_expression *expression, notation_pattern *pattern)
{
    walk at = {pattern, false};
    demand_links(naming, expression, NULL, &at);
    if (at.pattern)
        use(at.pattern, value);
}

/* ---- names ---- */

static bool is_taken(const notation_naming *naming, const char *name)
{
    const int64_t size = (int64_t)strlen(name);
    return builtin_find(name, size) || notation_is_reserved(name, size) ||
           (naming->library && library_find(naming->library, name));
}

const char *demand_name(notation_naming *naming, bool is_list)
{
    static const char letters[] = "xyzuvwabcdefghjkmnpqrst";
    enum { LETTERS = sizeof letters - 1 };
    char name[32];
    do {
        const int k = naming->count % LETTERS, round = naming->count / LETTERS;
        naming->count++;
        if (round == 0)
            snprintf(name, sizeof name, "%c%s", letters[k], is_list ? "s" : "");
        else
            snprintf(name, sizeof name, "%c%s%d", letters[k], is_list ? "s" : "", round + 1);
    } while (is_taken(naming, name));
    return expressions_text(naming->arena, name, (int64_t)strlen(name));
}

static void give_names(notation_naming *naming, notation_pattern *pattern)
{
    if (pattern->name)
        pattern->name = demand_name(naming, pattern->name == list);
    for (int k = 0; k < pattern->parts; k++)
        give_names(naming, pattern->part[k]);
}

notation_pattern *demand_both(notation_naming *naming, const bmf_expression *a, const bmf_expression *b)
{
    const bmf_span nowhere = {.text = -1};
    notation_pattern *pattern = notation_pattern_create(naming->arena, NULL, nowhere, 0);
    demand(naming, a, pattern);
    if (b)
        demand(naming, b, pattern);
    give_names(naming, pattern);
    return pattern;
}

notation_pattern *demand_pattern(notation_naming *naming, const bmf_expression *expression)
{
    return demand_both(naming, expression, NULL);
}

/* What the names in equations stand for.
 *
 * A name is an argument of its function, or one of the predefined functions, or, in this order: a definition of the
 * file itself; an operation of the data sheet; a definition of another file. So a sheet takes the place of the machine
 * that a file includes, and the file's own equations stay. Where there is no t<op> of an operation, that of another one
 * stands for it (prelude.c).
 *
 * Every definition is looked at, used or not; then calls are followed to find those that lead back. Cost: O(names and
 * calls); the stack grows with the depth of calls, which is limited. */
#include <stdlib.h>
#include <string.h>

#include "predict/equations/equations_private.h"
#include "runtime/base/allocate.h"
#include "runtime/base/edit_distance.h"
#include "runtime/base/near_names.h"

enum { CALLS_DEPTH = 500, NEAR_TEXT = 200 };

/* ---- unknown names ---- */

static void offer_all(const bmf_equations *e, const char *name, near_names *near)
{
    for (int k = 0; predefined_at(k); k++)
        near_names_offer(near, predefined_at(k)->name, name_distance(name, predefined_at(k)->name));
    for (int32_t k = 0; k < e->definitions; k++)
        if (!e->definition[k].hidden)
            near_names_offer(near, e->name[e->definition[k].name], name_distance(name, e->name[e->definition[k].name]));
}

/* Operations of the sheet with a t in front. held: a place for each, which lives as long as near. */
static void offer_sheet(const bmf_equations *e, const char *name, near_names *near, char held[][BMF_SHEET_NAME + 1])
{
    const char *before = "";
    int count = 0;
    for (int64_t k = 0; e->sheet && k < e->sheet->entries; k++) {
        const char *operation = e->sheet->entry[k].operation;
        char with_t[BMF_SHEET_NAME + 1];
        if (strcmp(operation, before) == 0)
            continue;
        before = operation;
        snprintf(with_t, sizeof with_t, "t%s", operation);
        const int64_t distance = name_distance(name, with_t);
        if (distance > near->limit || count == NEAR_NAMES_MAX)
            continue;
        memcpy(held[count], with_t, sizeof with_t);
        near_names_offer(near, held[count++], distance);
    }
}

static int fail_unknown(const bmf_equations *e, const bmf_equation_node *node)
{
    const char *name = e->name[node->name];
    char text[NEAR_TEXT] = "", held[NEAR_NAMES_MAX][BMF_SHEET_NAME + 1];
    near_names near = {.max = 3, .limit = strlen(name) < 5 ? 1 : 3};
    offer_sheet(e, name, &near, held);
    offer_all(e, name, &near);
    near_names_text(&near, text, sizeof text);
    if (strlen(name) == 1 && strchr("pdc", name[0]) && !node->called)
        return equation_fail(e, node->span, BMF_ERROR_FILE, "%s is not an argument of this function", name);
    if (e->sheet && name[0] == 't' && node->called)
        return equation_fail(e, node->span, BMF_ERROR_FILE,
                             "neither a function nor an operation of the sheet is called %s%s%s", name,
                             text[0] ? "; near: " : "", text);
    return equation_fail(e, node->span, BMF_ERROR_FILE, "unknown name %s%s%s%s", name, text[0] ? "; near: " : "", text,
                         is_operation_time(name) ? "; what messages cost comes from a sheet or an included file" : "");
}

/* ---- one name ---- */

static bool find_argument(const bmf_definition *of, bmf_equation_node *node)
{
    for (int k = 0; k < of->arguments && !node->called; k++)
        if (of->argument[k] == node->name) {
            node->target = BMF_TARGET_ARGUMENT;
            node->number = k;
            return true;
        }
    return false;
}

static void set_target(bmf_equation_node *node, bmf_target target, int32_t number)
{
    node->target = target;
    node->number = number;
}

static int32_t definition_of(bmf_equations *e, const char *name)
{
    const int32_t number = equation_name(e, name, (int64_t)strlen(name)); /* of_name may move */
    return e->of_name[number];
}

/* What t<op> stands for, by itself or by another operation. */
static bool find_operation(bmf_equations *e, bmf_equation_node *node)
{
    int32_t found;
    for (const char *name = e->name[node->name]; name; name = stand_in_time(name))
        if ((found = equation_sheet_operation(e, name)) >= 0) {
            set_target(node, BMF_TARGET_SHEET, found);
            return true;
        }
    for (const char *name = e->name[node->name]; name; name = stand_in_time(name))
        if ((found = definition_of(e, name)) >= 0) {
            set_target(node, BMF_TARGET_DEFINITION, found);
            return true;
        }
    return false;
}

static int check_count(const bmf_equations *e, const bmf_equation_node *node, int min, int max)
{
    if (node->children >= min && node->children <= max)
        return BMF_OK;
    return equation_fail(e, node->span, BMF_ERROR_FILE, "%s needs %s%d argument%s, found %d", e->name[node->name],
                         max > min ? "at least " : "", min, min == 1 ? "" : "s", node->children);
}

static int check_call(const bmf_equations *e, const bmf_equation_node *node)
{
    int count = 0;
    if (node->target == BMF_TARGET_DEFINITION)
        count = e->definition[node->number].arguments;
    else if (node->target == BMF_TARGET_SHEET)
        count = e->operation[node->number].takes_p + e->operation[node->number].takes_d;
    return check_count(e, node, count, count);
}

static int resolve_name(bmf_equations *e, const bmf_definition *of, bmf_equation_node *node)
{
    if (find_argument(of, node))
        return BMF_OK;
    const bmf_predefined *predefined = predefined_find(e->name[node->name]);
    if (predefined) {
        BMF_TRY(check_count(e, node, predefined->min_arguments, predefined->max_arguments));
        node->operation = predefined->operation;
        return BMF_OK;
    }
    const int32_t own = e->of_name[node->name];
    if (own >= 0 && e->definition[own].depth == 0)
        set_target(node, BMF_TARGET_DEFINITION, own);
    else if (!find_operation(e, node))
        return fail_unknown(e, node);
    return check_call(e, node);
}

/* ---- calls ---- */

enum { NOT_SEEN, OPEN, DONE };

typedef struct walk {
    bmf_equations *equations;
    char *state; /* of definitions */
    int depth;
    int32_t open[CALLS_DEPTH];
} walk;

/* "a, b, a": the calls from the definition back to itself. */
static int fail_recursion(const walk *w, const bmf_equation_node *node)
{
    const bmf_equations *e = w->equations;
    char path[NEAR_TEXT] = "";
    size_t used = 0;
    int first = w->depth - 1;
    while (first > 0 && w->open[first] != node->number)
        first--;
    for (int k = first; k < w->depth && used < sizeof path; k++)
        used += (size_t)snprintf(path + used, sizeof path - used, "%s, ", e->name[e->definition[w->open[k]].name]);
    return equation_fail(e, node->span, BMF_ERROR_FILE, "%s calls itself (%s%s)", e->name[node->name], path,
                         e->name[node->name]);
}

static int visit(walk *w, int32_t number)
{
    const bmf_equations *e = w->equations;
    const bmf_definition *of = &e->definition[number];
    if (w->state[number] == DONE)
        return BMF_OK;
    if (w->depth == CALLS_DEPTH)
        return equation_fail(e, of->span, BMF_ERROR_FILE, "calls are nested deeper than %d levels", CALLS_DEPTH);
    w->state[number] = OPEN;
    w->open[w->depth++] = number;
    for (int64_t k = of->begin; k < of->end; k++) {
        const bmf_equation_node *node = &e->node[k];
        if (node->target != BMF_TARGET_DEFINITION)
            continue;
        if (w->state[node->number] == OPEN)
            return fail_recursion(w, node);
        BMF_TRY(visit(w, node->number));
    }
    w->depth--;
    w->state[number] = DONE;
    return BMF_OK;
}

static int check_recursion(bmf_equations *e)
{
    walk w = {.equations = e, .state = allocate_clear(e->definitions, 1)};
    int status = BMF_OK;
    for (int32_t k = 0; k < e->definitions && status == BMF_OK; k++)
        if (!e->definition[k].hidden)
            status = visit(&w, k);
    free(w.state);
    return status;
}

static void mark_used(bmf_equations *e, int32_t number)
{
    bmf_definition *of = &e->definition[number];
    if (of->used)
        return;
    of->used = true;
    for (int64_t k = of->begin; k < of->end; k++)
        if (e->node[k].target == BMF_TARGET_DEFINITION)
            mark_used(e, e->node[k].number);
}

/* Phases, or the function ttotal of a file without any. */
static void list_phases(bmf_equations *e)
{
    e->phase = allocate_array(e->definitions, (int64_t)sizeof *e->phase);
    for (int32_t k = 0; k < e->definitions; k++)
        if (!e->definition[k].hidden && e->definition[k].kind == BMF_DEFINED_PHASE)
            e->phase[e->phases++] = k;
    const int32_t total = e->phases > 0 ? -1 : definition_of(e, "ttotal");
    bool fits = total >= 0;
    for (int k = 0; fits && k < e->definition[total].arguments; k++) {
        const char *name = e->name[e->definition[total].argument[k]];
        fits = strlen(name) == 1 && strchr("pdc", name[0]);
    }
    if (fits)
        e->phase[e->phases++] = total;
}

int equations_resolve(bmf_equations *e)
{
    for (int32_t k = 0; k < e->definitions; k++) {
        const bmf_definition *of = &e->definition[k];
        for (int64_t j = of->begin; j < of->end && !of->hidden; j++)
            if (e->node[j].operation == BMF_OP_NAME)
                BMF_TRY(resolve_name(e, of, &e->node[j]));
    }
    BMF_TRY(check_recursion(e));
    list_phases(e);
    for (int32_t k = 0; k < e->phases; k++)
        mark_used(e, e->phase[k]);
    return BMF_OK;
}

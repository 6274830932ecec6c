/* Names in the place of what they stand for.
 *
 * Method: an observer of the checker notes at which types definitions are used; each is typed, and rewritten by the
 * same laws, by itself. Where the program has an equal part, or equal neighbours in a composition, the name takes its
 * place, the largest first. What a law has made of a definition and of what is around it has no name.
 * Cost: O(nodes * definitions) comparisons, most of which end with the first node. */
#include "drivers/plan_names.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/array.h"
#include "runtime/data/type.h"

enum { SMALLEST = 3 }; /* nodes of what is worth a name: a component or an operation is not */

struct plan_name {
    const bmf_definition *definition;
    const bmf_type *in;         /* with the names of fields */
    const bmf_expression *body; /* typed, and rewritten */
    int nodes;
    bool used, printed;
};

/* ---- definitions ---- */

static void note_use(void *state, const bmf_expression *expression, const bmf_type *in, const bmf_type *out)
{
    plan_names *names = state;
    if (expression->kind != BMF_EXPRESSION_NAME || !out)
        return;
    const bmf_definition *definition = library_find(&names->program->library, expression->name);
    const bmf_type *plain = type_without_fields(in);
    for (int k = 0; k < names->count; k++)
        if (names->name[k].definition == definition && type_without_fields(names->name[k].in) == plain)
            return;
    *ARRAY_APPEND(names->name, names->count, names->capacity) = (plan_name){.definition = definition, .in = in};
}

static int count_nodes(const bmf_expression *expression, int limit)
{
    int count = 1;
    for (int k = 0; k < expression->children && count < limit; k++)
        if (expression->child[k])
            count += count_nodes(expression->child[k], limit - count);
    return count;
}

static int by_nodes(const void *a, const void *b)
{
    const plan_name *first = a, *second = b;
    return second->nodes != first->nodes
               ? (second->nodes > first->nodes) - (second->nodes < first->nodes)
               : (first->definition > second->definition) - (first->definition < second->definition);
}

void plan_names_open(plan_names *names, bmf_context *ctx, bmf_program *program, const bmf_rewriting *rewriting)
{
    enum { MANY = 100000 };
    const bmf_type_observer observer = {note_use, names};
    bmf_expression *typed;
    *names = (plan_names){.program = program};
    if (check_types_observed(ctx, &program->texts, program->arena, &program->library, program->parsed,
                             program->argument_type, &observer, NULL, &typed) != BMF_OK)
        return; /* it was typed before */
    for (int k = 0; k < names->count; k++) {
        plan_name *name = &names->name[k];
        if (check_types(ctx, &program->texts, program->arena, &program->library, name->definition->expression, name->in,
                        &typed) != BMF_OK)
            continue;
        if (rewriting) {
            bmf_rewriting same = {.laws = rewriting->laws, .reassociate = rewriting->reassociate};
            typed = rewrite(program->arena, typed, &same);
        }
        name->body = typed->kind == BMF_EXPRESSION_SCALAR ? typed->child[0] : typed;
        name->nodes = count_nodes(name->body, MANY);
    }
    if (names->count > 1)
        qsort(names->name, (size_t)names->count, sizeof *names->name, by_nodes);
}

void plan_names_close(plan_names *names)
{
    free(names->name);
    *names = (plan_names){0};
}

/* ---- in their place ---- */

static bmf_expression *reference(plan_names *names, plan_name *name)
{
    bmf_expression *made = expression_create(names->program->arena, BMF_EXPRESSION_NAME, name->body->span, 0);
    made->name = name->definition->name;
    made->in = name->body->in;
    made->out = name->body->out;
    name->used = true;
    return made;
}

/* The definition may stand in the body of the other one, or, NULL, in the program. */
static bool is_inside(const plan_name *name, const plan_name *but)
{
    return name->body && name->nodes >= SMALLEST && (!but || name->nodes < but->nodes);
}

/* From the argument of the one to the value of the other the types are those of the body. */
static bool has_types(const bmf_expression *argument, const bmf_expression *value, const bmf_expression *body)
{
    return argument->in == body->in && value->out == body->out;
}

/* The links of a body begin at link `at` of a composition that is longer. */
static bool begins_at(const bmf_expression *comp, int at, const bmf_expression *body)
{
    const int size = body->children;
    if (at + size > comp->children || !has_types(comp->child[at + size - 1], comp->child[at], body))
        return false;
    for (int k = 0; k < size; k++)
        if (!expression_equal(comp->child[at + k], body->child[k]))
            return false;
    return true;
}

static bmf_expression *name_links(plan_names *names, bmf_expression *comp, const plan_name *but)
{
    bmf_expression *made = expression_copy(names->program->arena, comp);
    for (int k = 0; k < names->count; k++) {
        plan_name *name = &names->name[k];
        if (!is_inside(name, but) || name->body->kind != BMF_EXPRESSION_COMP)
            continue;
        for (int at = 0; at < made->children; at++) {
            if (!begins_at(made, at, name->body))
                continue;
            const int size = name->body->children;
            made->child[at] = reference(names, name);
            memmove(made->child + at + 1, made->child + at + size,
                    (size_t)(made->children - at - size) * sizeof *made->child);
            made->children -= size - 1;
        }
    }
    return made;
}

static plan_name *name_of(plan_names *names, const bmf_expression *expression, const plan_name *but)
{
    for (int k = 0; k < names->count; k++) {
        plan_name *name = &names->name[k];
        if (is_inside(name, but) && has_types(expression, expression, name->body) &&
            expression_equal(expression, name->body))
            return name;
    }
    return NULL;
}

/* but: the definition whose body this is, or NULL. */
static bmf_expression *put_names(plan_names *names, bmf_expression *expression, const plan_name *but)
{
    if (expression->kind == BMF_EXPRESSION_NAME)
        return expression;
    plan_name *name = name_of(names, expression, but);
    if (name)
        return reference(names, name);
    bmf_expression *made = expression->kind == BMF_EXPRESSION_COMP ? name_links(names, expression, but)
                                                                   : expression_copy(names->program->arena, expression);
    for (int k = 0; k < made->children; k++)
        if (made->child[k])
            made->child[k] = put_names(names, made->child[k], but);
    return made->kind == BMF_EXPRESSION_COMP && made->children == 1 ? made->child[0] : made;
}

bmf_expression *plan_named(plan_names *names, bmf_expression *expression)
{
    return put_names(names, expression, NULL);
}

bmf_expression *plan_named_inside(plan_names *names, const bmf_expression *expression)
{
    return put_names(names, (bmf_expression *)expression, name_of(names, expression, NULL));
}

/* Names of others come in while bodies are printed. */
void plan_names_print(plan_names *names, FILE *out)
{
    for (int k = 0; k < names->count; k++) {
        plan_name *name = &names->name[k];
        if (!name->used || name->printed)
            continue;
        char *text = expression_print(put_names(names, (bmf_expression *)name->body, name), 8), in[512], to[512];
        fprintf(out, "    $%s, %s -> %s =\n%s\n", name->definition->name, bmf_type_print(name->body->in, in, sizeof in),
                bmf_type_print(name->body->out, to, sizeof to), text);
        free(text);
        name->printed = true;
        k = -1;
    }
}

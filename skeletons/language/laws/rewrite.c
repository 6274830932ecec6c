/* The rewriter: applies the laws and makes the expression ready to run.
 *
 * Method: phases (rewriter.h), each with its laws of the table BMF_LAWS. In a phase the expression is walked from the
 * leaves up; at every composition (a single expression is one of one part) the laws are tried at each part, and what
 * fits replaces the parts, until nothing fits; walks are repeated until one changes nothing. Every law either makes the
 * expression smaller or moves a reduction to the left, so this ends. Shared parts are rewritten once per walk.
 * Cost: O(walks * nodes). */
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/base/hash.h"
#include "runtime/base/table.h"
#include "skeletons/language/laws/rewriter.h"

typedef struct law_entry {
    const char *name, *statement;
    bmf_law_phase phase;
    bmf_law_function *apply;
} law_entry;

static const law_entry laws[BMF_LAW_COUNT] = {
#define LAW_ENTRY(law, name, statement, phase, function) {name, statement, BMF_PHASE_##phase, function},
    BMF_LAWS(LAW_ENTRY)
#undef LAW_ENTRY
};

const char *law_name(bmf_law law)
{
    return laws[law].name;
}

const char *law_statement(bmf_law law)
{
    return laws[law].statement;
}

/* ---- what shared parts became in this walk ---- */

typedef struct known_part {
    const bmf_expression *from;
    bmf_expression *to;
} known_part;

typedef struct known_parts {
    bmf_table table;
    known_part *part;
    int64_t count, capacity;
    const bmf_expression *wanted;
} known_parts;

static bool is_part(const void *looked_up, uint32_t number)
{
    const known_parts *known = looked_up;
    return known->part[number].from == known->wanted;
}

/* What a part became, NULL if it is new. */
static bmf_expression *find_part(known_parts *known, const bmf_expression *from)
{
    known->wanted = from;
    const int64_t found = table_find(&known->table, hash_word((uintptr_t)from), is_part, known);
    return found == TABLE_NONE ? NULL : known->part[found].to;
}

static void remember_part(known_parts *known, const bmf_expression *from, bmf_expression *to)
{
    table_make_room(&known->table, known->count + 1);
    table_add(&known->table, hash_word((uintptr_t)from), (uint32_t)known->count);
    *ARRAY_APPEND(known->part, known->count, known->capacity) = (known_part){from, to};
}

/* ---- one walk ---- */

typedef struct walk {
    bmf_rewriter *rewriter;
    bmf_law_phase phase;
    known_parts known;
    bool changed;
} walk;

static void note(walk *w, bmf_law law, const bmf_expression *before, const bmf_expression *after)
{
    bmf_rewriting *rewriting = w->rewriter->rewriting;
    w->changed = true;
    rewriting->applied[law]++;
    if (rewriting->report)
        rewriting->report(rewriting->state, law, before, after);
}

static bool may_apply(const walk *w, bmf_law law)
{
    return laws[law].phase == w->phase && (w->rewriter->rewriting->laws >> law & 1U) != 0;
}

/* The parts of a composition while laws are applied to it. */
typedef struct composition {
    bmf_expression **part;
    int count;
} composition;

/* Replaces `used` parts at `at` by those of the expression. */
static void replace_parts(composition *c, int at, int used, bmf_expression *by)
{
    int more = by->kind == BMF_EXPRESSION_COMP ? by->children : 1;
    bmf_expression *const *from = by->kind == BMF_EXPRESSION_COMP ? by->child : &by;
    int count = c->count - used + more;
    bmf_expression **part = allocate(count * (int64_t)sizeof *part);
    for (int k = 0; k < count; k++)
        part[k] = k < at ? c->part[k] : k < at + more ? from[k - at] : c->part[k - more + used];
    free(c->part);
    *c = (composition){part, count};
}

/* The names that all of these parts have. */
static const bmf_naming *names_of(int parts, bmf_expression *const *part)
{
    const bmf_naming *names = part[0]->names;
    for (int k = 1; k < parts; k++)
        names = naming_common(names, part[k]->names);
    return names;
}

/* What a law has made gets names, or its parts do, unless they have some: they stood there before. */
static bmf_expression *give_names(walk *w, bmf_expression *made, const bmf_naming *names)
{
    bmf_expressions *arena = w->rewriter->arena;
    const bmf_naming *outer = made->names ? made->names : names;
    if (!outer || (made->kind != BMF_EXPRESSION_COMP && made->names))
        return made;
    if (made->kind != BMF_EXPRESSION_COMP)
        return expression_under(arena, made, outer);
    bmf_expression *copy = expression_copy(arena, made);
    copy->names = NULL;
    for (int k = 0; k < copy->children; k++)
        if (made->names || !copy->child[k]->names)
            copy->child[k] = expression_under(arena, copy->child[k], outer);
    return copy;
}

/* Applies the first law that fits at part `at`. */
static bool apply_laws(walk *w, composition *c, int at)
{
    for (bmf_law law = 0; law < BMF_LAW_COUNT; law++) {
        int used = 0;
        bmf_expression *after =
            may_apply(w, law) ? laws[law].apply(w->rewriter, c->count - at, c->part + at, &used) : NULL;
        if (!after)
            continue;
        note(w, law, expression_compose(w->rewriter->arena, c->part[at]->span, used, c->part + at), after);
        replace_parts(c, at, used, give_names(w, after, names_of(used, c->part + at)));
        return true;
    }
    return false;
}

/* The composition of what the parts of an expression have become: under its names if it was a composition, because
 * single parts have theirs. */
static bmf_expression *compose_again(walk *w, const bmf_expression *before, int parts, bmf_expression *const *part)
{
    bmf_expression *after = expression_compose(w->rewriter->arena, before->span, parts, part);
    return before->kind == BMF_EXPRESSION_COMP ? expression_under(w->rewriter->arena, after, before->names) : after;
}

static bmf_expression *apply_phase(walk *w, bmf_expression *expression)
{
    composition c = {NULL, 0};
    bool changed = false;
    replace_parts(&c, 0, 0, expression);
    for (int at = c.count - 1; at >= 0;) {
        if (apply_laws(w, &c, at)) {
            changed = true;
            at = at + 1 < c.count ? at + 1 : c.count - 1;
        } else {
            at--;
        }
    }
    if (changed)
        expression = compose_again(w, expression, c.count, c.part);
    free(c.part);
    return expression;
}

static bmf_expression *visit(walk *w, bmf_expression *expression);

/* The expression with its children visited; itself if none of them changed. */
static bmf_expression *visit_children(walk *w, bmf_expression *expression)
{
    bmf_expression *copy = NULL;
    for (int k = 0; k < expression->children; k++) {
        bmf_expression *child = expression->child[k];
        bool left_alone =
            !child || (expression->kind == BMF_EXPRESSION_STREAM && w->phase == BMF_PHASE_KERNELS && k < 2);
        bmf_expression *visited = left_alone ? child : visit(w, child);
        if (visited == child)
            continue;
        if (!copy)
            copy = expression_copy(w->rewriter->arena, expression);
        copy->child[k] = visited;
    }
    if (!copy)
        return expression;
    if (copy->kind == BMF_EXPRESSION_COMP)
        return compose_again(w, copy, copy->children, copy->child);
    expression_set_types(copy, expression->in, expression->out);
    return copy;
}

/* ---- scalar expressions as kernels ---- */

static bmf_expression *make_kernel(walk *w, bmf_expression *scalar)
{
    bmf_expression *kernel =
        rewriter_node(w->rewriter, BMF_EXPRESSION_SCALAR, scalar->span, 1, &scalar, scalar->in, scalar->out);
    kernel->names = scalar->names;
    note(w, BMF_LAW_SCALAR_FUSION, scalar, kernel);
    return kernel;
}

/* The part of a composition that begins at `at`: the longest run of scalar parts as one expression, or a single
 * part. */
static bmf_expression *next_run(walk *w, const bmf_expression *all, int at, int *count)
{
    int run = 0;
    while (at + run < all->children && is_scalar_expression(all->child[at + run]))
        run++;
    *count = 1;
    if (run < 2)
        return all->child[at];
    bmf_expression *joined = expression_compose(w->rewriter->arena, all->child[at]->span, run, all->child + at);
    if (!is_scalar_expression(joined)) /* too long for one kernel */
        return all->child[at];
    *count = run;
    return expression_under(w->rewriter->arena, joined, names_of(run, all->child + at));
}

static bmf_expression *make_kernels_of_composition(walk *w, bmf_expression *expression)
{
    bmf_expression **part = allocate(expression->children * (int64_t)sizeof *part);
    int parts = 0, count = 0;
    bool changed = false;
    for (int at = 0; at < expression->children; at += count) {
        bmf_expression *run = next_run(w, expression, at, &count);
        part[parts] = visit(w, run);
        changed = changed || part[parts] != run;
        parts++;
    }
    if (changed)
        expression = compose_again(w, expression, parts, part);
    free(part);
    return expression;
}

static bmf_expression *make_kernels(walk *w, bmf_expression *expression)
{
    if (expression->kind == BMF_EXPRESSION_SCALAR || is_structural(expression))
        return expression;
    if (is_scalar_expression(expression))
        return make_kernel(w, expression);
    return expression->kind == BMF_EXPRESSION_COMP ? make_kernels_of_composition(w, expression)
                                                   : visit_children(w, expression);
}

static bmf_expression *visit(walk *w, bmf_expression *expression)
{
    bmf_expression *made = find_part(&w->known, expression);
    if (made)
        return made;
    made = w->phase == BMF_PHASE_KERNELS ? make_kernels(w, expression) : apply_phase(w, visit_children(w, expression));
    remember_part(&w->known, expression, made);
    return made;
}

/* One walk over everything; *changed: a law was applied. */
static bmf_expression *walk_once(bmf_rewriter *rewriter, bmf_law_phase phase, bmf_expression *expression, bool *changed)
{
    walk w = {.rewriter = rewriter, .phase = phase};
    expression = visit(&w, expression);
    table_free(&w.known.table);
    free(w.known.part);
    *changed = w.changed;
    return expression;
}

bmf_expression *rewrite(bmf_expressions *arena, bmf_expression *checked, bmf_rewriting *rewriting)
{
    bmf_rewriter rewriter = {arena, rewriting};
    bool changed;
    for (int law = 0; law < BMF_LAW_COUNT; law++)
        rewriting->applied[law] = 0;
    for (bmf_law_phase phase = BMF_PHASE_ALGEBRA; phase < BMF_PHASE_KERNELS; phase++)
        do
            checked = walk_once(&rewriter, phase, checked, &changed);
        while (changed);
    if ((rewriting->laws >> BMF_LAW_SCALAR_FUSION & 1U) != 0)
        checked = walk_once(&rewriter, BMF_PHASE_KERNELS, checked, &changed);
    return checked;
}

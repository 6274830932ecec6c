/* Phases from decisions. Method: the tree of operators is walked in order; operators join the open phase. A parallel
 * group's operators are in every phase of its last child. Each child of a disjoint group has phases of its own: the
 * first of each joins the phase before, the last ones make one phase behind, what is between stays side by side.
 * Cost: linear in the operators of all phases. Source: document 004, 6.2. */
#include <stdlib.h>
#include <string.h>

#include "predict/cop/plan.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"

typedef struct builder {
    const bmf_cop_plan *plan;
    const uint8_t *decision;
    int64_t decisions, next;
    bool stopped, must_close;
    int unbroken; /* phase groups around */
    int threads;  /* disjoint groups around */
    const bmf_cop_operator *wanted;
    int choices;
    bmf_cop_phases *chain; /* PSEQUENTIAL; its last child is the open phase */
    bmf_cop_use *context;  /* operators that go on */
    bmf_cop_break *breaks; /* NULL, or to be noted, by operator */
    int64_t contexts, context_capacity;
} builder;

static bmf_cop_phases *make_phases(bmf_cop_phases_kind kind)
{
    bmf_cop_phases *made = allocate_clear(1, sizeof *made);
    made->kind = kind;
    return made;
}

static void append(bmf_cop_phases *to, bmf_cop_phases *child)
{
    *ARRAY_APPEND(to->child, to->children, to->capacity) = child;
}

void cop_phases_free(bmf_cop_phases *phases)
{
    if (!phases)
        return;
    for (int64_t k = 0; k < phases->children; k++)
        cop_phases_free(phases->child[k]);
    free(phases->child);
    free(phases->phase.use);
    streams_free(phases->phase.routes);
    free(phases);
}

static bmf_cop_phase *open_phase(const builder *b)
{
    return &b->chain->child[b->chain->children - 1]->phase;
}

static void add_use(bmf_cop_phase *phase, bmf_cop_use use)
{
    *ARRAY_APPEND(phase->use, phase->uses, phase->capacity) = use;
}

static void begin_phase(builder *b, bool with_context)
{
    append(b->chain, make_phases(BMF_COP_ONE_PHASE));
    for (int64_t k = 0; k < b->contexts && with_context; k++) {
        bmf_cop_use use = b->context[k];
        use.continues = true;
        add_use(open_phase(b), use);
    }
}

/* The next decision, or false: it has not been made. */
static bool decide(builder *b, const bmf_cop_operator *op, int choices, int *choice)
{
    *choice = 0;
    if (choices == 1)
        return true;
    if (b->next == b->decisions) {
        b->stopped = true;
        b->wanted = op;
        b->choices = choices;
        return false;
    }
    *choice = b->decision[b->next++];
    return true;
}

static void build(builder *b, const bmf_cop_tree *tree);

static void build_operator(builder *b, const bmf_cop_operator *op)
{
    int choice;
    if (decide(b, op, b->plan->candidates[op->number].count, &choice))
        add_use(open_phase(b), (bmf_cop_use){.op = op, .candidate = choice});
}

/* Whether what goes on may go on in another phase. */
static bool may_go_on(const builder *b)
{
    bool may = !b->plan->settings.in_one_phase;
    for (int64_t k = 0; k < b->contexts && b->plan->settings.optionals_apart; k++)
        may &= b->threads == 0 && cop_can_go_on(b->plan, &b->context[k]);
    return may;
}

static int64_t first_operator(const bmf_cop_tree *tree)
{
    while (!tree->op && tree->children > 0)
        tree = tree->child[0];
    return tree->op ? tree->op->number : -1;
}

/* Whether a phase ends before a child of a sequence that is not its first; false: it has not been decided. */
static bool decide_break(builder *b, const bmf_cop_tree *child, int *close)
{
    const int64_t op = first_operator(child);
    const bmf_cop_break *breaks = b->plan->settings.breaks;
    if (op >= 0 && breaks && breaks[op] != BMF_COP_FREE)
        *close = breaks[op];
    else if (!decide(b, NULL, 2, close))
        return false;
    if (op >= 0 && b->breaks)
        b->breaks[op] = (bmf_cop_break)*close;
    return true;
}

static bool must_break(const builder *b, const bmf_cop_tree *child)
{
    const int64_t op = first_operator(child);
    return op >= 0 && b->plan->settings.breaks && b->plan->settings.breaks[op] == BMF_COP_NEXT_PHASE;
}

static void build_sequence(builder *b, const bmf_cop_tree *tree)
{
    b->unbroken += tree->group == BMF_COP_PHASE;
    for (int64_t k = 0; k < tree->children && !b->stopped; k++) {
        int close = 0;
        if (b->plan->settings.by_messages)
            close = 0;
        else if (k > 0 && b->must_close)
            close = 1;
        else if (k > 0 && b->contexts > 0 && !may_go_on(b))
            close = must_break(b, tree->child[k]);
        else if (k > 0 && b->unbroken == 0 && !decide_break(b, tree->child[k], &close))
            break;
        b->must_close = false;
        if (close && open_phase(b)->uses > 0)
            begin_phase(b, true);
        build(b, tree->child[k]);
    }
    b->unbroken -= tree->group == BMF_COP_PHASE;
    if (tree->group == BMF_COP_PHASE && b->unbroken == 0)
        b->must_close = true;
}

static void build_parallel(builder *b, const bmf_cop_tree *tree)
{
    const int64_t outer = b->contexts, first = open_phase(b)->uses;
    for (int64_t k = 0; k < tree->children && !b->stopped; k++) {
        if (k == tree->children - 1)
            for (int64_t u = first; u < open_phase(b)->uses; u++)
                *ARRAY_APPEND(b->context, b->contexts, b->context_capacity) = open_phase(b)->use[u];
        build(b, tree->child[k]);
    }
    b->contexts = outer;
}

static void move_uses(bmf_cop_phase *to, bmf_cop_phases *from)
{
    for (int64_t k = 0; k < from->phase.uses; k++)
        add_use(to, from->phase.use[k]);
    cop_phases_free(from);
}

/* The chains of the children of a disjoint group; takes them. */
static void merge_chains(builder *b, int64_t count, bmf_cop_phases **chain)
{
    bmf_cop_phases *between = make_phases(BMF_COP_PDISJOINT), *after = NULL;
    for (int64_t k = 0; k < count; k++) {
        move_uses(open_phase(b), chain[k]->child[0]);
        if (chain[k]->children > 2) {
            bmf_cop_phases *middle = make_phases(BMF_COP_PSEQUENTIAL);
            for (int64_t j = 1; j + 1 < chain[k]->children; j++)
                append(middle, chain[k]->child[j]);
            append(between, middle);
        }
    }
    for (int64_t k = 0; k < count; k++) {
        if (chain[k]->children > 1) {
            if (!after)
                after = make_phases(BMF_COP_ONE_PHASE);
            move_uses(&after->phase, chain[k]->child[chain[k]->children - 1]);
        }
        chain[k]->children = 0;
        cop_phases_free(chain[k]);
    }
    if (between->children > 0)
        append(b->chain, between);
    else
        cop_phases_free(between);
    if (after)
        append(b->chain, after);
}

static void build_disjoint(builder *b, const bmf_cop_tree *tree)
{
    bmf_cop_phases *const outer = b->chain, **chain = allocate(tree->children * (int64_t)sizeof(bmf_cop_phases *));
    int64_t made = 0;
    b->threads++;
    for (; made < tree->children && !b->stopped; made++) {
        b->chain = chain[made] = make_phases(BMF_COP_PSEQUENTIAL);
        begin_phase(b, false);
        build(b, tree->child[made]);
    }
    b->threads--;
    b->chain = outer;
    if (b->stopped)
        for (int64_t k = 0; k < made; k++)
            cop_phases_free(chain[k]);
    else
        merge_chains(b, made, chain);
    free(chain);
}

/* Who is in a phase takes part in its end: so what may be left out shares none with what may not. */
static void build_apart(builder *b, const bmf_cop_tree *tree)
{
    if (open_phase(b)->uses > 0)
        begin_phase(b, true);
    build_sequence(b, tree);
    b->must_close = true;
}

static void build(builder *b, const bmf_cop_tree *tree)
{
    if (tree->op)
        build_operator(b, tree->op);
    else if (tree->group == BMF_COP_PARALLEL)
        build_parallel(b, tree);
    else if (tree->group == BMF_COP_DISJOINT)
        build_disjoint(b, tree);
    else if (tree->group == BMF_COP_OPTIONAL && b->plan->settings.optionals_apart)
        build_apart(b, tree);
    else
        build_sequence(b, tree);
}

bmf_cop_phases *cop_build_phases(const bmf_cop_plan *plan, int64_t decisions, const uint8_t *decision,
                                 const bmf_cop_operator **wanted, int *choices)
{
    builder b = {.plan = plan, .decision = decision, .decisions = decisions};
    b.chain = make_phases(BMF_COP_PSEQUENTIAL);
    begin_phase(&b, false);
    build(&b, plan->program->root);
    free(b.context);
    *wanted = b.wanted;
    *choices = b.stopped ? b.choices : 0;
    return b.chain;
}

bmf_cop_break *cop_list_breaks(const bmf_cop_plan *plan)
{
    builder b = {.plan = plan, .decision = plan->decision, .decisions = plan->decisions};
    b.breaks = allocate_array(plan->program->operators + 1, (int64_t)sizeof *b.breaks);
    for (int64_t k = 0; k < plan->program->operators; k++)
        b.breaks[k] = BMF_COP_FREE;
    b.chain = make_phases(BMF_COP_PSEQUENTIAL);
    begin_phase(&b, false);
    build(&b, plan->program->root);
    free(b.context);
    cop_phases_free(b.chain);
    return b.breaks;
}

/* ---- texts ---- */

static void add_text(char *text, size_t size, const char *more)
{
    const size_t used = strlen(text);
    if (used + 1 < size)
        snprintf(text + used, size - used, "%s", more);
}

static void write_phases(const bmf_cop_phases *phases, const char *between, char *text, size_t size)
{
    if (phases->kind == BMF_COP_ONE_PHASE) {
        add_text(text, size, between[0] == ' ' ? "{" : "");
        for (int64_t k = 0; k < phases->phase.uses; k++) {
            if (phases->phase.use[k].made)
                continue;
            add_text(text, size, k > 0 ? "," : "");
            add_text(text, size, phases->phase.use[k].op->label);
        }
        add_text(text, size, between[0] == ' ' ? "}" : "");
        return;
    }
    const bool disjoint = phases->kind == BMF_COP_PDISJOINT;
    add_text(text, size, disjoint ? "pdisjoint(" : "");
    for (int64_t k = 0; k < phases->children; k++) {
        add_text(text, size, k == 0 ? "" : disjoint ? ", " : between);
        add_text(text, size, disjoint ? "{" : "");
        write_phases(phases->child[k], disjoint ? ";" : between, text, size);
        add_text(text, size, disjoint ? "}" : "");
    }
    add_text(text, size, disjoint ? ")" : "");
}

char *cop_phases_text(const bmf_cop_phases *phases, char *text, size_t size)
{
    text[0] = '\0';
    write_phases(phases, " ", text, size);
    return text;
}

static void list_phases(bmf_cop_phases *phases, bmf_cop_phase ***list, int64_t *count, int64_t *capacity)
{
    if (phases->kind == BMF_COP_ONE_PHASE)
        *ARRAY_APPEND(*list, *count, *capacity) = &phases->phase;
    for (int64_t k = 0; k < phases->children; k++)
        list_phases(phases->child[k], list, count, capacity);
}

int64_t cop_list_phases(const bmf_cop_plan *plan, bmf_cop_phase ***list)
{
    int64_t count = 0, capacity = 0;
    *list = NULL;
    list_phases(plan->phases, list, &count, &capacity);
    return count;
}

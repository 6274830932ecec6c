/* Loops: what ranks do again and again, and which ranks do the same.
 *
 * Method: in the list of a rank's calls, blocks that stand behind each other twice or more become one loop, the
 * shortest blocks first, until nothing repeats; loops with equal bodies are equal, whatever their counts. The lists
 * with most loops are tried first as structures: a sequence has the first structure that it can be read with, every
 * loop taking as many turns as fit, or none. So a loop of log2(p) turns, which is no loop on 2 ranks, is one.
 * Cost: O(calls * longest block) for a sequence.
 * Source: tandem repeats, as in F. Freitag, J. Caubet, J. Labarta, "On the scalability of tracing mechanisms", 2002.
 */
#include <string.h>

#include "predict/fit/fit_private.h"

enum { LONGEST_BLOCK = 512 };

/* A list of symbols and, from `symbols` on, loops. */
typedef struct node_list {
    int64_t nodes, capacity;
    int32_t *node;
} node_list;

typedef struct loops {
    int32_t symbols;
    int64_t *first; /* by symbol: in the sequence that is folded */
    int64_t count, capacity;
    node_list *body;
} loops;

static bool are_equal(const int32_t *a, const int32_t *b, int64_t count)
{
    return memcmp(a, b, (size_t)count * sizeof *a) == 0;
}

/* The loop with this body. */
static int32_t loop_of(loops *l, const int32_t *body, int64_t length)
{
    for (int64_t k = 0; k < l->count; k++)
        if (l->body[k].nodes == length && are_equal(l->body[k].node, body, length))
            return l->symbols + (int32_t)k;
    node_list made = {length, length, allocate_array(length, (int64_t)sizeof *body)};
    memcpy(made.node, body, (size_t)length * sizeof *body);
    *ARRAY_APPEND(l->body, l->count, l->capacity) = made;
    return l->symbols + (int32_t)l->count - 1;
}

/* Where in the sequence the call that the node begins with is for the first time. */
static int64_t first_of(const loops *l, int32_t node)
{
    while (node >= l->symbols)
        node = l->body[node - l->symbols].node[0];
    return l->first[node];
}

/* What repeats often goes on for a part of a block. Then the loop may as well begin so much later, and does if what it
 * begins with there is for the first time before what it begins with here: turns of a loop begin with what comes
 * first. */
static int64_t shift_of(const loops *l, const node_list *list, int64_t at, int64_t length, int64_t turns)
{
    int64_t rest = 0;
    const int64_t end = at + turns * length;
    while (end + rest < list->nodes && list->node[end + rest] == list->node[end + rest - length])
        rest++;
    return first_of(l, list->node[at + rest]) < first_of(l, list->node[at]) ? rest : 0;
}

/* Blocks of a length that stand behind each other become loops; whether there were any. */
static bool fold(loops *l, node_list *list, int64_t length)
{
    int64_t to = 0, at = 0;
    while (at < list->nodes) {
        int64_t turns = 1;
        while (at + (turns + 1) * length <= list->nodes &&
               are_equal(list->node + at, list->node + at + turns * length, length))
            turns++;
        if (turns == 1) {
            list->node[to++] = list->node[at++];
            continue;
        }
        for (int64_t shift = shift_of(l, list, at, length, turns); shift > 0; shift--)
            list->node[to++] = list->node[at++];
        const int32_t loop = loop_of(l, list->node + at, length);
        list->node[to++] = loop;
        at += turns * length;
    }
    const bool folded = to < list->nodes;
    list->nodes = to;
    return folded;
}

/* Single turns of a loop that the list has elsewhere become loops, too. */
static bool fold_single_turns(loops *l, node_list *list)
{
    bool folded = false;
    for (int64_t k = 0; k < l->count; k++) {
        const node_list body = l->body[k];
        const int32_t loop = l->symbols + (int32_t)k;
        bool used = false;
        for (int64_t at = 0; at < list->nodes && !used; at++)
            used = list->node[at] == loop;
        int64_t to = 0;
        for (int64_t at = 0; at < list->nodes && used; to++) {
            const bool found = at + body.nodes <= list->nodes && are_equal(list->node + at, body.node, body.nodes);
            list->node[to] = found ? loop : list->node[at];
            at += found ? body.nodes : 1;
            folded = folded || found;
        }
        list->nodes = used ? to : list->nodes;
    }
    return folded;
}

static void fold_all(loops *l, node_list *list)
{
    do
        for (int64_t length = 1; length <= LONGEST_BLOCK && 2 * length <= list->nodes;)
            length = fold(l, list, length) ? 1 : length + 1;
    while (fold_single_turns(l, list));
}

/* ---- structures ---- */

static bmf_place make_place(const loops *l, int32_t node)
{
    bmf_place made = {.symbol = node};
    if (node < l->symbols)
        return made;
    const node_list *body = &l->body[node - l->symbols];
    made.symbol = -1;
    made.places = (int32_t)body->nodes;
    made.place = allocate_clear(body->nodes, (int64_t)sizeof *made.place);
    for (int64_t k = 0; k < body->nodes; k++)
        made.place[k] = make_place(l, body->node[k]);
    return made;
}

static void place_free(bmf_place *place)
{
    for (int32_t k = 0; k < place->places; k++)
        place_free(&place->place[k]);
    free(place->place);
    for (int k = 0; k < VALUES; k++)
        free(place->value[k].point);
    free(place->work.point);
    free(place->count.point);
}

/* ---- reading a sequence with a structure ---- */

typedef struct reading {
    const bmf_sequence *sequence;
    bmf_observation at;
    bool recording;
} reading;

static void observe(bmf_observations *of, const bmf_observation *at, double value)
{
    bmf_observation *made = ARRAY_APPEND(of->point, of->count, of->capacity);
    *made = *at;
    made->value = value;
}

/* The token behind the places, or -1. */
static int64_t read_places(reading *r, bmf_place *place, int32_t places, int64_t token);

static int64_t read_loop(reading *r, bmf_place *loop, int64_t token)
{
    const bmf_observation outside = r->at;
    const bool recording = r->recording;
    int64_t turns = 0;
    for (int k = FIT_DEPTH - 1; k > 0; k--)
        r->at.k[k] = outside.k[k - 1];
    for (;; turns++) {
        r->at.k[0] = (double)turns;
        r->recording = false;
        const int64_t next = read_places(r, loop->place, loop->places, token);
        r->recording = recording;
        if (next <= token) /* or a turn of nothing */
            break;
        if (recording)
            read_places(r, loop->place, loop->places, token);
        token = next;
    }
    r->at = outside;
    if (recording)
        observe(&loop->count, &r->at, (double)turns);
    return token;
}

static int64_t read_places(reading *r, bmf_place *place, int32_t places, int64_t token)
{
    for (int32_t k = 0; k < places && token >= 0; k++) {
        if (place[k].symbol < 0) {
            token = read_loop(r, &place[k], token);
            continue;
        }
        if (token == r->sequence->tokens || r->sequence->token[token].symbol != place[k].symbol)
            return -1;
        const bmf_token *of = &r->sequence->token[token++];
        for (int v = 0; v < VALUES && r->recording; v++)
            observe(&place[k].value[v], &r->at, (double)of->value[v]);
        if (r->recording)
            observe(&place[k].work, &r->at, of->work);
    }
    return token;
}

static bool read_sequence(const bmf_fitted_program *program, const bmf_sequence *sequence, bmf_place *root,
                          bool recording)
{
    const bmf_recording *of = &program->recording[sequence->recording];
    reading r = {.sequence = sequence,
                 .at = {.d = of->d, .p = of->run->lanes, .r = sequence->rank, .recording = sequence->recording},
                 .recording = recording};
    return read_places(&r, root->place, root->places, 0) == sequence->tokens;
}

static void observe_role(bmf_fitted_program *program, int32_t role)
{
    program->role[role].members = 0;
    for (int64_t k = 0; k < program->sequences; k++)
        if (program->sequence[k].role == role) {
            read_sequence(program, &program->sequence[k], &program->role[role].root, true);
            program->role[role].members++;
        }
}

/* ---- roles ---- */

typedef struct candidate {
    node_list list;
    int64_t loops, nodes, sequence;
} candidate;

static void count_nodes(const loops *l, const int32_t *node, int64_t count, candidate *c)
{
    for (int64_t k = 0; k < count; k++) {
        c->nodes++;
        if (node[k] < l->symbols)
            continue;
        c->loops++;
        count_nodes(l, l->body[node[k] - l->symbols].node, l->body[node[k] - l->symbols].nodes, c);
    }
}

static int by_structure(const void *a, const void *b)
{
    const candidate *x = a, *y = b;
    if (x->loops != y->loops)
        return x->loops > y->loops ? -1 : 1;
    if (x->nodes != y->nodes)
        return x->nodes > y->nodes ? -1 : 1;
    return (x->sequence > y->sequence) - (x->sequence < y->sequence);
}

static candidate make_candidate(const bmf_fitted_program *program, loops *l, int64_t number)
{
    const bmf_sequence *of = &program->sequence[number];
    candidate c = {.sequence = number};
    c.list = (node_list){of->tokens, of->tokens, allocate_array(of->tokens, (int64_t)sizeof *c.list.node)};
    for (int64_t k = of->tokens - 1; k >= 0; k--) {
        c.list.node[k] = of->token[k].symbol;
        l->first[of->token[k].symbol] = k;
    }
    fold_all(l, &c.list);
    count_nodes(l, c.list.node, c.list.nodes, &c);
    return c;
}

static void add_role(bmf_fitted_program *program, const loops *l, const node_list *list)
{
    bmf_role *made = ARRAY_APPEND(program->role, program->roles, program->role_capacity);
    *made = (bmf_role){.root = {.symbol = -1, .places = (int32_t)list->nodes}};
    made->root.place = allocate_clear(list->nodes, (int64_t)sizeof *made->root.place);
    for (int64_t k = 0; k < list->nodes; k++)
        made->root.place[k] = make_place(l, list->node[k]);
}

static void give_role(bmf_fitted_program *program, const loops *l, const candidate *c)
{
    bmf_sequence *sequence = &program->sequence[c->sequence];
    for (int32_t role = 0; role < program->roles && sequence->role < 0; role++)
        if (read_sequence(program, sequence, &program->role[role].root, false))
            sequence->role = role;
    if (sequence->role < 0) {
        add_role(program, l, &c->list);
        sequence->role = program->roles - 1;
    }
}

void structure_find(bmf_fitted_program *program)
{
    loops l = {.symbols = program->symbols.count};
    l.first = allocate_array(l.symbols, (int64_t)sizeof *l.first);
    candidate *list = allocate_array(program->sequences, (int64_t)sizeof *list);
    for (int64_t k = 0; k < program->sequences; k++)
        list[k] = make_candidate(program, &l, k);
    qsort(list, (size_t)program->sequences, sizeof *list, by_structure);
    for (int64_t k = 0; k < program->sequences; k++) {
        give_role(program, &l, &list[k]);
        free(list[k].list.node);
    }
    for (int32_t role = 0; role < program->roles; role++)
        observe_role(program, role);
    for (int64_t k = 0; k < l.count; k++)
        free(l.body[k].node);
    free(l.body);
    free(l.first);
    free(list);
}

/* ---- loops whose turns differ ---- */

/* A copy without what was observed. */
static bmf_place copy_place(const bmf_place *of)
{
    bmf_place made = {.symbol = of->symbol, .places = of->places};
    made.place = allocate_clear(of->places, (int64_t)sizeof *made.place);
    for (int32_t k = 0; k < of->places; k++)
        made.place[k] = copy_place(&of->place[k]);
    return made;
}

/* The count if it is the same everywhere and small, else -1. */
static int64_t constant_count(const bmf_place *loop)
{
    for (int64_t k = 0; k < loop->count.count; k++)
        if (loop->count.point[k].value != loop->count.point[0].value || loop->count.point[k].value > FIT_UNROLL)
            return -1;
    return loop->count.count > 0 ? (int64_t)loop->count.point[0].value : -1;
}

static bool is_inside(const bmf_place *loop, const bmf_place *place)
{
    bool found = false;
    for (int32_t k = 0; k < loop->places && !found; k++)
        found = &loop->place[k] == place || is_inside(&loop->place[k], place);
    return found;
}

/* The places of `list`, the k-th of which is taken apart. */
static void take_apart(bmf_place *list, int32_t k, int64_t turns)
{
    const bmf_place loop = list->place[k];
    const int32_t places = list->places - 1 + (int32_t)turns * loop.places;
    bmf_place *made = allocate_clear(places, (int64_t)sizeof *made);
    int32_t to = 0;
    for (int32_t j = 0; j < list->places; j++)
        for (int64_t turn = 0; turn < (j == k ? turns : 1); turn++)
            for (int32_t of = 0; of < (j == k ? loop.places : 1); of++)
                made[to++] = copy_place(j == k ? &loop.place[of] : &list->place[j]);
    for (int32_t j = 0; j < list->places; j++)
        place_free(&list->place[j]);
    free(list->place);
    list->place = made;
    list->places = places;
}

/* The innermost loop around the place whose count is constant. */
static bool unroll(bmf_place *list, const bmf_place *place)
{
    for (int32_t k = 0; k < list->places; k++) {
        bmf_place *loop = &list->place[k];
        if (loop->symbol >= 0 || !is_inside(loop, place))
            continue;
        if (unroll(loop, place))
            return true;
        const int64_t turns = constant_count(loop);
        if (turns < 0)
            return false;
        take_apart(list, k, turns);
        return true;
    }
    return false;
}

static void observe_anew(bmf_fitted_program *program, int32_t role)
{
    bmf_place *root = &program->role[role].root;
    bmf_place fresh = copy_place(root);
    place_free(root);
    *root = fresh;
    observe_role(program, role);
}

bool structure_unroll(bmf_fitted_program *program, int32_t role, const bmf_place *place)
{
    if (!unroll(&program->role[role].root, place))
        return false;
    observe_anew(program, role);
    return true;
}

/* ---- roles that do without a loop ---- */

/* Whether the sequence never takes a turn. */
static bool takes_no_turn(const bmf_sequence *of, const bmf_observations *turns)
{
    bool none = false;
    for (int64_t k = 0; k < turns->count; k++) {
        const bmf_observation *at = &turns->point[k];
        if (at->recording != of->recording || (int32_t)at->r != of->rank)
            continue;
        if (at->value > 0.0)
            return false;
        none = true;
    }
    return none;
}

bool structure_split(bmf_fitted_program *program, int32_t role, const bmf_place *loop)
{
    const int32_t added = program->roles;
    int64_t without = 0;
    for (int64_t k = 0; k < program->sequences; k++)
        if (program->sequence[k].role == role && takes_no_turn(&program->sequence[k], &loop->count))
            without++;
    if (without == 0 || without == program->role[role].members)
        return false;
    for (int64_t k = 0; k < program->sequences; k++)
        if (program->sequence[k].role == role && takes_no_turn(&program->sequence[k], &loop->count))
            program->sequence[k].role = added;
    bmf_role *made = ARRAY_APPEND(program->role, program->roles, program->role_capacity);
    *made = (bmf_role){.root = copy_place(&program->role[role].root)};
    observe_role(program, added);
    observe_anew(program, role);
    return true;
}

void places_each(bmf_place *list, void (*use)(void *state, bmf_place *place), void *state)
{
    for (int32_t k = 0; k < list->places; k++) {
        use(state, &list->place[k]);
        places_each(&list->place[k], use, state);
    }
}

void structure_free(bmf_fitted_program *program)
{
    for (int32_t role = 0; role < program->roles; role++)
        place_free(&program->role[role].root);
    free(program->role);
}

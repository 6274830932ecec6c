/* Running compiled scalar expressions over blocks.
 *
 * Method: every value has a place: a caller's column, a register or a constant, of a block of elements or of one for
 * all (uniform). An instruction whose operands are all uniform computes one element. A choice runs a branch in place
 * when all elements take it; otherwise it moves what the branches read of each element's side together and the
 * results apart again. A loop notes the state of elements that leave and goes on with all of them, until what is
 * computed in vain would have paid for moving the others together.
 * Runs of instructions that are native code (native.h) take one call each; a block in which something fails there is
 * computed again without.
 * Failures: instructions tell that something failed; the first element is then looked for, among those that count.
 * Elements before it may fail later in the code, so the block is run again up to it until nothing fails. */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "skeletons/language/scalar/native.h"
#include "skeletons/language/scalar/room.h"

/* The elements a region runs over. */
typedef struct frame {
    const struct frame *outer;
    int64_t count;
    const int32_t *index; /* their numbers in the outer frame, or NULL: the same */
    const uint8_t *alive; /* or NULL: all of them count */
} frame;

static bool run_code(bmf_scalar_room *room, int region, int from, int to, const frame *f);

static int64_t size_of(const bmf_scalar *s, int v)
{
    return scalar_size(s->value[v].kind);
}

/* ---- failures ---- */

static const char *element_of(const place *p, int64_t size, int64_t i)
{
    return p->data + (p->uniform ? 0 : i * size);
}

static int64_t number_in_block(const frame *f, int64_t i)
{
    for (; f; f = f->outer)
        i = f->index ? f->index[i] : i;
    return i;
}

static void note_failure(bmf_scalar_room *room, const bmf_scalar_instruction *i, bmf_failure_kind kind, const char *a,
                         const char *b, int64_t element)
{
    room->failure = (bmf_failure){.kind = kind, .expression = i->where, .element = element};
    if (kind == BMF_FAILURE_CONVERSION) {
        memcpy(&room->failure.real, a, sizeof(double));
    } else {
        memcpy(&room->failure.value[0], a, sizeof(int64_t));
        if (scalar_operations[i->opcode].operands > 1)
            memcpy(&room->failure.value[1], b, sizeof(int64_t));
    }
}

/* Some element failed: whether it is one that counts. */
static bool has_failed(bmf_scalar_room *room, const bmf_scalar_instruction *i, const frame *f)
{
    const place *a = &room->place[i->operand[0]], *b = &room->place[i->operand[1]];
    const place *guard = i->guard < 0 ? NULL : &room->place[i->guard];
    for (int64_t k = 0; k < f->count; k++) {
        if ((f->alive && !f->alive[k]) || (guard && !*element_of(guard, 1, k)))
            continue;
        const char *x = element_of(a, 8, k), *y = element_of(b, 8, k);
        const bmf_failure_kind kind = scalar_fails_at(i->opcode, x, y);
        if (kind != BMF_FAILURE_NONE) {
            note_failure(room, i, kind, x, y, number_in_block(f, k));
            return true;
        }
    }
    return false;
}

/* ---- instructions ---- */

/* The same choice for all elements. */
static void select_all(bmf_scalar_room *room, const bmf_scalar_instruction *i, int64_t count)
{
    const place *from = &room->place[*room->place[i->operand[0]].data ? i->operand[1] : i->operand[2]];
    place *to = &room->place[i->value];
    to->uniform = from->uniform;
    if (to->data != from->data)
        memcpy(to->data, from->data, (size_t)((from->uniform ? 1 : count) * size_of(room->scalar, i->value)));
}

static bool run_instruction(bmf_scalar_room *room, const bmf_scalar_instruction *i, const frame *f)
{
    const place *a = &room->place[i->operand[0]], *b = &room->place[i->operand[1]], *c = &room->place[i->operand[2]];
    place *to = &room->place[i->value];
    const int form = a->uniform | b->uniform << 1 | c->uniform << 2;
    to->uniform = form == 7;
    return scalar_operations[i->opcode].run[form](form == 7 ? 1 : f->count, a->data, b->data, c->data, to->data) &&
           has_failed(room, i, f);
}

/* ---- choices ---- */

/* All elements take the branch: it reads and writes the places of the code around it. */
static bool run_branch(bmf_scalar_room *room, const bmf_scalar_choice *choice, int b, const frame *f)
{
    const bmf_scalar *s = room->scalar;
    const bmf_scalar_region *region = &s->region[choice->branch[b]];
    const frame inner = {.outer = f, .count = f->count};
    for (int k = 0; k < region->captures; k++)
        room->place[region->capture[k]] = room->place[s->value[region->capture[k]].number];
    for (int k = 0; k < choice->results; k++)
        room->place[choice->value[b][k]].data = room->place[choice->result[k]].data;
    if (run_code(room, choice->branch[b], 0, region->codes, &inner))
        return true;
    for (int k = 0; k < choice->results; k++)
        room->place[choice->result[k]].uniform = room->place[choice->value[b][k]].uniform;
    return false;
}

/* `count` elements take the branch. */
static bool run_part(bmf_scalar_room *room, const bmf_scalar_choice *choice, int b, int64_t count, const frame *f)
{
    const bmf_scalar *s = room->scalar;
    const bmf_scalar_region *region = &s->region[choice->branch[b]];
    const int32_t *index = room->region[choice->branch[b]].index;
    const frame inner = {.outer = f, .count = count, .index = index};
    for (int k = 0; k < region->captures; k++) {
        const int v = region->capture[k];
        const place *from = &room->place[s->value[v].number];
        room->place[v] = *from;
        if (!from->uniform) {
            room->place[v].data = room->home[v];
            scalar_pick(size_of(s, v), count, from->data, index, room->home[v]);
        }
    }
    for (int k = 0; k < choice->results; k++)
        room->place[choice->value[b][k]].data = room->home[choice->value[b][k]];
    if (run_code(room, choice->branch[b], 0, region->codes, &inner))
        return true;
    for (int k = 0; k < choice->results; k++) {
        const place *from = &room->place[choice->value[b][k]];
        scalar_put(size_of(s, choice->result[k]), count, from->data, from->uniform, NULL, index,
                   room->place[choice->result[k]].data);
    }
    return false;
}

static bool run_choice(bmf_scalar_room *room, const bmf_scalar_choice *choice, const frame *f)
{
    const place *mask = &room->place[choice->mask];
    const uint8_t *truth = (const uint8_t *)mask->data;
    const int64_t taken = mask->uniform ? (*truth ? f->count : 0) : scalar_true(f->count, truth);
    if (taken == 0 || taken == f->count)
        return run_branch(room, choice, taken > 0, f);
    for (int b = 0; b < 2; b++)
        scalar_index(f->count, truth, (uint8_t)b, room->region[choice->branch[b]].index);
    for (int k = 0; k < choice->results; k++)
        room->place[choice->result[k]].uniform = false;
    return run_part(room, choice, 1, taken, f) || run_part(room, choice, 0, f->count - taken, f);
}

/* ---- loops ---- */

/* A running loop. The frame's elements are those that go on, and some that have left. */
typedef struct running {
    bmf_scalar_room *room;
    const bmf_scalar_loop *loop;
    region_room *own;
    frame inner;
    int64_t left; /* elements of the frame that have left */
    int64_t vain; /* how often one was computed in vain */
    bool settled; /* results have been written already */
} running;

/* The states that change are computed into one of two registers, and read from the other. */
static char *other_home(const running *r, int k)
{
    const bmf_scalar_room *room = r->room;
    const int next = r->loop->next[k];
    return room->place[next].data == room->home[next] ? room->home[r->loop->state[k]] : room->home[next];
}

static void begin_loop(running *r)
{
    bmf_scalar_room *room = r->room;
    for (int k = 0; k < r->loop->states; k++) {
        room->place[r->loop->state[k]] = room->place[r->loop->initial[k]];
        if (r->loop->next[k] != r->loop->state[k])
            room->place[r->loop->next[k]].data = room->home[r->loop->next[k]];
    }
}

static void next_state(running *r)
{
    bmf_scalar_room *room = r->room;
    for (int k = 0; k < r->loop->states; k++) {
        const int next = r->loop->next[k], state = r->loop->state[k];
        if (next == state)
            continue;
        char *free_home = other_home(r, k);
        room->place[state] = room->place[next];
        room->place[next].data = free_home;
    }
}

/* All elements leave at once, before any other did. */
static void settle_all(running *r, int64_t count)
{
    bmf_scalar_room *room = r->room;
    for (int k = 0; k < r->loop->states; k++) {
        const place *from = &room->place[r->loop->state[k]];
        if (r->loop->result[k] < 0)
            continue;
        place *to = &room->place[r->loop->result[k]];
        to->uniform = from->uniform;
        memcpy(to->data, from->data, (size_t)((from->uniform ? 1 : count) * size_of(room->scalar, r->loop->result[k])));
    }
}

/* `count` elements leave: those in own->moved. */
static void settle(running *r, int64_t count)
{
    bmf_scalar_room *room = r->room;
    int32_t *where = r->own->moved;
    for (int k = 0; k < r->loop->states; k++) {
        const place *from = &room->place[r->loop->state[k]];
        const int v = r->loop->result[k];
        if (v < 0)
            continue;
        place *to = &room->place[v];
        to->uniform = false;
        if (!r->inner.index) {
            scalar_put(size_of(room->scalar, v), count, from->data, from->uniform, where, where, to->data);
            continue;
        }
        for (int64_t i = 0; i < count; i++)
            scalar_put(size_of(room->scalar, v), 1, from->data, from->uniform, &where[i], &r->inner.index[where[i]],
                       to->data);
    }
    r->settled = true;
}

static void move_together(running *r, int v, char *to, int64_t count)
{
    place *from = &r->room->place[v];
    if (from->uniform)
        return;
    scalar_pick(size_of(r->room->scalar, v), count, from->data, r->own->moved, to);
    from->data = to;
}

/* Moves the elements that go on together. */
static void compact(running *r)
{
    bmf_scalar_room *room = r->room;
    int32_t *index = r->own->index, *moved = r->own->moved;
    const int64_t count = scalar_index(r->inner.count, r->own->alive, 1, moved);
    for (int k = 0; k < r->loop->states; k++) {
        const int state = r->loop->state[k];
        move_together(r, state, r->loop->next[k] == state ? room->home[state] : other_home(r, k), count);
    }
    for (int k = 0; k < r->loop->crossings; k++)
        move_together(r, r->loop->crossing[k], room->place[r->loop->crossing[k]].data, count);
    for (int64_t i = 0; i < count; i++)
        index[i] = r->inner.index ? index[moved[i]] : moved[i];
    r->inner.index = index;
    r->inner.count = count;
    r->inner.alive = NULL;
    r->left = r->vain = 0;
}

/* Lets those leave for whom the predicate does not hold. Returns whether any goes on. */
static bool sort_out(running *r)
{
    const place *predicate = &r->room->place[r->loop->predicate];
    const uint8_t *holds = (const uint8_t *)predicate->data;
    const int64_t count = r->inner.count;
    uint8_t *alive = r->own->alive;
    if (predicate->uniform ? *holds : scalar_true(count, holds) == count)
        return true;
    if (!r->settled && (predicate->uniform || scalar_true(count, holds) == 0)) {
        settle_all(r, count);
        return false;
    }
    if (!r->inner.alive)
        memset(alive, 1, (size_t)count);
    r->inner.alive = alive;
    const int64_t leaving = scalar_leave(count, holds, predicate->uniform ? 0 : 1, alive, r->own->moved);
    if (leaving > 0)
        settle(r, leaving);
    r->left += leaving;
    return r->left < count;
}

static bool run_loop(bmf_scalar_room *room, const bmf_scalar_loop *loop, const frame *f)
{
    running r = {
        .room = room, .loop = loop, .own = &room->region[loop->region], .inner = {.outer = f, .count = f->count}};
    const int codes = room->scalar->region[loop->region].codes;
    begin_loop(&r);
    for (;;) {
        if (run_code(room, loop->region, 0, loop->test, &r.inner))
            return true;
        if (!sort_out(&r))
            return false;
        room->rounds += r.inner.count - r.left;
        r.vain += r.left;
        if (r.left > 0 && (loop->eager || 16 * r.vain > loop->patience * r.inner.count))
            compact(&r);
        if (run_code(room, loop->region, loop->test, codes, &r.inner))
            return true;
        next_state(&r);
    }
}

/* ---- native code ---- */

/* Blocks shorter than this do not make new code; runs shorter than this are as good one by one; mistakes to bear. */
enum { NATIVE_BLOCK = 64, NATIVE_INSTRUCTIONS = 2, NATIVE_MISTAKES = 16 };

static const bmf_native_code *code_of(bmf_scalar_room *room, bmf_native_run *run, const frame *f)
{
    const uint64_t all = (UINT64_C(1) << run->inputs) - 1;
    uint64_t uniform = 0;
    if (run->fails && (room->suspected || room->mistakes > NATIVE_MISTAKES))
        return NULL;
    for (int k = 0; k < run->inputs; k++)
        uniform |= (uint64_t)room->place[run->input[k]].uniform << k;
    return uniform == all
               ? NULL
               : native_code_for(room->scalar, run, BMF_NATIVE_VALUES, uniform, f->count, f->count >= NATIVE_BLOCK);
}

/* Runs native code, if there is some. *failed: an element may have failed. */
static bool run_native(bmf_scalar_room *room, bmf_native_run *run, const frame *f, bool *failed)
{
    const bmf_native_code *code = code_of(room, run, f);
    void **pointer = room->pointer;
    if (!code)
        return false;
    for (int k = 0; k < run->inputs; k++)
        *pointer++ = room->place[run->input[k]].data;
    if (run->alive)
        *pointer++ = f->alive ? (void *)f->alive : room->alive;
    for (int k = 0; k < run->outputs; k++) {
        place *to = &room->place[run->output[k]];
        *pointer++ = to->data;
        to->uniform = code->output_uniform[k];
    }
    *failed = code->function(room->pointer, f->count, code->constants) != 0;
    room->suspected |= *failed;
    return true;
}

/* Runs code[from..to) of a region. Returns whether an element failed. */
static bool run_code(bmf_scalar_room *room, int region, int from, int to, const frame *f)
{
    const bmf_scalar *s = room->scalar;
    const int *code = s->region[region].code, last = s->region[region].end_run;
    int run = s->region[region].first_run;
    for (int k = from; k < to; k++) {
        const bmf_scalar_instruction *i = &s->instruction[code[k]];
        bool failed = false;
        while (run < last && s->run[run].from < k)
            run++;
        if (run < last && s->run[run].from == k && s->run[run].to - k >= NATIVE_INSTRUCTIONS &&
            run_native(room, &s->run[run], f, &failed)) {
            if (failed)
                return true;
            k = s->run[run].to - 1;
            continue;
        }
        if (i->opcode < BMF_SCALAR_SELECT_WORD)
            failed = run_instruction(room, i, f);
        else if (i->opcode == BMF_SCALAR_CHOICE)
            failed = run_choice(room, &s->choice[i->part], f);
        else if (i->opcode == BMF_SCALAR_LOOP)
            failed = run_loop(room, &s->loop[i->part], f);
        else if (i->opcode < BMF_SCALAR_COPY_WORD && room->place[i->operand[0]].uniform)
            select_all(room, i, f->count);
        else
            run_instruction(room, i, f);
        if (failed)
            return true;
    }
    return false;
}

/* ---- blocks ---- */

/* Whether an output is written over input leaf `input`, by another value than that input itself. */
static bool is_overwritten(const bmf_scalar *s, int input, const bmf_slice *in, const bmf_slice *out)
{
    for (int k = 0; k < s->outputs; k++)
        if (out[k].data && out[k].data == in[input].data && s->output[k] != input)
            return true;
    return false;
}

/* Inputs are read where they are, unless their stride is odd, or other results are to stand there and they are a
 * result themselves. */
static void place_inputs(bmf_scalar_room *room, const bmf_slice *in, const bmf_slice *out, int64_t begin, int64_t count)
{
    const bmf_scalar *s = room->scalar;
    for (int k = 0; k < s->inputs; k++) {
        const int64_t size = scalar_size(s->input_kind[k]);
        char *data = (char *)in[k].data + begin * in[k].stride;
        if (!s->value[k].needed)
            continue;
        const bool kept = s->value[k].last < INT32_MAX || !is_overwritten(s, k, in, out);
        room->place[k] = (place){data, in[k].stride == 0};
        if (in[k].stride == 0 || (in[k].stride == size && kept))
            continue;
        scalar_gather(size, count, data, in[k].stride, room->home[k]);
        room->place[k].data = room->home[k];
    }
}

/* True if the value may be computed where output k is to stand: nothing is read there afterwards. */
static bool may_stand_at(const bmf_scalar *s, int k, const bmf_slice *in, const bmf_slice *out)
{
    const bmf_scalar_value *value = &s->value[s->output[k]];
    if (value->origin != BMF_SCALAR_RESULT || value->region != 0 || out[k].stride != scalar_size(value->kind))
        return false;
    for (int j = 0; j < s->inputs; j++)
        if (in[j].data == out[k].data && s->value[j].needed && (s->may_fail || s->value[j].last > value->defined))
            return false;
    return true;
}

static void place_outputs(bmf_scalar_room *room, const bmf_slice *in, const bmf_slice *out, int64_t begin)
{
    const bmf_scalar *s = room->scalar;
    for (int k = s->outputs - 1; k >= 0; k--) {
        const int v = s->output[k];
        if (s->value[v].origin != BMF_SCALAR_RESULT)
            continue;
        room->place[v].data =
            out[k].data && may_stand_at(s, k, in, out) ? (char *)out[k].data + begin * out[k].stride : room->home[v];
    }
}

/* Puts the results of a block where they belong. */
static void deliver(bmf_scalar_room *room, const bmf_slice *out, int64_t begin, int64_t count)
{
    const bmf_scalar *s = room->scalar;
    for (int k = 0; k < s->outputs; k++) {
        const place *from = &room->place[s->output[k]];
        const int64_t size = scalar_size(s->output_kind[k]);
        if (!out[k].data)
            continue;
        char *to = (char *)out[k].data + begin * out[k].stride;
        if (from->uniform)
            scalar_fill(size, count, from->data, to, out[k].stride);
        else if (from->data != to)
            scalar_scatter(size, count, from->data, to, out[k].stride);
    }
}

/* Runs one block; on failure the one before its first failing element, to see whether others fail later in the code. */
static bool run_block(bmf_scalar_room *room, int64_t count)
{
    bool failed = false;
    room->suspected = false;
    while (count > 0) {
        const frame all = {.count = count};
        const bool before = room->suspected;
        if (!run_code(room, 0, 0, room->scalar->region[0].codes, &all))
            break;
        if (room->suspected && !before)
            continue; /* instruction by instruction this time */
        failed = true;
        count = room->failure.element;
    }
    room->mistakes += room->suspected && !failed;
    return failed;
}

/* True if output k without a place is seen where it is when all blocks are done: an input that stays, or a constant. */
static bool stands_already(const bmf_scalar *s, int k, const bmf_slice *in, const bmf_slice *out)
{
    const bmf_scalar_value *value = &s->value[s->output[k]];
    return value->origin == BMF_SCALAR_CONSTANT ||
           (value->origin == BMF_SCALAR_INPUT && !is_overwritten(s, value->number, in, out));
}

/* Where an output is found that the caller has no place for; GIVEN: he has, or it is in the room. */
typedef enum finding { FOUND_GIVEN, FOUND_INPUT, FOUND_HERE } finding;

static void find_places(bmf_scalar_room *room, int64_t count, const bmf_slice *in, bmf_slice *out,
                        finding found[BMF_MAX_LEAVES])
{
    const bmf_scalar *s = room->scalar;
    for (int k = 0; k < s->outputs; k++) {
        const bool stands = stands_already(s, k, in, out);
        found[k] = FOUND_GIVEN;
        if (out[k].data)
            continue;
        if (stands || count <= s->block)
            found[k] = stands && s->value[s->output[k]].origin == BMF_SCALAR_INPUT ? FOUND_INPUT : FOUND_HERE;
    }
    for (int k = 0; k < s->outputs; k++) {
        const int64_t size = scalar_size(s->output_kind[k]);
        if (out[k].data || found[k] != FOUND_GIVEN)
            continue;
        if (!room->result[k])
            room->result[k] = allocate(BMF_BLOCK * size);
        out[k] = (bmf_slice){room->result[k], size};
    }
}

static void show_places(const bmf_scalar_room *room, const bmf_slice *in, bmf_slice *out,
                        const finding found[BMF_MAX_LEAVES])
{
    const bmf_scalar *s = room->scalar;
    for (int k = 0; k < s->outputs; k++) {
        const int v = s->output[k];
        const place *from = &room->place[v];
        if (found[k] == FOUND_INPUT)
            out[k] = in[v];
        else if (found[k] == FOUND_HERE)
            out[k] = (bmf_slice){from->data, from->uniform ? 0 : scalar_size(s->output_kind[k])};
    }
}

int scalar_run(const bmf_scalar *scalar, bmf_scalar_room *room, int64_t count, const bmf_slice *in, bmf_slice *out,
               bmf_failure *failure)
{
    finding found[BMF_MAX_LEAVES];
    find_places(room, count, in, out, found);
    for (int64_t begin = 0; begin < count; begin += scalar->block) {
        const int64_t now = count - begin < scalar->block ? count - begin : scalar->block;
        place_inputs(room, in, out, begin, now);
        place_outputs(room, in, out, begin);
        if (run_block(room, now)) {
            *failure = room->failure;
            failure->element += begin;
            return 1;
        }
        deliver(room, out, begin, now);
    }
    show_places(room, in, out, found);
    return 0;
}

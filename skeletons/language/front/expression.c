/* Expressions: the arena, copies, equality, keywords.
 *
 * Method: nodes stand in chunks that never move; child arrays and names are cut from the same kind of chunks of bytes.
 * Only nodes are visited when the arena is freed, because the evaluator hangs compiled code on them.
 * Cost: O(1) per node; equality O(nodes), following the last child in a loop so that long compositions need no
 * stack. */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "skeletons/language/forms/form.h"
#include "skeletons/language/front/fields.h"
#include "skeletons/language/scalar/scalar.h"

enum { CHUNK_NODES = 128, CHUNK_BYTES = 1 << 14 };
enum { MAX_NAMES = 16 }; /* around an expression; what nests deeper has none */

typedef struct node_chunk {
    struct node_chunk *next;
    int used;
    bmf_expression node[CHUNK_NODES];
} node_chunk;

typedef struct byte_chunk {
    struct byte_chunk *next;
    int64_t used, size;
    _Alignas(16) char bytes[];
} byte_chunk;

struct bmf_expressions {
    node_chunk *nodes;
    byte_chunk *bytes;
};

bmf_expressions *expressions_create(void)
{
    return allocate_clear(1, sizeof(bmf_expressions));
}

void expressions_free(bmf_expressions *arena)
{
    if (!arena)
        return;
    for (node_chunk *chunk = arena->nodes, *next; chunk; chunk = next) {
        next = chunk->next;
        for (int i = 0; i < chunk->used; i++)
            if (chunk->node[i].scalar)
                scalar_free(chunk->node[i].scalar);
        free(chunk);
    }
    for (byte_chunk *chunk = arena->bytes, *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    free(arena);
}

static void *claim_bytes(bmf_expressions *arena, int64_t size)
{
    byte_chunk *chunk = arena->bytes;
    size = (size + 15) / 16 * 16;
    if (!chunk || chunk->size - chunk->used < size) {
        int64_t room = size > CHUNK_BYTES ? size : CHUNK_BYTES;
        chunk = allocate((int64_t)sizeof *chunk + room);
        *chunk = (byte_chunk){arena->bytes, 0, room};
        arena->bytes = chunk;
    }
    void *bytes = chunk->bytes + chunk->used;
    chunk->used += size;
    return bytes;
}

void *expressions_bytes(bmf_expressions *arena, int64_t size)
{
    return claim_bytes(arena, size);
}

static bmf_expression *claim_node(bmf_expressions *arena)
{
    if (!arena->nodes || arena->nodes->used == CHUNK_NODES) {
        node_chunk *chunk = allocate_clear(1, sizeof *chunk);
        chunk->next = arena->nodes;
        arena->nodes = chunk;
    }
    return &arena->nodes->node[arena->nodes->used++];
}

static bmf_expression **claim_children(bmf_expressions *arena, int children)
{
    if (children == 0)
        return NULL;
    int64_t size = children * (int64_t)sizeof(bmf_expression *);
    return memset(claim_bytes(arena, size), 0, (size_t)size);
}

bmf_expression *expression_create(bmf_expressions *arena, bmf_expression_kind kind, bmf_span span, int children)
{
    bmf_expression *expression = claim_node(arena);
    expression->kind = kind;
    expression->span = span;
    expression->children = children;
    expression->child = claim_children(arena, children);
    return expression;
}

bmf_expression *expression_copy(bmf_expressions *arena, const bmf_expression *expression)
{
    bmf_expression *copy = claim_node(arena);
    *copy = *expression;
    copy->scalar = NULL;
    copy->child = claim_children(arena, expression->children);
    if (expression->children > 0)
        memcpy(copy->child, expression->child, (size_t)expression->children * sizeof *copy->child);
    return copy;
}

void expressions_forget_fields(bmf_expressions *arena)
{
    for (node_chunk *chunk = arena->nodes; chunk; chunk = chunk->next)
        for (int i = 0; i < chunk->used; i++) {
            bmf_expression *node = &chunk->node[i];
            node->in = node->in ? type_without_fields(node->in) : NULL;
            node->out = node->out ? type_without_fields(node->out) : NULL;
        }
}

/* ---- names ---- */

static const bmf_naming *put_around(bmf_expressions *arena, const bmf_naming *outer, const bmf_naming *inner)
{
    if (!inner)
        return outer;
    bmf_naming *made = claim_bytes(arena, (int64_t)sizeof *made);
    *made = *inner;
    made->outer = put_around(arena, outer, inner->outer);
    made->depth = made->outer->depth + 1;
    return made;
}

const bmf_naming *naming_keep(bmf_expressions *arena, const bmf_naming *names)
{
    bmf_naming *kept = claim_bytes(arena, (int64_t)sizeof *kept);
    *kept = *names;
    return kept;
}

static int depth_of(const bmf_naming *names)
{
    return names ? names->depth + 1 : 0;
}

bmf_expression *expression_under(bmf_expressions *arena, bmf_expression *expression, const bmf_naming *names)
{
    if (!names || depth_of(names) + depth_of(expression->names) > MAX_NAMES)
        return expression;
    bmf_expression *copy = expression_copy(arena, expression);
    copy->names = put_around(arena, names, expression->names);
    return copy;
}

static bool same_names(const bmf_naming *a, const bmf_naming *b)
{
    for (; a != b && a && b; a = a->outer, b = b->outer)
        if (a->use.text != b->use.text || a->use.begin != b->use.begin)
            return false;
    return a == b;
}

const bmf_naming *naming_common(const bmf_naming *a, const bmf_naming *b)
{
    while (a && b && !same_names(a, b)) {
        int depth = a->depth < b->depth ? a->depth : b->depth;
        bool level = a->depth == b->depth;
        if (level || a->depth > depth)
            a = a->outer;
        if (level || b->depth > depth)
            b = b->outer;
    }
    return b ? a : NULL;
}

/* ---- texts ---- */

const char *expressions_text(bmf_expressions *arena, const char *text, int64_t size)
{
    char *copy = claim_bytes(arena, size + 1);
    memcpy(copy, text, (size_t)size);
    copy[size] = '\0';
    return copy;
}

/* Everything of two nodes but their children. */
static bool same_node(const bmf_expression *a, const bmf_expression *b)
{
    const bmf_expression_form *form = form_of(a);
    return a->kind == b->kind && a->parallel == b->parallel && a->children == b->children &&
           (!form->equal || form->equal(a, b));
}

bool expression_equal(const bmf_expression *a, const bmf_expression *b)
{
    while (a != b) {
        if (!a || !b || !same_node(a, b))
            return false;
        if (a->children == 0)
            return true;
        int last = a->children - 1;
        for (int k = 0; k < last; k++)
            if (!expression_equal(a->child[k], b->child[k]))
                return false;
        a = a->child[last];
        b = b->child[last];
    }
    return true;
}

const char *expression_keyword(const bmf_expression *expression)
{
    const bmf_expression_form *form = form_of(expression);
    if (expression->kind == BMF_EXPRESSION_OP)
        return operation_keyword(expression->operation, expression->parallel);
    return expression->parallel && form->parallel ? form->parallel : form->keyword;
}

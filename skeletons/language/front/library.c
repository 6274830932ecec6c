/* Definitions: finding them, and checks of a whole library.
 *
 * Method: depth-first search through the uses of names. Every definition gets the depth and the number of nodes that
 * it has with all names replaced; a definition met again while it is being searched closes a cycle. Both numbers are
 * limited, so that whoever replaces names may recurse and never makes exponentially many nodes.
 * Cost: O(nodes). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/base/edit_distance.h"
#include "runtime/base/hash.h"
#include "runtime/base/near_names.h"
#include "skeletons/language/front/parse.h"
#include "skeletons/language/front/lexer.h"

/* Nodes of a program with all names replaced. */
static const int64_t max_nodes = 1000000;

/* Of an expression with all names replaced; nodes 0: unknown, or it has failed. */
typedef struct extent {
    int64_t depth, nodes;
} extent;

typedef struct search {
    bmf_context *ctx;
    const bmf_texts *texts;
    const bmf_library *library;
    extent *known; /* of definitions */
    int *path;     /* definitions being searched, outermost first */
    int length;
    int status;
} search;

static bool measure(search *s, const bmf_expression *expression, int64_t depth, extent *found);

static bool fail_cycle(search *s, int first, const bmf_expression *use)
{
    char cycle[400];
    size_t used = 0;
    const bool notation = s->texts->text[use->span.text].words;
    for (int k = first; k < s->length; k++) {
        const char *name = s->library->definition[s->path[k]].name;
        if (used > sizeof cycle - 100) { /* the way back to the use is what matters of a long cycle, and it is shown */
            snprintf(cycle + used, sizeof cycle - used, ".. -> ");
            break;
        }
        used += (size_t)snprintf(cycle + used, sizeof cycle - used, "$%.60s -> ", name);
    }
    if (notation && first == s->length - 1)
        s->status = text_fail(s->texts, s->ctx, use->span, BMF_ERROR_USAGE,
                              "%.60s uses itself; loops are written loop s = e while c do b", use->name);
    else
        s->status = text_fail(s->texts, s->ctx, use->span, BMF_ERROR_USAGE, "a definition uses itself: %s$%.60s%s",
                              cycle, use->name, notation ? "; loops are written loop s = e while c do b" : "");
    return false;
}

static bool fail_unknown(search *s, const bmf_expression *use)
{
    const int64_t length = (int64_t)strlen(use->name);
    near_names found = {.max = 1, .limit = length < 4 ? 1 : 2};
    for (int k = 0; k < s->library->count; k++) {
        const char *name = s->library->definition[k].name;
        near_names_offer(&found, name, edit_distance_caseless(use->name, length, name, (int64_t)strlen(name)));
    }
    const char *near = found.name[0];
    s->status = text_fail(s->texts, s->ctx, use->span, BMF_ERROR_USAGE, "$%.60s is not defined%s%.60s%s", use->name,
                          near ? "; is $" : "", near ? near : "", near ? " meant?" : "");
    return false;
}

static bool fail_depth(search *s, const bmf_expression *expression)
{
    s->status = text_fail(s->texts, s->ctx, expression->span, BMF_ERROR_USAGE,
                          "with all names replaced the program is nested more than %d deep", BMF_MAX_DEPTH);
    return false;
}

/* Measures definition k for a use at this depth. */
static bool enter(search *s, int k, const bmf_expression *use, int64_t depth)
{
    for (int i = 0; i < s->length; i++)
        if (s->path[i] == k)
            return fail_cycle(s, i, use);
    s->path[s->length++] = k;
    bool fits = measure(s, s->library->definition[k].expression, depth, &s->known[k]);
    s->length--;
    return fits;
}

static bool measure_name(search *s, const bmf_expression *use, int64_t depth, extent *found)
{
    const bmf_definition *definition = library_find(s->library, use->name);
    if (!definition)
        return fail_unknown(s, use);
    int64_t k = definition - s->library->definition;
    if (s->known[k].nodes == 0 && !enter(s, (int)k, use, depth + 1))
        return false;
    if (depth + 1 + s->known[k].depth > BMF_MAX_DEPTH)
        return fail_depth(s, use);
    *found = (extent){s->known[k].depth + 1, s->known[k].nodes};
    return true;
}

static bool measure(search *s, const bmf_expression *expression, int64_t depth, extent *found)
{
    extent total = {0, 1}, part;
    if (depth > BMF_MAX_DEPTH)
        return fail_depth(s, expression);
    if (expression->kind == BMF_EXPRESSION_NAME)
        return measure_name(s, expression, depth, found);
    for (int k = 0; k < expression->children; k++) {
        if (!measure(s, expression->child[k], depth + 1, &part))
            return false;
        total.depth = part.depth >= total.depth ? part.depth + 1 : total.depth;
        total.nodes += part.nodes;
    }
    if (total.nodes > max_nodes) {
        s->status = text_fail(s->texts, s->ctx, expression->span, BMF_ERROR_USAGE,
                              "with all names replaced the program has more than %" PRId64 " parts", max_nodes);
        return false;
    }
    *found = total;
    return true;
}

int library_check(bmf_context *ctx, const bmf_texts *texts, const bmf_library *library,
                  const bmf_expression *expression)
{
    search s = {.ctx = ctx, .texts = texts, .library = library};
    extent whole;
    s.known = allocate_clear(library->count, sizeof *s.known);
    s.path = allocate_clear(library->count, sizeof *s.path);
    bool fits = true;
    for (int k = 0; k < library->count && fits; k++)
        fits = s.known[k].nodes > 0 || enter(&s, k, NULL, 0);
    if (fits && expression)
        measure(&s, expression, 0, &whole);
    free(s.known);
    free(s.path);
    return s.status;
}

typedef struct wanted_name {
    const bmf_library *library;
    const char *name;
} wanted_name;

static bool has_name(const void *wanted, uint32_t number)
{
    const wanted_name *w = wanted;
    return number < (uint32_t)w->library->count && strcmp(w->library->definition[number].name, w->name) == 0;
}

const bmf_definition *library_find(const bmf_library *library, const char *name)
{
    const wanted_name wanted = {library, name};
    const int64_t k = table_find(&library->by_name, hash_text(name), has_name, &wanted);
    return k == TABLE_NONE ? NULL : &library->definition[k];
}

void library_add(bmf_library *library, bmf_definition added)
{
    *ARRAY_APPEND(library->definition, library->count, library->capacity) = added;
    table_make_room(&library->by_name, library->by_name.count + 1);
    table_add(&library->by_name, hash_text(added.name), (uint32_t)library->count - 1);
}

void library_free(bmf_library *library)
{
    free(library->definition);
    table_free(&library->by_name);
    *library = (bmf_library){0};
}

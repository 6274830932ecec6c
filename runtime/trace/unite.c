/* One table of names and nodes for all ranks of a run.
 *
 * Ranks number names and nodes as they come across them. Usually all come across the same; but a rank may have no
 * elements for a kernel, or no part in a branch. Method: every rank gets every rank's tables, enters them in the
 * order of ranks into new ones, and numbers its events anew.
 * Cost: one collect of a number, and one of all tables (some kilobytes a rank). */
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/trace/unite.h"

enum { WORD = (int)sizeof(int64_t) };

/* Tables as words: the counts of names and nodes and the words of the texts; the texts, each with its 0; the nodes. */
enum { NAMES, NODES, TEXT_WORDS, START };

static int64_t node_words(int64_t nodes)
{
    return (nodes * (int64_t)sizeof(bmf_trace_node) + WORD - 1) / WORD;
}

static int64_t *write_tables(const bmf_trace_run *run, int64_t *words)
{
    int64_t bytes = 0;
    for (uint32_t k = 0; k < run->names; k++)
        bytes += (int64_t)strlen(run->name[k]) + 1;
    int64_t text_words = (bytes + WORD - 1) / WORD;
    *words = START + text_words + node_words(run->nodes);
    int64_t *table = allocate_clear(*words, WORD);
    table[NAMES] = run->names;
    table[NODES] = run->nodes;
    table[TEXT_WORDS] = text_words;
    char *to = (char *)(table + START);
    for (uint32_t k = 0; k < run->names; k++) {
        size_t size = strlen(run->name[k]) + 1;
        memcpy(to, run->name[k], size);
        to += size;
    }
    memcpy(table + START + text_words, run->node, run->nodes * sizeof *run->node);
    return table;
}

/* Enters one rank's tables; name and node receive the new numbers of its old ones. Returns the end of the tables. */
static const int64_t *enter_tables(bmf_trace_run *united, const int64_t *table, uint32_t **name, uint32_t **node)
{
    int64_t names = table[NAMES], nodes = table[NODES];
    const int64_t *node_table = table + START + table[TEXT_WORDS];
    const char *text = (const char *)(table + START);
    const char **texts = allocate((names + 1) * (int64_t)sizeof *texts);
    *name = allocate_clear(names + 1, (int64_t)sizeof **name);
    *node = allocate_clear(nodes + 1, (int64_t)sizeof **node);
    for (int64_t k = 0; k < names; k++, text += strlen(text) + 1) {
        texts[k] = text;
        (*name)[k] = run_name(united, text);
    }
    for (int64_t k = 1; k < nodes; k++) {
        bmf_trace_node old;
        memcpy(&old, (const char *)node_table + k * (int64_t)sizeof old, sizeof old);
        (*node)[k] = run_node_like(united, (*node)[old.parent], texts[old.name], &old);
    }
    free(texts);
    return node_table + node_words(nodes);
}

static void renumber(bmf_trace_run *run, const uint32_t *name, const uint32_t *node)
{
    for (int64_t i = 0; i < run->events; i++) {
        run->event[i].name = (uint16_t)name[run->event[i].name];
        run->event[i].node = node[run->event[i].node];
    }
    for (int64_t i = 0; i < run->works; i++)
        run->work[i].node = node[run->work[i].node];
}

/* The tables of `united` become the run's, and the other way round. */
static void swap_tables(bmf_trace_run *run, bmf_trace_run *united)
{
    bmf_trace_run old = *run;
    run->name = united->name, run->names = united->names;
    run->node = united->node, run->nodes = united->nodes;
    run->index = united->index;
    united->name = old.name, united->names = old.names;
    united->node = old.node, united->nodes = old.nodes;
    united->index = old.index;
}

/* all: every rank's tables, one behind the other. */
static void enter_all(const bmf_context *ctx, bmf_trace_run *run, const int64_t *all)
{
    bmf_trace_run *united = run_create(run->program, run->machine, run->lanes, run->ranks, run->threads);
    for (int r = 0; r < ctx->ranks; r++) {
        uint32_t *name, *node;
        all = enter_tables(united, all, &name, &node);
        if (r == ctx->rank)
            renumber(run, name, node);
        free(name);
        free(node);
    }
    swap_tables(run, united);
    run_free(united);
}

int run_unite(bmf_context *ctx, bmf_trace_run *run)
{
    int64_t words, total = 0;
    int64_t *mine = write_tables(run, &words), *sizes = allocate(ctx->ranks * WORD);
    int status = ctx->backend->allgather(ctx, &words, 1, NULL, sizes);
    for (int r = 0; status == BMF_OK && r < ctx->ranks; r++)
        total += sizes[r];
    int64_t *all = allocate(total * WORD);
    if (status == BMF_OK)
        status = ctx->backend->allgather(ctx, mine, words, sizes, all);
    if (status == BMF_OK)
        enter_all(ctx, run, all);
    free(all);
    free(sizes);
    free(mine);
    return bmf_agree(ctx, status);
}

/* Node files: graphs in the format of document 000, 6.2.1. The number of nodes, then for every node a line
 *
 *     node neighbour weight neighbour weight .. -1
 *
 * with its links, each to a neighbour with a relative bandwidth. Processors have the lowest numbers. Lines may come in
 * any order; empty lines are allowed, and everything behind a '#' is a remark. Every mistake is one line with file and
 * line number. Cost: O(size of the file + links log links).
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/network/graph/graph_private.h"
#include "runtime/base/allocate.h"
#include "bmf/status.h"

enum { MAX_NODES = 1 << 24, END_OF_LINKS = -1 };

typedef struct node_file {
    const char *path;
    FILE *stream;
    char *text; /* of the line */
    size_t capacity;
    const char *at; /* in it */
    long long line;
    bmf_graph_maker maker;
    int32_t *line_of; /* by node: the line that its links are on, 0: none yet */
    int32_t *met;     /* by node: the line that has named it as a neighbour last */
} node_file;

/* The next line that has something on it; false: there is none. */
static bool next_line(node_file *file)
{
    while (getline(&file->text, &file->capacity, file->stream) >= 0) {
        file->line++;
        file->text[strcspn(file->text, "#\r\n")] = 0;
        file->at = file->text + strspn(file->text, " \t");
        if (*file->at)
            return true;
    }
    return false;
}

static int fail(const node_file *file, const char *text)
{
    return bmf_fail(NULL, BMF_ERROR_FILE, "%s:%lld: %s", file->path, file->line, text);
}

static bool at_end(const node_file *file)
{
    return *file->at == 0;
}

/* Moves behind a word that ended at `end`; false: it was none of its kind. */
static bool pass(node_file *file, const char *end)
{
    if (end == file->at || (*end && !isspace((unsigned char)*end)))
        return false;
    file->at = end + strspn(end, " \t");
    return true;
}

static bool read_whole(node_file *file, int64_t *value)
{
    char *end;
    errno = 0;
    *value = strtoll(file->at, &end, 10);
    return errno == 0 && pass(file, end);
}

static int expected(const node_file *file, const char *what)
{
    if (at_end(file))
        return bmf_fail(NULL, BMF_ERROR_FILE, "%s:%lld: %s expected", file->path, file->line, what);
    return bmf_fail(NULL, BMF_ERROR_FILE, "%s:%lld: %s expected, not '%.*s'", file->path, file->line, what,
                    (int)strcspn(file->at, " \t") < 40 ? (int)strcspn(file->at, " \t") : 40, file->at);
}

static int read_count(node_file *file, int64_t *nodes)
{
    if (!next_line(file))
        return bmf_fail(NULL, BMF_ERROR_FILE, "%s: the number of nodes is missing", file->path);
    if (!read_whole(file, nodes))
        return expected(file, "the number of nodes");
    if (!at_end(file))
        return fail(file, "the number of nodes stands on a line by itself");
    if (*nodes < 1 || *nodes > MAX_NODES)
        return bmf_fail(NULL, BMF_ERROR_FILE, "%s:%lld: the number of nodes is 1 to %d, not %lld", file->path,
                        file->line, MAX_NODES, (long long)*nodes);
    return BMF_OK;
}

static int check_node(const node_file *file, int64_t node, const char *what)
{
    const int64_t nodes = file->maker.graph->nodes;
    if (node >= 0 && node < nodes)
        return BMF_OK;
    return bmf_fail(NULL, BMF_ERROR_FILE, "%s:%lld: %s %lld is not one of the nodes 0 to %lld", file->path, file->line,
                    what, (long long)node, (long long)(nodes - 1));
}

static int read_weight(node_file *file, int64_t node, int64_t neighbour, double *weight)
{
    char *end;
    if (at_end(file))
        return bmf_fail(NULL, BMF_ERROR_FILE, "%s:%lld: the weight of the link from %lld to %lld is missing",
                        file->path, file->line, (long long)node, (long long)neighbour);
    *weight = strtod(file->at, &end);
    if (!pass(file, end))
        return expected(file, "a weight");
    if (*weight > 0.0 && isfinite(*weight) && isfinite(1.0 / *weight))
        return BMF_OK;
    return bmf_fail(NULL, BMF_ERROR_FILE, "%s:%lld: the weight of the link from %lld to %lld must be above 0, not %g",
                    file->path, file->line, (long long)node, (long long)neighbour, *weight);
}

static int read_link(node_file *file, int64_t node, int64_t neighbour)
{
    double weight = 0.0;
    BMF_TRY(check_node(file, neighbour, "neighbour"));
    if (neighbour == node)
        return bmf_fail(NULL, BMF_ERROR_FILE, "%s:%lld: node %lld has a link to itself", file->path, file->line,
                        (long long)node);
    if (file->met[neighbour] == (int32_t)file->line)
        return bmf_fail(NULL, BMF_ERROR_FILE, "%s:%lld: the link from %lld to %lld is there twice", file->path,
                        file->line, (long long)node, (long long)neighbour);
    file->met[neighbour] = (int32_t)file->line;
    BMF_TRY(read_weight(file, node, neighbour, &weight));
    graph_add(&file->maker, node, neighbour, weight);
    return BMF_OK;
}

static int read_node(node_file *file)
{
    int64_t node, neighbour;
    if (!read_whole(file, &node))
        return expected(file, "a node");
    BMF_TRY(check_node(file, node, "node"));
    if (file->line_of[node] > 0)
        return bmf_fail(NULL, BMF_ERROR_FILE, "%s:%lld: node %lld has had line %d already", file->path, file->line,
                        (long long)node, file->line_of[node]);
    file->line_of[node] = (int32_t)file->line;
    for (;;) {
        if (at_end(file))
            return bmf_fail(NULL, BMF_ERROR_FILE, "%s:%lld: the line of node %lld does not end with -1", file->path,
                            file->line, (long long)node);
        if (!read_whole(file, &neighbour))
            return expected(file, "a neighbour or -1");
        if (neighbour == END_OF_LINKS)
            return at_end(file) ? BMF_OK : fail(file, "there is more behind the -1 that ends the line");
        BMF_TRY(read_link(file, node, neighbour));
    }
}

static int read_nodes(node_file *file)
{
    while (next_line(file))
        BMF_TRY(read_node(file));
    if (ferror(file->stream))
        return bmf_fail(NULL, BMF_ERROR_FILE, "cannot read '%s': %s", file->path, strerror(errno));
    for (int64_t n = 0; n < file->maker.graph->nodes; n++)
        if (file->line_of[n] == 0)
            return bmf_fail(NULL, BMF_ERROR_FILE, "%s: node %lld of %lld has no line", file->path, (long long)n,
                            (long long)file->maker.graph->nodes);
    return BMF_OK;
}

static int check_connected(const node_file *file, const bmf_graph *graph)
{
    int64_t from, to;
    if (!graph_find_gap(graph, &from, &to))
        return BMF_OK;
    return bmf_fail(NULL, BMF_ERROR_FILE, "%s: there is no way from node %lld to node %lld", file->path,
                    (long long)from, (long long)to);
}

static int read_graph(node_file *file, int64_t processors, bmf_graph **graph)
{
    int64_t nodes;
    BMF_TRY(read_count(file, &nodes));
    if (processors > nodes)
        return bmf_fail(NULL, BMF_ERROR_FILE, "%s:%lld: %lld nodes are too few for %lld processors", file->path,
                        file->line, (long long)nodes, (long long)processors);
    file->maker = graph_make("file", processors > 0 ? processors : nodes, nodes);
    file->line_of = allocate_clear(nodes, sizeof *file->line_of);
    file->met = allocate_clear(nodes, sizeof *file->met);
    int status = read_nodes(file);
    bmf_graph *made = graph_finish(&file->maker);
    if (status == BMF_OK)
        status = check_connected(file, made);
    if (status == BMF_OK)
        *graph = made;
    else
        graph_free(made);
    return status;
}

int graph_read(const char *path, int64_t processors, bmf_graph **graph)
{
    node_file file = {.path = path, .stream = fopen(path, "r")};
    if (!file.stream)
        return bmf_fail(NULL, BMF_ERROR_FILE, "cannot read '%s': %s", path, strerror(errno));
    int status = read_graph(&file, processors, graph);
    fclose(file.stream);
    free(file.text);
    free(file.line_of);
    free(file.met);
    return status;
}

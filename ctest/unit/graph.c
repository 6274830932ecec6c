/* Graphs: what builders build, by their closed forms; every route of every
 * topology against shortest ways found by Floyd's and Warshall's algorithm;
 * node files, read, written and wrong; where nodes are drawn.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "ctest/support/testing.h"
#include "predict/network/graph/graph.h"
#include "runtime/base/allocate.h"
#include "bmf/status.h"

enum { TEXT = 1024, RANDOM_GRAPHS = 40 };

static const char *node_file = "unit_graph.net";

static int topology_of(const char *name)
{
    int k = 0;
    while (graph_topologies[k] && strcmp(graph_topologies[k], name) != 0)
        k++;
    assert_non_null(graph_topologies[k]);
    return k;
}

static bmf_graph *build(const char *name, int sizes, const int64_t *size, double growth)
{
    bmf_graph *graph;
    if (graph_build(topology_of(name), sizes, size, growth, &graph) != BMF_OK)
        fail_msg("%s", bmf_error_text(NULL));
    return graph;
}

static void write_text(const char *text)
{
    FILE *file = fopen(node_file, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static bmf_graph *read_text(const char *text, int64_t processors)
{
    bmf_graph *graph;
    write_text(text);
    if (graph_read(node_file, processors, &graph) != BMF_OK)
        fail_msg("%s", bmf_error_text(NULL));
    return graph;
}

/* ---- shortest ways, the slow and obvious way ---- */

static double *shortest(const bmf_graph *graph)
{
    const int64_t n = graph->nodes;
    double *cost = allocate(n * n * (int64_t)sizeof *cost);
    for (int64_t k = 0; k < n * n; k++)
        cost[k] = k / n == k % n ? 0.0 : INFINITY;
    for (int64_t k = 0; k < graph->links; k++)
        cost[graph->link[k].from * n + graph->link[k].to] = 1.0 / graph->link[k].weight;
    for (int64_t by = 0; by < n; by++)
        for (int64_t a = 0; a < n; a++)
            for (int64_t b = 0; b < n; b++)
                cost[a * n + b] = fmin(cost[a * n + b], cost[a * n + by] + cost[by * n + b]);
    return cost;
}

/* Every route leads from one processor to the other without a break and costs
 * no more than need be. */
static void check_routes(bmf_graph *graph)
{
    double *cost = shortest(graph);
    for (int64_t from = 0; from < graph->processors; from++)
        for (int64_t to = 0; to < graph->processors; to++) {
            const int32_t *route;
            if (from == to)
                continue;
            int64_t hops = graph_route(graph, from, to, &route), at = from;
            double sum = 0.0, min = cost[from * graph->nodes + to];
            for (int64_t k = 0; k < hops; k++) {
                const bmf_link *link = &graph->link[route[k]];
                if (!CHECK(link->from == at, "%s: %lld to %lld, hop %lld", graph->name, (long long)from, (long long)to,
                           (long long)k))
                    break;
                at = link->to;
                sum += 1.0 / link->weight;
            }
            CHECK(at == to, "%s: %lld to %lld ends at %lld", graph->name, (long long)from, (long long)to,
                  (long long)at);
            CHECK(fabs(sum - min) <= 1e-12 * min, "%s: %lld to %lld costs %g, not %g", graph->name, (long long)from,
                  (long long)to, sum, min);
        }
    free(cost);
}

/* ---- topologies ---- */

typedef struct built {
    const char *name;
    int sizes;
    int64_t size[4];
    double growth;
    int64_t processors, nodes, links; /* closed forms */
} built;

static const built built_graphs[] = {
    /* a x b: 2 (2 a b - a - b) links; tori: 2 in each dimension with more than
       2 nodes, 1 with 2 */
    {"mesh", 2, {4, 4}, NAN, 16, 16, 48},
    {"mesh", 1, {5}, NAN, 5, 5, 8},
    {"mesh", 3, {2, 3, 4}, NAN, 24, 24, 2 * (12 + 16 + 18)},
    {"torus", 2, {4, 4}, NAN, 16, 16, 64},
    {"torus", 3, {3, 2, 4}, NAN, 24, 24, 24 * (2 + 1 + 2)},
    {"torus", 2, {1, 5}, NAN, 5, 5, 10},
    {"ring", 1, {7}, NAN, 7, 7, 14},
    {"ring", 1, {2}, NAN, 2, 2, 2},
    {"ring", 1, {1}, NAN, 1, 1, 0},
    {"hypercube", 1, {16}, NAN, 16, 16, 64},
    {"hypercube", 1, {1}, NAN, 1, 1, 0},
    {"binary-tree", 1, {16}, NAN, 16, 31, 60},
    {"fat-tree", 2, {4, 3}, NAN, 12, 17, 32},
    {"fat-tree", 3, {2, 2, 4}, 2.0, 16, 23, 44},
    {"star", 1, {6}, NAN, 6, 7, 12},
    {"crossbar", 1, {5}, NAN, 5, 6, 10},
    {"bus", 1, {5}, NAN, 5, 6, 10},
    {"omega", 1, {16}, NAN, 16, 16 + 4 * 8, 16 * 5},
    {"omega", 1, {2}, NAN, 2, 3, 4},
};

static void topologies(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof built_graphs / sizeof *built_graphs; k++) {
        const built *b = &built_graphs[k];
        bmf_graph *graph = build(b->name, b->sizes, b->size, b->growth);
        CHECK(graph->processors == b->processors && graph->nodes == b->nodes && graph->links == b->links,
              "%s: %lld, %lld, %lld", b->name, (long long)graph->processors, (long long)graph->nodes,
              (long long)graph->links);
        check_routes(graph);
        CHECK(!graph->paths, "%s needs no table", b->name);
        graph_free(graph);
    }
    assert_int_equal(test_failures, 0);
}

/* With dimension order a step in the last dimension comes first. */
static void dimension_order(void **state)
{
    (void)state;
    const int32_t *route;
    bmf_graph *mesh = build("mesh", 2, (int64_t[]){4, 4}, NAN);
    static const int32_t passed[] = {1, 2, 3, 7, 11}; /* from 0 to 11: along the row, then down */
    assert_int_equal(graph_route(mesh, 0, 11, &route), 5);
    for (int k = 0; k < 5; k++)
        assert_int_equal(mesh->link[route[k]].to, passed[k]);
    graph_free(mesh);
}

/* Everybody to everybody on a ring of n, n even: n^2 / 8 messages on every
 * link, in both directions. */
static void balanced_rings(void **state)
{
    (void)state;
    for (int64_t n = 4; n <= 16; n += 4) {
        bmf_graph *ring = build("ring", 1, &n, NAN);
        int64_t *crossed = allocate_clear(ring->links, sizeof *crossed);
        for (int64_t a = 0; a < n; a++)
            for (int64_t b = 0; b < n; b++) {
                const int32_t *route;
                for (int64_t k = a == b ? 0 : graph_route(ring, a, b, &route); k > 0; k--)
                    crossed[route[k - 1]]++;
            }
        for (int64_t k = 0; k < ring->links; k++)
            assert_int_equal(crossed[k], n * n / 8);
        free(crossed);
        graph_free(ring);
    }
}

/* Links of full fat trees have the bandwidth of all processors below them. */
static void fat_weights(void **state)
{
    (void)state;
    bmf_graph *full = build("fat-tree", 3, (int64_t[]){2, 3, 4}, NAN);
    bmf_graph *thin = build("fat-tree", 3, (int64_t[]){2, 3, 4}, 2.0);
    for (int64_t k = 0; k < full->links; k++) {
        int32_t low = full->link[k].from < full->link[k].to ? full->link[k].from : full->link[k].to;
        assert_float_equal(full->link[k].weight, low < 24 ? 1.0 : low < 24 + 6 ? 4.0 : 12.0, 0.0);
        assert_float_equal(thin->link[k].weight, low < 24 ? 1.0 : low < 24 + 6 ? 2.0 : 4.0, 0.0);
    }
    graph_free(full);
    graph_free(thin);
}

static void directions_share(void **state)
{
    (void)state;
    bmf_graph *mesh = build("mesh", 2, (int64_t[]){3, 3}, NAN);
    for (int64_t k = 0; k < mesh->links; k++)
        assert_int_equal(mesh->link[k].channel, k);
    graph_share_directions(mesh);
    for (int64_t k = 0; k < mesh->links; k++) {
        int64_t back = graph_link(mesh, mesh->link[k].to, mesh->link[k].from), sharing = 0;
        assert_int_equal(mesh->link[k].channel, mesh->link[back].channel);
        for (int64_t j = 0; j < mesh->links; j++)
            sharing += mesh->link[j].channel == mesh->link[k].channel;
        assert_int_equal(sharing, 2);
    }
    graph_free(mesh);
}

static void wrong_sizes(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        int sizes;
        int64_t size[3];
        const char *message;
    } wrong[] = {
        {"hypercube", 1, {12}, "a hypercube has a power of two of processors, not 12"},
        {"omega", 1, {6}, "an omega has a power of two of processors, not 6"},
        {"binary-tree", 1, {15}, "a binary-tree has a power of two of processors, not 15"},
        {"ring", 2, {4, 4}, "a ring has one size, its number of processors"},
        {"mesh", 2, {4, 0}, "sizes are at least 1, not 0"},
        {"torus", 3, {100000, 100000, 100000}, "more than 22369621 nodes"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        bmf_graph *graph;
        assert_int_equal(graph_build(topology_of(wrong[k].name), wrong[k].sizes, wrong[k].size, NAN, &graph),
                         BMF_ERROR_ARGUMENT);
        assert_string_equal(bmf_error_text(NULL), wrong[k].message);
    }
}

/* ---- node files ---- */

/* Document 000, figure 6-1 and the file below it. */
static const char *figure_6_1 = "7\n0 4 1 -1\n1 4 1 -1\n2 5 1 -1\n3 5 1 -1\n"
                                "4 0 1 1 1 6 3 -1\n5 2 1 3 1 6 3 -1\n6 4 3 5 3 -1\n";

static void document_tree(void **state)
{
    (void)state;
    static const int32_t passed[] = {4, 6, 5, 3};
    static const double weight[] = {1.0, 3.0, 3.0, 1.0};
    const int32_t *route;
    bmf_graph *graph = read_text(figure_6_1, 4);
    assert_int_equal(graph->processors, 4);
    assert_int_equal(graph->nodes, 7);
    assert_int_equal(graph->links, 12);
    assert_int_equal(graph_route(graph, 0, 3, &route), 4);
    for (int k = 0; k < 4; k++) {
        assert_int_equal(graph->link[route[k]].to, passed[k]);
        assert_float_equal(graph->link[route[k]].weight, weight[k], 0.0);
    }
    check_routes(graph);
    assert_int_equal(test_failures, 0);
    graph_free(graph);
}

static void write_graph(const bmf_graph *graph)
{
    FILE *file = fopen(node_file, "w");
    assert_non_null(file);
    fprintf(file, "# written by a test\n\n%lld\n", (long long)graph->nodes);
    for (int64_t n = graph->nodes - 1; n >= 0; n--) { /* lines in any order */
        fprintf(file, "%lld", (long long)n);
        for (int64_t k = graph->first[n]; k < graph->first[n + 1]; k++)
            fprintf(file, "  %d %.17g", graph->link[k].to, graph->link[k].weight);
        fputs(" -1   # all of it\n", file);
    }
    fclose(file);
}

/* What a builder built, written to a file and read: the same links, routes as
 * short; on meshes the same routes. */
static void files_of_built(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof built_graphs / sizeof *built_graphs; k++) {
        const built *b = &built_graphs[k];
        bmf_graph *graph = build(b->name, b->sizes, b->size, b->growth), *copy;
        if (strcmp(b->name, "bus") != 0) { /* files have no joints */
            write_graph(graph);
            assert_int_equal(graph_read(node_file, graph->processors, &copy), BMF_OK);
            assert_int_equal(copy->links, graph->links);
            for (int64_t l = 0; l < graph->links; l++)
                CHECK(copy->link[l].to == graph->link[l].to && copy->link[l].weight == graph->link[l].weight,
                      "%s, link %lld", b->name, (long long)l);
            check_routes(copy);
            for (int64_t from = 0; strcmp(b->name, "mesh") == 0 && from < graph->nodes; from++)
                for (int64_t to = 0; to < graph->nodes; to++) {
                    const int32_t *one, *other;
                    int64_t hops = from == to ? 0 : graph_route(graph, from, to, &one);
                    if (hops > 0 && graph_route(copy, from, to, &other) == hops)
                        CHECK(memcmp(one, other, (size_t)hops * sizeof *one) == 0, "%lld to %lld", (long long)from,
                              (long long)to);
                }
            graph_free(copy);
        }
        graph_free(graph);
    }
    assert_int_equal(test_failures, 0);
}

/* Strongly connected by a ring, with some more links and weights of a few
 * values, so that ways tie. */
static void random_files(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int round = 0; round < RANDOM_GRAPHS; round++) {
        const int64_t nodes = 2 + test_below(&seed, 20);
        FILE *file = fopen(node_file, "w");
        assert_non_null(file);
        fprintf(file, "%lld\n", (long long)nodes);
        for (int64_t n = 0; n < nodes; n++) {
            fprintf(file, "%lld %lld %lld", (long long)n, (long long)((n + 1) % nodes),
                    (long long)test_below(&seed, 3) + 1);
            for (int64_t other = 0; other < nodes; other++)
                if (other != n && other != (n + 1) % nodes && test_below(&seed, 4) == 0)
                    fprintf(file, " %lld %g", (long long)other, 0.1 * (double)(1 + test_below(&seed, 3)));
            fputs(" -1\n", file);
        }
        fclose(file);
        bmf_graph *graph;
        assert_int_equal(graph_read(node_file, 1 + test_below(&seed, nodes), &graph), BMF_OK);
        check_routes(graph);
        graph_free(graph);
    }
    assert_int_equal(test_failures, 0);
}

static void wrong_files(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"", ": the number of nodes is missing"},
        {"two\n", ":1: the number of nodes expected, not 'two'"},
        {"2 2\n", ":1: the number of nodes stands on a line by itself"},
        {"0\n", ":1: the number of nodes is 1 to 16777216, not 0"},
        {"1\n0 -1\n", ":1: 1 nodes are too few for 2 processors"},
        {"2\n0 1 1 -1\n", ": node 1 of 2 has no line"},
        {"2\n0 1 1 -1\n0 1 1 -1\n", ":3: node 0 has had line 2 already"},
        {"2\n0 1 1 -1\n1 0 1 -1\n2 0 1 -1\n", ":4: node 2 is not one of the nodes 0 to 1"},
        {"2\n\n0 2 1 -1\n", ":3: neighbour 2 is not one of the nodes 0 to 1"},
        {"2\n0 -2 1 -1\n", ":2: neighbour -2 is not one of the nodes 0 to 1"},
        {"2\n0 0 1 -1\n", ":2: node 0 has a link to itself"},
        {"2\n0 1 1 1 2 -1\n", ":2: the link from 0 to 1 is there twice"},
        {"2\n0 1 1\n1 0 1 -1\n", ":2: the line of node 0 does not end with -1"},
        {"2\n0 1\n", ":2: the weight of the link from 0 to 1 is missing"},
        {"2\n0 1 -1\n", ":2: the weight of the link from 0 to 1 must be above 0, not -1"},
        {"2\n0 1 0 -1\n", ":2: the weight of the link from 0 to 1 must be above 0, not 0"},
        {"2\n0 1 inf -1\n", ":2: the weight of the link from 0 to 1 must be above 0, not inf"},
        {"2\n0 1 wide -1\n", ":2: a weight expected, not 'wide'"},
        {"2\n0 1.5 1 -1\n", ":2: a neighbour or -1 expected, not '1.5'"},
        {"2\nnode 1 1 -1\n", ":2: a node expected, not 'node'"},
        {"2\n0 1 1 -1 1\n", ":2: there is more behind the -1 that ends the line"},
        {"3\n0 1 1 -1\n1 0 1 -1\n2 0 1 -1\n", ": there is no way from node 0 to node 2"},
        {"3\n0 1 1 2 1 -1\n1 0 1 -1\n2 -1\n", ": there is no way from node 2 to node 0"},
    };
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        bmf_graph *graph;
        char message[TEXT];
        write_text(wrong[k].text);
        snprintf(message, sizeof message, "%s%s", node_file, wrong[k].message);
        assert_int_equal(graph_read(node_file, 2, &graph), BMF_ERROR_FILE);
        assert_string_equal(bmf_error_text(NULL), message);
    }
    unlink(node_file);
    bmf_graph *graph;
    assert_int_equal(graph_read(node_file, 2, &graph), BMF_ERROR_FILE);
    assert_string_equal(bmf_error_text(NULL), "cannot read 'unit_graph.net': No such file or directory");
}

/* ---- drawing ---- */

static double distance(const double *x, const double *y, int64_t a, int64_t b)
{
    return hypot(x[a] - x[b], y[a] - y[b]);
}

/* No two nodes in one place. */
static void check_places(const bmf_graph *graph, double *x, double *y)
{
    graph_draw(graph, x, y);
    for (int64_t a = 0; a < graph->nodes; a++)
        for (int64_t b = 0; b < a; b++)
            CHECK(distance(x, y, a, b) > 0.25, "%s: nodes %lld and %lld", graph->name, (long long)a, (long long)b);
}

/* Switches stand above what is below them, in the middle. */
static void check_layers(const bmf_graph *graph, const double *x, const double *y)
{
    for (int64_t n = graph->processors; n < graph->nodes; n++) {
        double low = INFINITY, high = -INFINITY;
        for (int64_t k = graph->first[n]; k < graph->first[n + 1]; k++) {
            int64_t other = graph->link[k].to;
            CHECK(other > n ? y[other] < y[n] : y[other] > y[n], "%s: node %lld", graph->name, (long long)n);
            low = other < n ? fmin(low, x[other]) : low;
            high = other < n ? fmax(high, x[other]) : high;
        }
        CHECK(fabs(x[n] - 0.5 * (low + high)) < 1e-12, "%s: node %lld at %g", graph->name, (long long)n, x[n]);
    }
}

static void drawing(void **state)
{
    (void)state;
    double x[64], y[64];
    for (size_t k = 0; k < sizeof built_graphs / sizeof *built_graphs; k++) {
        const built *b = &built_graphs[k];
        bmf_graph *graph = build(b->name, b->sizes, b->size, b->growth);
        check_places(graph, x, y);
        if (graph->routing == BMF_ROUTES_TREE)
            check_layers(graph, x, y);
        for (int64_t l = 0; strcmp(b->name, "mesh") == 0 && b->sizes < 3 && l < graph->links; l++)
            CHECK(distance(x, y, graph->link[l].from, graph->link[l].to) == 1.0, "link %lld", (long long)l);
        for (int64_t n = 1; strcmp(b->name, "ring") == 0 && n < graph->nodes; n++)
            CHECK(fabs(hypot(x[n], y[n]) - hypot(x[0], y[0])) < 1e-9, "ring, node %lld", (long long)n);
        graph_free(graph);
    }
    bmf_graph *tree = read_text(figure_6_1, 4);
    check_places(tree, x, y);
    check_layers(tree, x, y);
    graph_free(tree);
    unlink(node_file);
    assert_int_equal(test_failures, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(topologies),    cmocka_unit_test(dimension_order),  cmocka_unit_test(balanced_rings),
        cmocka_unit_test(fat_weights),   cmocka_unit_test(directions_share), cmocka_unit_test(wrong_sizes),
        cmocka_unit_test(document_tree), cmocka_unit_test(files_of_built),   cmocka_unit_test(random_files),
        cmocka_unit_test(wrong_files),   cmocka_unit_test(drawing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

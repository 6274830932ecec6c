/* Trees over subsets: what every tree must keep, for random subsets, valid nodes and limits; that there is none where
 * cop_build_tree finds none, by trying all parents of all nodes; trees that are worked out by hand; large ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bmf/status.h"
#include "predict/cop/build_tree.h"
#include "runtime/base/random.h"

enum { MOST = 1200, TRIED = 7 };

typedef struct request {
    bmf_mesh mesh;
    bmf_cop_instance instance;
    int64_t node[MOST];
    bool valid[MOST];
    int64_t start, max_children, max_distance;
} request;

static request *whole_mesh(const char *size)
{
    request *q = calloc(1, sizeof *q);
    assert_non_null(q);
    assert_int_equal(mesh_parse(size, false, &q->mesh), BMF_OK);
    q->instance = (bmf_cop_instance){.nodes = q->mesh.nodes, .node = q->node};
    for (int64_t k = 0; k < q->mesh.nodes; k++) {
        q->node[k] = k;
        q->valid[k] = true;
    }
    q->max_children = q->max_distance = INT64_MAX;
    return q;
}

static int64_t *build(const request *q)
{
    return cop_build_tree(&q->mesh, &q->instance, q->valid, q->start, q->max_children, q->max_distance);
}

static int64_t links(const request *q, int64_t a, int64_t b)
{
    return mesh_distance(&q->mesh, q->node[a], q->node[b]);
}

static bool is_under(const int64_t *parent, int64_t node, int64_t above)
{
    while (node != above && node >= 0)
        node = parent[node];
    return node == above;
}

/* Whether those under every node are all of the tree between the first and the last of them. */
static bool is_in_order(const int64_t *parent, int64_t nodes)
{
    for (int64_t above = 0; above < nodes; above++) {
        int64_t first = nodes, last = -1;
        for (int64_t k = 0; k < nodes; k++)
            if (parent[k] != BMF_COP_TREE_LEFT_OUT && is_under(parent, k, above)) {
                first = k < first ? k : first;
                last = k;
            }
        for (int64_t k = first; k <= last; k++)
            if (parent[k] != BMF_COP_TREE_LEFT_OUT && !is_under(parent, k, above))
                return false;
    }
    return true;
}

/* NULL: the parents are a tree as requested; otherwise what is wrong. */
static const char *wrong_with(const request *q, const int64_t *parent)
{
    const int64_t nodes = q->instance.nodes;
    int64_t *children = calloc((size_t)nodes, sizeof *children);
    const char *wrong = NULL;
    assert_non_null(children);
    for (int64_t k = 0; k < nodes && !wrong; k++) {
        int64_t at = k, steps = 0;
        if (parent[k] == BMF_COP_TREE_LEFT_OUT) {
            wrong = q->valid[k] ? "a valid node is left out" : k == q->start ? "the start is left out" : NULL;
            continue;
        }
        while (at != q->start && at >= 0 && steps++ <= nodes)
            at = parent[at];
        if (at != q->start || parent[q->start] != BMF_COP_TREE_ROOT)
            wrong = "a node is not under the start";
        else if (k != q->start && ++children[parent[k]] > q->max_children)
            wrong = "too many children";
        else if (k != q->start && links(q, k, parent[k]) > q->max_distance)
            wrong = "a parent is too far away";
    }
    for (int64_t k = 0; k < nodes && !wrong; k++)
        if (k != q->start && parent[k] >= 0 && !q->valid[k] && children[k] == 0)
            wrong = "an invalid node has nothing under it";
    free(children);
    return wrong ? wrong : is_in_order(parent, nodes) ? NULL : "it is not in order";
}

/* All parents of the numbers from k on. */
static bool some_tree(const request *q, int64_t *parent, int64_t k)
{
    const int64_t nodes = q->instance.nodes;
    if (k == nodes)
        return !wrong_with(q, parent);
    if (k == q->start) {
        parent[k] = BMF_COP_TREE_ROOT;
        return some_tree(q, parent, k + 1);
    }
    for (parent[k] = q->valid[k] ? 0 : BMF_COP_TREE_LEFT_OUT; parent[k] < nodes; parent[k]++) {
        const bool is_node = parent[k] >= 0;
        if (parent[k] == BMF_COP_TREE_ROOT || parent[k] == k || (is_node && links(q, k, parent[k]) > q->max_distance))
            continue;
        if (some_tree(q, parent, k + 1))
            return true;
    }
    return false;
}

static int64_t choose(uint64_t *seed, int64_t count)
{
    return (int64_t)(random_bits(seed) % (uint64_t)count);
}

/* A few of the mesh's nodes in any order. */
static void choose_subset(request *q, uint64_t *seed, int64_t most)
{
    const int64_t nodes = q->mesh.nodes < most ? q->mesh.nodes : most;
    q->instance.nodes = 1 + choose(seed, nodes);
    for (int64_t k = 0; k < q->instance.nodes; k++) {
        const int64_t other = k + choose(seed, q->mesh.nodes - k), moved = q->node[other];
        q->node[other] = q->node[k];
        q->node[k] = moved;
        q->valid[k] = choose(seed, 4) > 0;
    }
    q->start = choose(seed, q->instance.nodes);
    q->max_children = choose(seed, 4);
    q->max_distance = 1 + choose(seed, 4);
}

static const char *const sizes[] = {"2x2", "3x2", "3x3", "4x3", "5x4", "3x3x2", "7", "16"};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* Sorted subsets have trees more often. */
static void sort_subset(request *q)
{
    for (int64_t k = 1; k < q->instance.nodes; k++)
        for (int64_t j = k; j > 0 && q->node[j - 1] > q->node[j]; j--) {
            const int64_t moved = q->node[j];
            q->node[j] = q->node[j - 1];
            q->node[j - 1] = moved;
        }
}

static void is_null_exactly_without_a_tree(void **state)
{
    const uint64_t first = 19970201;
    uint64_t seed = first;
    int found = 0, none = 0;
    (void)state;
    print_message("seed %llu\n", (unsigned long long)first);
    for (int k = 0; k < 4000; k++) {
        request *q = whole_mesh(sizes[k % SIZES]);
        int64_t parent[TRIED];
        choose_subset(q, &seed, TRIED);
        if (k % 3 > 0)
            sort_subset(q);
        int64_t *tree = build(q);
        const char *wrong = tree ? wrong_with(q, tree) : NULL;
        if (wrong)
            fail_msg("case %d on %s: %s", k, sizes[k % SIZES], wrong);
        if (!tree && some_tree(q, parent, 0))
            fail_msg("case %d on %s: there is a tree of %d nodes from %d", k, sizes[k % SIZES], (int)q->instance.nodes,
                     (int)q->start);
        found += tree ? 1 : 0;
        none += tree ? 0 : 1;
        free(tree);
        free(q);
    }
    print_message("%d trees, %d without\n", found, none);
    assert_true(found > 1000 && none > 1000);
}

static void larger_trees_keep_their_limits(void **state)
{
    uint64_t seed = 19970202;
    int found = 0;
    (void)state;
    for (int k = 0; k < 300; k++) {
        request *q = whole_mesh(k % 2 ? "6x6" : "4x3x3");
        choose_subset(q, &seed, 36);
        sort_subset(q);
        q->max_children = 2 + choose(&seed, 3);
        int64_t *tree = build(q);
        const char *wrong = tree ? wrong_with(q, tree) : NULL;
        if (wrong)
            fail_msg("case %d: %s", k, wrong);
        found += tree ? 1 : 0;
        free(tree);
        free(q);
    }
    assert_true(found > 100);
}

static void expect_parents(request *q, const int64_t *expected)
{
    int64_t *tree = build(q);
    assert_non_null(tree);
    for (int64_t k = 0; k < q->instance.nodes; k++)
        assert_int_equal(tree[k], expected[k]);
    free(tree);
    free(q);
}

/* On 4x3 nodes the first of a row is nearest to the first of the row above it, others to the one before them. */
static void rows_hang_on_a_column(void **state)
{
    static const int64_t expected[] = {-1, 0, 1, 2, 0, 4, 5, 6, 4, 8, 9, 10};
    (void)state;
    expect_parents(whole_mesh("4x3"), expected);
}

/* Invalid nodes go if nothing valid hangs on them: the first row's last two, but not the second row's first. */
static void invalid_nodes_are_pruned(void **state)
{
    static const int64_t expected[] = {-1, 0, -2, -2, 0, 4, -2, -2, -2, -2, -2, -2};
    (void)state;
    request *q = whole_mesh("4x3");
    for (int k = 0; k < 12; k++)
        q->valid[k] = k == 1 || k == 5;
    expect_parents(q, expected);
}

/* With neighbours as parents only: from the middle of the first column of 3x3 the nearest place of node 2 is too far
 * away, so that all trees are looked through. Numbers on both sides need a child each; from node 4 two are enough: 3
 * for 0 to 3, and 5 for 5 to 8. */
static void stuck_ways_are_left(void **state)
{
    static const struct {
        int64_t start, children;
        bool is_there;
    } tried[] = {{3, 3, true}, {3, 1, false}, {4, 1, false}, {4, 2, true}};
    (void)state;
    for (int k = 0; k < 4; k++) {
        request *q = whole_mesh("3x3");
        q->start = tried[k].start;
        q->max_children = tried[k].children;
        q->max_distance = 1;
        int64_t *tree = build(q);
        assert_int_equal(tree ? 1 : 0, tried[k].is_there);
        if (tree)
            assert_null(wrong_with(q, tree));
        free(tree);
        free(q);
    }
}

/* Quickly, however large: with two children and any distance the nearest place always leads on. */
static void large_subsets(void **state)
{
    (void)state;
    request *q = whole_mesh("32x32");
    q->max_children = 2;
    q->start = 517;
    int64_t *tree = build(q);
    assert_non_null(tree);
    assert_null(wrong_with(q, tree));
    free(tree);
    free(q);
    q = whole_mesh("1");
    static const int64_t alone[] = {-1};
    q->max_children = 0;
    expect_parents(q, alone);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(is_null_exactly_without_a_tree),
                                       cmocka_unit_test(larger_trees_keep_their_limits),
                                       cmocka_unit_test(rows_hang_on_a_column),
                                       cmocka_unit_test(invalid_nodes_are_pruned),
                                       cmocka_unit_test(stuck_ways_are_left),
                                       cmocka_unit_test(large_subsets)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Topologies and traffic: numbers, neighbours and distances against coordinates; patterns against their definitions;
 * files of messages, good and bad. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "predict/mesh/pattern.h"
#include "predict/mesh/router.h"
#include "bmf/status.h"

static bmf_mesh mesh_of(const char *text, bool torus)
{
    bmf_mesh mesh;
    assert_int_equal(mesh_parse(text, torus, &mesh), BMF_OK);
    return mesh;
}

static bmf_mesh_traffic *make(const char *pattern, const bmf_mesh *mesh, int64_t words)
{
    bmf_mesh_traffic *traffic;
    if (mesh_traffic_make(pattern, mesh, words, NULL, &traffic) != BMF_OK)
        fail_msg("%s: %s", pattern, bmf_error_text(NULL));
    return traffic;
}

/* Breadth-first from every node, over neighbours only. */
static void distances_are_those_of_neighbours(void **unused)
{
    (void)unused;
    const char *const sizes[] = {"5x3", "4x4", "3x2x4", "7", "2x2x2"};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        for (int torus = 0; torus < 2; torus++) {
            const bmf_mesh mesh = mesh_of(sizes[k], torus);
            for (int64_t from = 0; from < mesh.nodes; from++) {
                int64_t distance[64], queue[64], read = 0, written = 1;
                memset(distance, -1, sizeof distance);
                queue[0] = from;
                distance[from] = 0;
                while (read < written) {
                    const int64_t at = queue[read++];
                    for (int port = 0; port < BMF_MESH_PORTS; port++) {
                        const int64_t to = mesh_neighbour(&mesh, at, port);
                        if (to < 0)
                            continue;
                        assert_int_equal(mesh_neighbour(&mesh, to, mesh_opposite(port)), at);
                        if (distance[to] < 0) {
                            distance[to] = distance[at] + 1;
                            queue[written++] = to;
                        }
                    }
                }
                assert_int_equal(written, mesh.nodes);
                for (int64_t to = 0; to < mesh.nodes; to++)
                    assert_int_equal(mesh_distance(&mesh, from, to), distance[to]);
            }
        }
}

static void sizes_are_read(void **unused)
{
    (void)unused;
    const char *const bad[] = {"",     "x",     "8x",  "8x8x8x8",   "0x4",
                               "-2x2", "8 x 8", "8X8", "2000x2000", "99999999999999999999"};
    bmf_mesh mesh;
    char text[BMF_MESH_TEXT];
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        assert_int_equal(mesh_parse(bad[k], false, &mesh), BMF_ERROR_ARGUMENT);
    mesh = mesh_of("3x4x5", false);
    assert_int_equal(mesh.nodes, 60);
    assert_string_equal(mesh_text(&mesh, text), "3x4x5");
    for (int64_t nodes = 1; nodes < 300; nodes++) {
        mesh_for(nodes, &mesh);
        assert_true(mesh.nodes >= nodes && mesh.nodes <= nodes + mesh.size[1]);
    }
}

static void patterns_are_as_defined(void **unused)
{
    (void)unused;
    bmf_mesh mesh = mesh_of("4x4", false);
    bmf_mesh_traffic *t = make("bitrev", &mesh, 7);
    assert_int_equal(t->messages, 12); /* 0, 6, 9 and 15 stay */
    for (int64_t k = 0; k < t->messages; k++) {
        const int64_t i = t->message[k].from;
        assert_int_equal(t->message[k].to[0], (i & 1) << 3 | (i & 2) << 1 | (i & 4) >> 1 | (i & 8) >> 3);
        assert_int_equal(t->message[k].words, 7);
    }
    mesh_traffic_free(t);
    t = make("transpose", &mesh, 1);
    assert_int_equal(t->messages, 12);
    for (int64_t k = 0; k < t->messages; k++)
        assert_int_equal(t->message[k].to[0], t->message[k].from % 4 * 4 + t->message[k].from / 4);
    mesh_traffic_free(t);
    t = make("shift:1,x", &mesh, 1);
    for (int64_t k = 0; k < 16; k++)
        assert_int_equal(t->message[k].to[0], k / 4 * 4 + (k + 1) % 4);
    mesh_traffic_free(t);
    t = make("shift", &mesh, 1);
    assert_int_equal(t->message[0].to[0], 12);
    mesh_traffic_free(t);
    t = make("broadcast:2:1", &mesh, 1);
    assert_int_equal(t->messages, 1);
    assert_int_equal(t->message[0].from, 6);
    assert_int_equal(t->message[0].destinations, 15);
    mesh_traffic_free(t);
    t = make("neighbours:y", &mesh, 1);
    assert_int_equal(t->messages, 24);
    mesh_traffic_free(t);
    mesh = mesh_of("3x3x3", false);
    t = make("transpose", &mesh, 1);
    assert_int_equal(t->messages, 24);
    assert_int_equal(t->message[0].from, 1); /* (1, 0, 0) to (0, 0, 1) */
    assert_int_equal(t->message[0].to[0], 9);
    mesh_traffic_free(t);
}

static void random_traffic_has_the_load(void **unused)
{
    (void)unused;
    const bmf_mesh mesh = mesh_of("8x8", false);
    for (int itself = 0; itself < 2; itself++) {
        const bmf_mesh_random random = {.load = 0.2, .cycles = 5000, .seed = 3, .itself = itself};
        bmf_mesh_traffic *t, *again;
        double hops = 0;
        int64_t own = 0;
        assert_int_equal(mesh_traffic_make("random", &mesh, 4, &random, &t), BMF_OK);
        assert_int_equal(mesh_traffic_make("random", &mesh, 4, &random, &again), BMF_OK);
        assert_int_equal(t->messages, again->messages);
        for (int64_t k = 0; k < t->messages; k++) {
            assert_int_equal(t->message[k].to[0], again->message[k].to[0]);
            assert_true(k == 0 || t->message[k].cycle >= t->message[k - 1].cycle);
            hops += (double)mesh_distance(&mesh, t->message[k].from, t->message[k].to[0]);
            own += t->message[k].from == t->message[k].to[0];
        }
        /* 16000 messages expected, standard deviation 126; mean distance 2 (n - 1/n) / 3 with the own node among
         * them */
        assert_in_range(t->messages, 15400, 16600);
        const double expected = 5.25 * (itself ? 1 : 64.0 / 63.0), mean = hops / (double)t->messages;
        assert_true(mean > expected - 0.08 && mean < expected + 0.08);
        assert_true(itself ? own > 0 : own == 0);
        mesh_traffic_free(t);
        mesh_traffic_free(again);
    }
}

static void expect_refused(const char *pattern, const bmf_mesh *mesh, const char *text)
{
    bmf_mesh_traffic *t;
    assert_int_not_equal(mesh_traffic_make(pattern, mesh, 1, NULL, &t), BMF_OK);
    if (!strstr(bmf_error_text(NULL), text))
        fail_msg("%s: '%s' does not say '%s'", pattern, bmf_error_text(NULL), text);
}

static void bad_patterns_are_refused(void **unused)
{
    (void)unused;
    const bmf_mesh mesh = mesh_of("3x4", false);
    expect_refused("bitrev", &mesh, "a power of two of nodes, not 12");
    expect_refused("transpose", &mesh, "all sizes equal");
    expect_refused("shift:x", &mesh, "shift:x");
    expect_refused("shift:1,w", &mesh, "an axis");
    expect_refused("broadcast:12", &mesh, "0 .. 11");
    expect_refused("random", &mesh, "a load");
    expect_refused("transpose:3", &mesh, "nothing after a colon");
    expect_refused("file", &mesh, "needs something");
    expect_refused("file:/nowhere/at/all", &mesh, "/nowhere/at/all: ");
    expect_refused("gossip", &mesh, "no pattern 'gossip'");
}

static void with_file(const char *content, const char *text)
{
    const bmf_mesh mesh = mesh_of("3x4", false);
    char path[] = "/tmp/bmf-messages-XXXXXX", pattern[64];
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    assert_int_equal(write(descriptor, content, strlen(content)), strlen(content));
    close(descriptor);
    snprintf(pattern, sizeof pattern, "file:%s", path);
    if (text)
        expect_refused(pattern, &mesh, text);
    else
        mesh_traffic_free(make(pattern, &mesh, 1));
    remove(path);
}

static void files_are_read(void **unused)
{
    (void)unused;
    with_file("", NULL);
    with_file("# nothing\n0 1 5\n\n1:1 2,0:3 6 at=7 bandwidth=0.5 # two\n", NULL);
    with_file("0 1 5\n0 12 5\n", ":2: destinations outside the mesh");
    with_file("3:0 1 5\n", ":1: a sender outside the mesh");
    with_file("0 1,1 5\n", ":1: a destination twice");
    with_file("0 0 5\n", ":1: a node sends to itself");
    with_file("0 1\n", ":1: 1 to 2^40 words");
    with_file("0 1 0\n", ":1: 1 to 2^40 words");
    with_file("0\n", ":1: FROM TO WORDS");
    with_file("0 1 5 bandwidth=1.5\n", ":1: a bandwidth above 0 and at most 1");
    with_file("0 1 5 at=x\n", ":1: a cycle");
    with_file("\n\n0 1 5 now\n", ":3: neither at=CYCLE");
}

static void files_are_sorted_by_cycle(void **unused)
{
    (void)unused;
    const bmf_mesh mesh = mesh_of("3x4", false);
    char path[] = "/tmp/bmf-messages-XXXXXX", pattern[64];
    FILE *file = fdopen(mkstemp(path), "w");
    assert_non_null(file);
    for (int k = 0; k < 200; k++)
        fprintf(file, "0 1 %d at=%d\n", k + 1, k * 37 % 11);
    fclose(file);
    snprintf(pattern, sizeof pattern, "file:%s", path);
    bmf_mesh_traffic *t = make(pattern, &mesh, 1);
    assert_int_equal(t->messages, 200);
    for (int64_t k = 1; k < 200; k++) {
        const bmf_mesh_message *one = &t->message[k - 1], *next = &t->message[k];
        assert_true(one->cycle < next->cycle || (one->cycle == next->cycle && one->words < next->words));
    }
    mesh_traffic_free(t);
    remove(path);
}

static void parameters_are_checked(void **unused)
{
    (void)unused;
    const bmf_mesh_router *router = mesh_router_find("scheduled");
    assert_null(mesh_router_find("none"));
    double *value = mesh_router_values(router);
    const char *const bad[] = {"schedule=1", "schedule=2.5", "schedule", "schedule=", "schedule=x", "length=3", "=3"};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++)
        assert_int_equal(mesh_router_set(router, value, bad[k]), BMF_ERROR_ARGUMENT);
    assert_int_equal(mesh_router_set(router, value, "schedule=32"), BMF_OK);
    assert_true(value[0] == 32);
    free(value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_are_those_of_neighbours), cmocka_unit_test(sizes_are_read),
        cmocka_unit_test(patterns_are_as_defined),           cmocka_unit_test(random_traffic_has_the_load),
        cmocka_unit_test(bad_patterns_are_refused),          cmocka_unit_test(files_are_read),
        cmocka_unit_test(files_are_sorted_by_cycle),         cmocka_unit_test(parameters_are_checked)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Machine files: what good ones mean, that every mistake is one line with file and line number, where bare names are
 * looked for, and that damaged files never do worse than being refused.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "ctest/support/testing.h"
#include "predict/machine/machine.h"

static char folder[] = "unit_machine_XXXXXX";

static void write_bytes(const char *path, const char *text, size_t size)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void write_text(const char *path, const char *text)
{
    write_bytes(path, text, strlen(text));
}

/* Path of a file in the folder; static storage. */
static const char *in_folder(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

#define SHEET(operation, more)                                                                                         \
    "format = \"bmf sheet 1\"; title = \"a sheet\"; units = \"us\"; logarithm = \"natural\";\n"                        \
    "entries = ( { operation = \"" operation "\"; family = \"point-to-point\"; " more                                  \
    " d = [1, 64]; c = 1.0; size = \"d\"; k = 1.0; } );\n"

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder))
        return 1;
    write_text(in_folder("recv.sheet"), SHEET("recv", "element_bytes = 8;"));
    write_text(
        in_folder("memory.sheet"),
        SHEET("recv", "") "memory = ( { access = \"read\"; p = 1; bytes = [1024, 1000000]; levels = [1e-4, 1e-3]; "
                          "steps = [30000]; widths = [0.1]; error = 0.1; },\n{ access = \"random\"; p = 1; "
                          "bytes = [1024, 1000000]; levels = [1e-3, 1e-2]; steps = [30000]; widths = [0.1]; "
                          "error = 0.1; } );\n");
    write_text(in_folder("bytes.sheet"), SHEET("send", ""));
    write_text(in_folder("bad.sheet"), "format = \"bmf sheet 1\";\nunits = \"us\";\nlogarithm = 3;\n");
    return mkdir(in_folder("empty"), 0700);
}

static int remove_folder(void **state)
{
    static const char *const names[] = {"recv.sheet", "memory.sheet", "bytes.sheet", "bad.sheet", "m.machine"};
    (void)state;
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++)
        unlink(in_folder(names[k]));
    return rmdir(in_folder("empty")) != 0 || rmdir(folder) != 0;
}

static int parse(const char *text, bmf_machine **machine)
{
    return machine_parse(text, in_folder("m.machine"), machine);
}

#define NETWORK "network = { type = \"fixed\"; };"

/* ---- good ones ---- */

static void a_machine_has_what_its_file_says(void **state)
{
    (void)state;
    bmf_machine *machine;
    bmf_network *network;
    assert_int_equal(
        parse("name = \"n\"; note = \"a note\"; processors = 64; compute = { power = 0.5; };\n"
              "agreement_us = 3; network = { type = \"hockney\"; latency_us = 1; bandwidth_mb_per_s = 2; };",
              &machine),
        BMF_OK);
    assert_string_equal(machine->name, "n");
    assert_string_equal(machine->note, "a note");
    assert_string_equal(machine->directory, folder);
    assert_int_equal(machine->processors, 64);
    assert_int_equal(machine->compute, BMF_COMPUTE_MEASURED);
    assert_true(machine->power == 0.5);
    assert_true(fabs(machine->agreement - 3e-6) < 1e-20);
    assert_string_equal(machine->network_type->name, "hockney");
    assert_int_equal(machine_network(machine, 63, &network), BMF_OK);
    assert_int_equal(network->processors, 63);
    network->type->destroy(network);
    machine_free(machine);
}

static void what_is_left_out_has_defaults(void **state)
{
    (void)state;
    bmf_machine *machine;
    bmf_network *network;
    assert_int_equal(parse(NETWORK, &machine), BMF_OK);
    assert_string_equal(machine->name, "m");
    assert_string_equal(machine->note, "");
    assert_int_equal(machine->processors, 0);
    assert_int_equal(machine->compute, BMF_COMPUTE_MEASURED);
    assert_true(machine->power == 1.0);
    assert_true(isnan(machine->agreement));
    assert_int_equal(machine_network(machine, 1 << 20, &network), BMF_OK);
    network->type->destroy(network);
    machine_free(machine);
    assert_int_equal(machine_parse(NETWORK, "plain", &machine), BMF_OK);
    assert_string_equal(machine->name, "plain");
    assert_string_equal(machine->directory, ".");
    machine_free(machine);
}

static void computing_costs(void **state)
{
    (void)state;
    bmf_machine *machine;
    assert_int_equal(parse("compute = { zero = true; };" NETWORK, &machine), BMF_OK);
    assert_int_equal(machine->compute, BMF_COMPUTE_ZERO);
    machine_free(machine);
    assert_int_equal(parse("compute = { sheet = \"recv.sheet\"; power = 2; sharing = 4; };" NETWORK, &machine), BMF_OK);
    assert_int_equal(machine->compute, BMF_COMPUTE_SHEET);
    assert_string_equal(machine->kernels->title, "a sheet");
    assert_int_equal(machine->sharing, 4);
    machine_free(machine);
}

/* Memory has powers of its own: a second of it here, divided by `power` in the end, is what it takes there. */
static void memory_has_its_own_powers(void **state)
{
    static const bmf_memory_access access[] = {BMF_MEMORY_READ, BMF_MEMORY_RANDOM};
    static const double power[] = {4.0, 5.0};
    bmf_machine *plain, *other;
    (void)state;
    assert_int_equal(parse("compute = { sheet = \"memory.sheet\"; power = 2; };" NETWORK, &plain), BMF_OK);
    assert_int_equal(
        parse("compute = { sheet = \"memory.sheet\"; power = 2; memory_power = 4; random_power = 5; };" NETWORK,
              &other),
        BMF_OK);
    for (int k = 0; k < 2; k++)
        for (double bytes = 1e3; bytes < 1e9; bytes *= 10.0) {
            const double here = memory_seconds(&plain->kernels->memory, access[k], 1.0, bytes);
            const double there = memory_seconds(&other->kernels->memory, access[k], 1.0, bytes) / other->power;
            assert_true(here > 0.0 && fabs(there * power[k] / here - 1.0) < 1e-12);
        }
    assert_true(machine_compute_error(other) == other->relative_error);
    machine_free(plain);
    machine_free(other);
    assert_int_equal(parse("compute = { sheet = \"recv.sheet\"; memory_power = 4; };" NETWORK, &other), BMF_ERROR_FILE);
    assert_non_null(strstr(bmf_error_text(NULL), "'memory_power' goes with a sheet of kernels that has 'memory'"));
    assert_int_equal(parse("compute = { random_power = 4; };" NETWORK, &other), BMF_ERROR_FILE);
}

/* ---- bad ones ---- */

typedef struct mistake {
    const char *text, *message; /* the message follows FILE */
} mistake;

static const mistake mistakes[] = {
    {"", ": 'network' is missing"},
    {"name = ;", ":1: syntax error"},
    {"name = \"a\n", ":"},
    {"name = 3;\n" NETWORK, ":1: 'name' must be a text in quotes"},
    {"name = \"a\\x0a\";\n" NETWORK, ":1: 'name' must be one line"},
    {"\nprocesors = 3;\n" NETWORK, ":2: unknown key 'procesors'; near: processors"},
    {"zzzzzzzz = 3;\n" NETWORK,
     ":1: unknown key 'zzzzzzzz'; known: name, note, processors, compute, network, agreement_us"},
    {"processors = 0;\n" NETWORK, ":1: 'processors' must be a whole number from 1 to 2147483647"},
    {"processors = 3000000000L;\n" NETWORK, ":1: 'processors' must be a whole number from 1"},
    {"processors = 4.0;\n" NETWORK, ":1: 'processors' must be a whole number from 1"},
    {"processors = \"4\";\n" NETWORK, ":1: 'processors' must be a whole number from 1"},
    {"agreement_us = -1;\n" NETWORK, ":1: 'agreement_us' must be a number of at least 0, not -1"},
    {"compute = 3;\n" NETWORK, ":1: 'compute' must be a group { power = ..; }"},
    {"compute = {\n powr = 3; };\n" NETWORK, ":2: unknown key 'powr'; near: power"},
    {"compute = {\n power = 0; };\n" NETWORK, ":2: 'power' must be a number above 0, not 0"},
    {"compute = { power = -2.5; };\n" NETWORK, ":1: 'power' must be a number above 0, not -2.5"},
    {"compute = { power = 1e999; };\n" NETWORK, ":1: 'power' must be finite"},
    {"compute = { power = true; };\n" NETWORK, ":1: 'power' must be a number above 0"},
    {"compute = { zero = 1; };\n" NETWORK, ":1: 'zero' must be true or false"},
    {"compute = { zero = true; power = 2; };\n" NETWORK, ":1: computing that costs nothing has no other settings"},
    {"compute = {\n\n sheet = \"none.sheet\"; };\n" NETWORK, ":3: cannot read '"},
    {"compute = { sheet = \"bad.sheet\"; };\n" NETWORK, "bad.sheet:3: 'logarithm' must be a text in quotes"},
    {"compute = { sheet = \"\"; };\n" NETWORK, ":1: 'sheet' must name a file"},
    {"network = 3;", ":1: 'network' must be a group { type = ..; }"},
    {"network = { };", ":1: 'type' is missing"},
    {"network = {\n type = \"hokney\"; };", ":2: unknown type 'hokney'; known: "},
    {"network = { type = 1; };", ":1: 'type' must be a text in quotes"},
    {"network = { type = \"fixed\";\n\n send_us_per_bite = 1; };",
     ":3: unknown key 'send_us_per_bite'; near: send_us_per_byte"},
    {"network = { type = \"fixed\"; transport_us = -0.5; };",
     ":1: 'transport_us' must be a number of at least 0, not -0.5"},
    {"network = { type = \"fixed\"; send_us = 1e400; };", ":1: 'send_us' must be finite"},
    {"network = { type = \"fixed\"; receive_us = \"2\"; };", ":1: 'receive_us' must be a number of at least 0"},
    {"network = { type = \"fixed\"; receive_us = 1; receive_us = 2; };", ":1: duplicate setting name"},
    {"network = { type = \"hockney\"; latency_us = 1; };", ":1: 'bandwidth_mb_per_s' is missing"},
    {"network = { type = \"hockney\"; bandwidth_mb_per_s = 1; };", ":1: 'latency_us' is missing"},
    {"network = { type = \"hockney\"; latency_us = 1; bandwidth_mb_per_s = 0; };",
     ":1: 'bandwidth_mb_per_s' must be a number above 0, not 0"},
    {"network = { type = \"hockney\"; latency_us = 1; bandwidth_mb_per_s = 1;\n ports = \"two\"; };",
     ":2: 'ports' is any or single, not 'two'"},
    {"network = { type = \"loggp\"; latency_us = 1; overhead_us = 1; gap_us = 1; };",
     ":1: 'gap_us_per_byte' is missing"},
    {"network = { type = \"loggp\"; latency_us = 1; overhead_us = 1; gap_us = 1; gap_us_per_byte = 1;\n"
     "eager_bytes = -1; };",
     ":2: 'eager_bytes' must be a whole number of at least 0"},
    {"network = { type = \"loggp\"; latency_us = 1; overhead_us = 1; gap_us = 1; gap_us_per_byte = 1;\n"
     "handshake_us = 1; };",
     ":2: 'handshake_us' goes with 'eager_bytes'"},
    {"network = { type = \"sheet\"; };", ":1: 'sheet' is missing"},
    {"network = { type = \"sheet\"; sheet = \"empty\"; };", ":1: cannot read '"},
    {"network = { type = \"sheet\";\n sheet = \"recv.sheet\"; };",
     ":2: the sheet has no entry 'send', which messages need"},
    {"network = { type = \"sheet\";\n sheet = \"bytes.sheet\"; element_bytes = 4; };",
     ":2: the sheet has no entry 'recv', which messages need"},
    {"network = { type = \"sheet\";\n sheet = \"bytes.sheet\"; element_bytes = 4; arrival = \"pingpong\"; };",
     ":2: the sheet has no entry 'pingpong', which messages need"},
    {"network = { type = \"sheet\"; sheet = \"bytes.sheet\"; };", ":1: 'element_bytes' is missing"},
    {"network = { type = \"sheet\"; sheet = \"bytes.sheet\"; element_bytes = 0; };",
     ":1: 'element_bytes' must be a number from 1 to 65536, not 0"},
    {"network = { type = \"dvm\"; };", ":1: 'levels' is missing"},
    {"network = { type = \"dvm\"; levels = (); };", ":1: 'levels' must be a list ( .. ) of 1 to 8 levels"},
    {"network = { type = \"dvm\"; levels = { }; };", ":1: 'levels' must be a list"},
    {"network = { type = \"dvm\"; levels = ( 1 ); };", ":1: a level is a group"},
    {"network = { type = \"dvm\"; levels = ( { } ); };", ":1: 'kind' is missing"},
    {"network = { type = \"dvm\"; levels = ( { kind = \"bus\"; } ); };",
     ":1: 'kind' is ethernet, myrinet or transputer, not 'bus'"},
    {"network = { type = \"dvm\"; levels = ( { kind = \"ethernet\"; start_us = 1; } ); };",
     ":1: 'us_per_byte' is missing"},
    {"network = { type = \"dvm\"; levels = ( { kind = \"ethernet\"; start_us = 1; us_per_byte = 1;\n channels = 2; } "
     "); };",
     ":2: 'channels' does not go with kind = \"ethernet\""},
    {"network = { type = \"dvm\"; levels = ( { kind = \"transputer\"; start_us = 1; us_per_byte = 1;\n members = 2; } "
     "); };",
     ":2: 'members' does not go with kind = \"transputer\""},
    {"network = { type = \"dvm\"; levels = ( { kind = \"myrinet\"; start_us = 1; us_per_byte = 1;\n topology = [2]; } "
     "); };",
     ":2: 'topology' does not go with kind = \"myrinet\""},
    {"network = { type = \"dvm\"; levels = ( { kind = \"transputer\"; start_us = 1; us_per_byte = 1; } ); };",
     ":1: 'topology' is missing"},
    {"network = { type = \"dvm\"; levels = ( { kind = \"transputer\"; start_us = 1; us_per_byte = 1;\n topology = [4, "
     "0]; } ); };",
     ":2: 'topology' must hold whole numbers of at least 1"},
    {"network = { type = \"dvm\"; levels = ( { kind = \"transputer\"; start_us = 1; us_per_byte = 1; topology = \"4\"; "
     "} ); };",
     ":1: 'topology' must hold 1 to 4 sizes"},
    {"network = { type = \"dvm\"; levels = ( { kind = \"ethernet\"; start_us = 1; us_per_byte = 1; },\n"
     "{ kind = \"ethernet\"; start_us = 1; us_per_byte = 1; } ); };",
     ":2: 'members' is missing"},
    {"processors = 9;\nnetwork = { type = \"dvm\";\nlevels = ( { kind = \"ethernet\"; start_us = 1; us_per_byte = 1; "
     "members = 8; } ); };",
     ":3: the levels have 8 processors, not 9"},
};

static void every_mistake_is_one_line_with_its_place(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof mistakes / sizeof mistakes[0]; k++) {
        bmf_machine *machine = NULL;
        char expected[512];
        const int status = parse(mistakes[k].text, &machine);
        if (status == BMF_OK)
            fail_msg("accepted: %s", mistakes[k].text);
        assert_int_equal(bmf_exit_code(status), 2);
        assert_null(machine);
        /* Where the mistake is in a sheet the message begins with the machine's file too, and goes on with the
         * sheet's. */
        snprintf(expected, sizeof expected, "%s", mistakes[k].message);
        if (strncmp(bmf_error_text(NULL), in_folder("m.machine"), strlen(in_folder("m.machine"))) != 0 ||
            !strstr(bmf_error_text(NULL), expected) || strchr(bmf_error_text(NULL), '\n'))
            fail_msg("`%s` should say `%s`, but says `%s`", mistakes[k].text, expected, bmf_error_text(NULL));
    }
}

static void machines_have_so_many_processors(void **state)
{
    (void)state;
    bmf_machine *machine;
    bmf_network *network;
    assert_int_equal(parse("name = \"small\";\nprocessors = 8;\n" NETWORK, &machine), BMF_OK);
    assert_int_equal(machine_network(machine, 9, &network), BMF_ERROR_ARGUMENT);
    assert_non_null(strstr(bmf_error_text(NULL), "m.machine:2: machine 'small' has 8 processors, not 9"));
    assert_int_equal(machine_network(machine, 0, &network), BMF_ERROR_ARGUMENT);
    assert_int_equal(machine_network(machine, INT64_C(1) << 40, &network), BMF_ERROR_ARGUMENT);
    machine_free(machine);
}

static void files_that_are_none(void **state)
{
    (void)state;
    bmf_machine *machine;
    static const char zero[] = "name = \"a\";\0 network = { };";
    assert_int_equal(machine_read(in_folder("none.machine"), &machine), BMF_ERROR_FILE);
    assert_non_null(strstr(bmf_error_text(NULL), "none.machine': No such file or directory"));
    assert_int_equal(machine_read(in_folder("empty"), &machine), BMF_ERROR_FILE);
    assert_non_null(strstr(bmf_error_text(NULL), "empty': Is a directory"));
    assert_int_equal(machine_read("", &machine), BMF_ERROR_FILE);
    write_bytes(in_folder("m.machine"), zero, sizeof zero);
    assert_int_equal(machine_read(in_folder("m.machine"), &machine), BMF_ERROR_FILE);
    assert_non_null(strstr(bmf_error_text(NULL), "is no machine file"));
    assert_int_equal(machine_read("nobody-has-this", &machine), BMF_ERROR_FILE);
    assert_non_null(strstr(bmf_error_text(NULL), "there is no machine 'nobody-has-this', neither here nor installed"));
}

static void bare_names_are_looked_for(void **state)
{
    (void)state;
    bmf_machine *machine;
    char *path;
    write_text(in_folder("m.machine"), NETWORK);
    assert_int_equal(setenv("BMF_MACHINES", folder, 1), 0);
    assert_int_equal(machine_read("m", &machine), BMF_OK);
    assert_string_equal(machine->name, "m");
    machine_free(machine);
    assert_int_equal(machine_find("m.machine", &path), BMF_OK);
    assert_non_null(strstr(path, "/m.machine"));
    free(path);
    char **name;
    assert_int_equal(machine_installed(&name), 1);
    assert_string_equal(name[0], "m");
    free(name[0]);
    free(name);
    assert_int_equal(machine_read("n", &machine), BMF_ERROR_FILE);
    assert_non_null(strstr(bmf_error_text(NULL), "; installed: m"));
    assert_int_equal(unsetenv("BMF_MACHINES"), 0);
}

/* Every example machine can be read, makes its network, and says what it is. */
static void installed_machines_are_right(void **state)
{
    (void)state;
    char **name;
    const int64_t count = machine_installed(&name);
    assert_true(count > 0);
    for (int64_t k = 0; k < count; k++) {
        bmf_machine *machine;
        if (machine_read(name[k], &machine) != BMF_OK)
            fail_msg("%s", bmf_error_text(NULL));
        assert_string_equal(machine->name, name[k]);
        assert_true(machine->note[0] != 0);
        machine_free(machine);
        free(name[k]);
    }
    free(name);
}

/* A good file that is cut off or has a byte changed is read or refused with one line. */
static void damaged_files_are_refused(void **state)
{
    (void)state;
    static const char good[] = "name = \"n\"; processors = 6; compute = { power = 0.5; };\nnetwork = { type = \"dvm\"; "
                               "levels = ( { kind = \"myrinet\"; start_us = 1.5; us_per_byte = 1e-3; channels = 3; },\n"
                               "{ kind = \"transputer\"; start_us = 1; us_per_byte = 0; topology = [2, 1]; } ); };\n";
    static const char letters[] = "{}()[]=;,\"\\#/0987654321-+.eEtrufalsxL @\n\t";
    char text[sizeof good];
    uint64_t random = 3;
    for (int trial = 0; trial < 3000; trial++) {
        bmf_machine *machine;
        memcpy(text, good, sizeof good);
        if (trial < (int)sizeof good)
            text[trial] = 0;
        else
            for (int64_t k = test_below(&random, 3); k >= 0; k--)
                text[test_below(&random, (int64_t)sizeof good - 1)] =
                    letters[test_below(&random, (int64_t)sizeof letters - 1)];
        if (strstr(text, "@include")) /* reads other files */
            continue;
        if (parse(text, &machine) == BMF_OK)
            machine_free(machine);
        else
            assert_null(strchr(bmf_error_text(NULL), '\n'));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_machine_has_what_its_file_says),
        cmocka_unit_test(what_is_left_out_has_defaults),
        cmocka_unit_test(computing_costs),
        cmocka_unit_test(memory_has_its_own_powers),
        cmocka_unit_test(every_mistake_is_one_line_with_its_place),
        cmocka_unit_test(machines_have_so_many_processors),
        cmocka_unit_test(files_that_are_none),
        cmocka_unit_test(bare_names_are_looked_for),
        cmocka_unit_test(installed_machines_are_right),
        cmocka_unit_test(damaged_files_are_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}

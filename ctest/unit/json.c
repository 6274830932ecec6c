/* Printed JSON: reals read back as they were, in as few digits as that takes; keys in their order; both layouts. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "drivers/command/json.h"

/* What is printed, to be freed. */
static char *print(json_t *root, bmf_json_layout layout)
{
    char *text = NULL;
    size_t size = 0;
    FILE *terminal = stdout;
    stdout = open_memstream(&text, &size);
    const int code = json_print(root, layout);
    fclose(stdout);
    stdout = terminal;
    assert_int_equal(code, 0);
    return text;
}

static void expect(json_t *root, bmf_json_layout layout, const char *wanted)
{
    char *text = print(root, layout);
    assert_string_equal(text, wanted);
    free(text);
}

static void reals_are_short_and_stay_reals(void **state)
{
    (void)state;
    expect(json_real(0.1), BMF_JSON_LINE, "0.1\n");
    expect(json_real(1e-9), BMF_JSON_LINE, "1e-09\n");
    expect(json_real(3.0), BMF_JSON_LINE, "3.0\n");
    expect(json_real(-0.0), BMF_JSON_LINE, "-0.0\n");
    expect(json_real(1.0 / 3.0), BMF_JSON_LINE, "0.3333333333333333\n");
    expect(json_real(0.1 + 0.2), BMF_JSON_LINE, "0.30000000000000004\n");
    expect(json_real(1e300), BMF_JSON_LINE, "1e+300\n");
}

static void random_reals_read_back(void **state)
{
    (void)state;
    srand48(11);
    for (int k = 0; k < 2000; k++) {
        const double value = (drand48() - 0.5) * (k % 3 == 0 ? 1e-12 : k % 3 == 1 ? 1.0 : 1e12);
        char *text = print(json_real(value), BMF_JSON_LINE);
        json_t *read = json_loads(text, JSON_DECODE_ANY, NULL);
        assert_true(json_is_real(read));
        assert_true(json_real_value(read) == value);
        json_decref(read);
        free(text);
    }
}

static void layouts_differ_in_space_alone(void **state)
{
    (void)state;
    const char *const form = "{s:i, s:[i, f], s:{}, s:[], s:n, s:b, s:s}";
    expect(json_pack(form, "z", 1, "a", 2, 0.5, "o", "l", "n", "b", 1, "s", "\"\\\n"), BMF_JSON_LINE,
           "{\"z\": 1, \"a\": [2, 0.5], \"o\": {}, \"l\": [], \"n\": null, \"b\": true, \"s\": \"\\\"\\\\\\n\"}\n");
    expect(json_pack(form, "z", 1, "a", 2, 0.5, "o", "l", "n", "b", 1, "s", "x"), BMF_JSON_INDENT,
           "{\n  \"z\": 1,\n  \"a\": [\n    2,\n    0.5\n  ],\n  \"o\": {},\n  \"l\": [],\n  \"n\": null,\n"
           "  \"b\": true,\n  \"s\": \"x\"\n}\n");
}

static void what_json_lacks_is_replaced(void **state)
{
    (void)state;
    expect(json_pack("[o, o, o]", json_finite(INFINITY), json_finite(NAN), json_finite(2.5)), BMF_JSON_LINE,
           "[null, null, 2.5]\n");
    expect(json_text("a\xff z"), BMF_JSON_LINE, "\"a? z\"\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reals_are_short_and_stay_reals),
        cmocka_unit_test(random_reals_read_back),
        cmocka_unit_test(layouts_differ_in_space_alone),
        cmocka_unit_test(what_json_lacks_is_replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The tables of bmf's commands: every option is accepted and refused as its kind wants it, in words that all share. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "drivers/command/private.h"
#include "drivers/commands.h"

enum { MAX_COMMANDS = 64 };

static const bmf_driver *const top[] = {BMF_COMMANDS(BMF_COMMAND_ROW) NULL};

/* All leaves. */
static int list_leaves(const bmf_driver *const *commands, const bmf_driver **leaf, int count)
{
    for (int k = 0; commands[k]; k++)
        if (commands[k]->commands)
            count = list_leaves(commands[k]->commands, leaf, count);
        else
            leaf[count++] = commands[k];
    assert_true(count <= MAX_COMMANDS);
    return count;
}

/* What values point to lives until the end of the program; not static, so that the compiler keeps it too. */
enum { MOST_KEPT = 4096 };
extern void *kept[MOST_KEPT];
void *kept[MOST_KEPT];

static void *keep(void *memory)
{
    static int count;
    assert_true(count < MOST_KEPT);
    return kept[count++] = memory;
}

/* Reads arguments; what is said on standard error goes to text. */
static bmf_reading read_arguments(const bmf_driver *command, int count, char **argument, void *values, char text[512])
{
    char *argv[8] = {(char[]){"command"}};
    char *said = NULL;
    size_t size = 0;
    bmf_operands operands;
    FILE *terminal = stderr;
    for (int k = 0; k < count; k++)
        argv[k + 1] = argument[k];
    if (command->defaults)
        memcpy(values, command->defaults, command->size);
    stderr = open_memstream(&said, &size);
    const bmf_reading reading = read_options(command, count + 1, argv, values, &operands);
    fclose(stderr);
    stderr = terminal;
    snprintf(text, 512, "%s", said);
    free(said);
    return reading;
}

/* With --help behind it, which shows that what stands before was accepted. */
static bmf_reading read_one(const bmf_driver *command, const char *option, const char *value, char text[512])
{
    char *values = keep(calloc(1, command->size + 1)), help[] = "--help", *name = strdup(option);
    char *argument[] = {name, value ? strdup(value) : help, help};
    const bmf_reading reading = read_arguments(command, value ? 3 : 2, argument, values, text);
    if (value)
        free(argument[1]);
    free(name);
    return reading;
}

static void each_option(void (*test)(const bmf_driver *, const bmf_option *, const char *name))
{
    const bmf_driver *leaf[MAX_COMMANDS];
    const int count = list_leaves(top, leaf, 0);
    int options = 0;
    for (int k = 0; k < count; k++)
        for (const bmf_option *option = leaf[k]->options; option && option->name; option++) {
            char name[64];
            if (option->value.kind == BMF_VALUE_CONTEXT)
                continue;
            snprintf(name, sizeof name, "--%s", option->name);
            test(leaf[k], option, name);
            options++;
        }
    assert_true(options > 80);
}

static const char *right_value(const bmf_option *option, char text[64])
{
    const char *about;
    switch (option->value.kind) {
    case BMF_VALUE_FLAG:
        return NULL;
    case BMF_VALUE_WHOLE:
        snprintf(text, 64, "%lld", (long long)option->value.max);
        return text;
    case BMF_VALUE_REAL:
        snprintf(text, 64, "%g", option->value.largest);
        return text;
    case BMF_VALUE_CHOICE:
        return option->value.choice(0, &about);
    case BMF_VALUE_OTHER:
        return strchr(option->argument, '=') ? "n=1" : "1"; /* NAME=LIST */
    case BMF_VALUE_TEXT:
    case BMF_VALUE_LIST:
    case BMF_VALUE_CONTEXT:
        break;
    }
    return "1";
}

static void accept_option(const bmf_driver *command, const bmf_option *option, const char *name)
{
    char value[64], text[512];
    const bmf_reading reading = read_one(command, name, right_value(option, value), text);
    if (reading != BMF_READ_HELP)
        fail_msg("%s %s: %s", command->name, name, text);
}

static void every_option_is_accepted(void **state)
{
    (void)state;
    each_option(accept_option);
}

static void check_option(const bmf_driver *command, const bmf_option *option, const char *name)
{
    char text[512];
    const bool flag = option->value.kind == BMF_VALUE_FLAG;
    assert_non_null(option->help);
    assert_true(flag == !option->argument);
    assert_true(option->value.offset + option->value.size <= command->size);
    if (flag)
        assert_int_equal(option->value.size, sizeof(bool));
    /* without its value, and a flag with one */
    char *argument[] = {strdup(name)}, *values = calloc(1, command->size + 1), with_value[80];
    bmf_reading reading = BMF_READ_FAILED;
    if (!flag)
        reading = read_arguments(command, 1, argument, values, text);
    else {
        snprintf(with_value, sizeof with_value, "%s=1", name);
        reading = read_one(command, with_value, NULL, text);
    }
    assert_int_equal(reading, BMF_READ_FAILED);
    if (!strstr(text, flag ? "unknown option '--" : "' needs a value"))
        fail_msg("%s %s: %s", command->name, name, text);
    free(argument[0]);
    free(values);
}

static void every_option_has_its_value(void **state)
{
    (void)state;
    each_option(check_option);
}

static void refuse_value(const bmf_driver *command, const bmf_option *option, const char *name, const char *value)
{
    char text[512], wanted[128];
    snprintf(wanted, sizeof wanted, "--%s needs a %snumber ", option->name,
             option->value.kind == BMF_VALUE_WHOLE ? "whole " : "");
    assert_int_equal(read_one(command, name, value, text), BMF_READ_FAILED);
    if (!strstr(text, wanted) || !strstr(text, value))
        fail_msg("%s %s %s: %s", command->name, name, value, text);
}

static void refuse_numbers(const bmf_driver *command, const bmf_option *option, const char *name)
{
    const bmf_option_value *value = &option->value;
    char text[64];
    if (value->kind != BMF_VALUE_WHOLE && value->kind != BMF_VALUE_REAL)
        return;
    static const char *const wrong[] = {"many", "1x", "", "99999999999999999999", "-1e999", "nan"};
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++)
        refuse_value(command, option, name, wrong[k]);
    if (value->kind == BMF_VALUE_WHOLE) {
        snprintf(text, sizeof text, "%lld", (long long)value->min - 1);
        refuse_value(command, option, name, text);
        snprintf(text, sizeof text, "%lld", (long long)value->max + 1);
        refuse_value(command, option, name, text);
        assert_true(value->size == sizeof(int64_t) || (value->size == sizeof(int) && value->max <= INT32_MAX));
    } else {
        snprintf(text, sizeof text, "%g", nextafter(value->largest, INFINITY) * 1.01);
        refuse_value(command, option, name, text);
        refuse_value(command, option, name, "0");
        assert_int_equal(value->size, sizeof(double));
    }
}

static void numbers_out_of_range_are_refused(void **state)
{
    (void)state;
    each_option(refuse_numbers);
}

static void refuse_choice(const bmf_driver *command, const bmf_option *option, const char *name)
{
    char text[512];
    if (option->value.kind != BMF_VALUE_CHOICE)
        return;
    assert_int_equal(read_one(command, name, "nonsense", text), BMF_READ_FAILED);
    if (!strstr(text, "'nonsense'; known: "))
        fail_msg("%s %s: %s", command->name, name, text);
}

static void unknown_choices_are_refused(void **state)
{
    (void)state;
    each_option(refuse_choice);
}

static void unknown_options_are_refused(void **state)
{
    const bmf_driver *leaf[MAX_COMMANDS];
    const int count = list_leaves(top, leaf, 0);
    char text[512];
    (void)state;
    for (int k = 0; k < count; k++) {
        assert_int_equal(read_one(leaf[k], "--no-such-option", NULL, text), BMF_READ_FAILED);
        assert_non_null(strstr(text, "unknown option '--no-such-option'"));
        assert_int_equal(read_one(leaf[k], "-Z", NULL, text), BMF_READ_FAILED);
        assert_non_null(strstr(text, "unknown option '-Z'"));
    }
}

/* ---- a table of its own ---- */

typedef struct values {
    bool loud;
    int small;
    int64_t large;
    double real;
    const char *text;
    bmf_strings list;
} values;

static const bmf_option table[] = {
    BMF_OPTION("loud", NULL, BMF_FLAG(values, loud), "a flag"),
    BMF_OPTION("small", "N", BMF_WHOLE(values, small, -5, 5), "an int", .letter = 's'),
    BMF_OPTION("large", "N", BMF_WHOLE(values, large, 0, INT64_C(1) << 40), "an int64_t"),
    BMF_OPTION("real", "X", BMF_REAL(values, real, 2.0), "a double"),
    BMF_OPTION("text", "T", BMF_TEXT(values, text), "a text", .missing = "no text: give --text"),
    BMF_OPTION("list", "T", BMF_LIST(values, list), "texts"),
    BMF_OPTION_END};

static const values defaults = {.small = 3, .real = 0.5};

static const bmf_driver toy = {.name = "toy",
                               .options = table,
                               .min_operands = 1,
                               .max_operands = 2,
                               .no_operand = "no operand",
                               .defaults = &defaults,
                               .size = sizeof defaults};

static bmf_reading read_toy(const char *line, values *v, char text[512])
{
    char *copy = strdup(line), *rest = copy, *argument[7], *word;
    int count = 0;
    while ((word = strtok_r(rest, " ", &rest)))
        argument[count++] = keep(strdup(word));
    memset(v, 0, sizeof *v);
    const bmf_reading reading = read_arguments(&toy, count, argument, v, text);
    free(copy);
    return reading;
}

static void values_get_to_their_fields(void **state)
{
    values v;
    char text[512];
    (void)state;
    assert_int_equal(read_toy("--text=a x", &v, text), BMF_READ_RUN);
    assert_true(!v.loud && v.small == 3 && v.large == 0 && v.real == 0.5 && v.list.count == 0);
    assert_string_equal(v.text, "a");
    assert_int_equal(read_toy("x --lou -s -5 --large=1099511627776 --text b", &v, text), BMF_READ_RUN);
    assert_true(v.loud && v.small == -5 && v.large == INT64_C(1) << 40);
    assert_int_equal(read_toy("--list=a --list b --text c --real 2", &v, text), BMF_READ_FAILED);
    assert_non_null(strstr(text, "no operand"));
    assert_int_equal(v.list.count, 2);
    assert_string_equal(v.list.text[1], "b");
    assert_true(v.real == 2.0);
    assert_int_equal(read_toy("--text c -- --loud", &v, text), BMF_READ_RUN);
    assert_false(v.loud);
}

static void operands_and_what_is_required_are_checked(void **state)
{
    values v;
    char text[512];
    (void)state;
    assert_int_equal(read_toy("x", &v, text), BMF_READ_FAILED);
    assert_non_null(strstr(text, "no text: give --text"));
    assert_int_equal(read_toy("--text a x y zz", &v, text), BMF_READ_FAILED);
    assert_non_null(strstr(text, "unexpected argument 'zz'"));
    assert_int_equal(read_toy("--l 3", &v, text), BMF_READ_FAILED); /* may be three */
    assert_non_null(strstr(text, "unknown option '--l'"));
    assert_int_equal(read_toy("--loud --help --nonsense", &v, text), BMF_READ_HELP);
}

static void abbreviations_may_be_refused(void **state)
{
    values v;
    char text[512];
    (void)state;
    exact_option_names = true;
    assert_int_equal(read_toy("--text a --lou x", &v, text), BMF_READ_FAILED);
    assert_non_null(strstr(text, "unknown option '--lou'"));
    assert_int_equal(read_toy("--tex=a x", &v, text), BMF_READ_FAILED);
    assert_int_equal(read_toy("--tex a x", &v, text), BMF_READ_FAILED);
    assert_non_null(strstr(text, "unknown option '--tex'"));
    assert_int_equal(read_toy("--text a --loud --large=3 -s 2 x", &v, text), BMF_READ_RUN);
    assert_int_equal(read_toy("--text --lou x", &v, text), BMF_READ_RUN);
    exact_option_names = false;
}

static void defaults_are_told(void **state)
{
    char text[64];
    (void)state;
    assert_string_equal(option_default(&toy, &table[1], text, sizeof text), "3");
    assert_string_equal(option_default(&toy, &table[3], text, sizeof text), "0.5");
    assert_string_equal(option_default(&toy, &table[4], text, sizeof text), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_option_is_accepted),
        cmocka_unit_test(every_option_has_its_value),
        cmocka_unit_test(numbers_out_of_range_are_refused),
        cmocka_unit_test(unknown_choices_are_refused),
        cmocka_unit_test(unknown_options_are_refused),
        cmocka_unit_test(values_get_to_their_fields),
        cmocka_unit_test(operands_and_what_is_required_are_checked),
        cmocka_unit_test(defaults_are_told),
        cmocka_unit_test(abbreviations_may_be_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Reading the options of a command, with getopt_long underneath. */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/command/private.h"
#include "runtime/base/allocate.h"

bool exact_option_names;

enum { MAX_OPTIONS = 40, FIRST_VALUE = 256 /* of options without a letter */ };

const bmf_option help_option = {.name = "help", .letter = 'h', .value = {.kind = BMF_VALUE_FLAG}, .help = "this text"};

/* ---- options of the context ---- */

static bool is_of_context(const bmf_driver *command, const char *name, size_t length)
{
    for (const bmf_option *option = command->options; option && option->name; option++)
        if (option->value.kind == BMF_VALUE_CONTEXT && strlen(option->name) == length &&
            strncmp(option->name, name, length) == 0)
            return true;
    return false;
}

void name_context_options(const bmf_driver *command, int argc, char **argv)
{
    for (int k = 1; k < argc && strcmp(argv[k], "--") != 0; k++) {
        if (strncmp(argv[k], "--", 2) != 0 || !is_of_context(command, argv[k] + 2, strcspn(argv[k] + 2, "=")))
            continue;
        const size_t size = strlen(argv[k]) + sizeof "--bmf-";
        char *text = allocate((int64_t)size); /* lives as long as argv */
        snprintf(text, size, "--bmf-%s", argv[k] + 2);
        argv[k] = text;
    }
}

/* ---- values ---- */

static int read_whole(const bmf_option *option, const char *text, void *field)
{
    const bmf_option_value *value = &option->value;
    char *end;
    errno = 0;
    const long long number = strtoll(text, &end, 10);
    if (end == text || *end || errno || number < value->min || number > value->max)
        return usage_error("--%s needs a whole number from %lld to %lld, not '%s'", option->name, (long long)value->min,
                           (long long)value->max, text);
    if (value->size == sizeof(int))
        *(int *)field = (int)number;
    else
        *(int64_t *)field = number;
    return 0;
}

static int read_real(const bmf_option *option, const char *text, void *field)
{
    char *end;
    const double number = strtod(text, &end);
    if (end == text || *end || !(number > 0 && number <= option->value.largest))
        return usage_error("--%s needs a number above 0 and at most %g, not '%s'", option->name, option->value.largest,
                           text);
    *(double *)field = number;
    return 0;
}

static int add_string(const bmf_option *option, const char *text, bmf_strings *strings)
{
    if (strings->count == BMF_MAX_STRINGS)
        return usage_error("--%s is given more than %d times", option->name, BMF_MAX_STRINGS);
    strings->text[strings->count++] = text;
    return 0;
}

void copy_letters(const char *text, char from, char to, char *copy, size_t size)
{
    snprintf(copy, size, "%s", text);
    for (char *c = copy; *c; c++)
        if (*c >= from && *c < from + 26)
            *c = (char)(*c - from + to);
}

/* What is chosen, in an error: the argument's word in small letters. */
static int read_choice(const bmf_option *option, const char *text, int *field)
{
    char known[512] = "", word[32];
    const char *name, *about;
    for (int k = 0; (name = option->value.choice(k, &about)) != NULL; k++) {
        if (strcmp(name, text) == 0) {
            *field = k;
            return 0;
        }
        const size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", k ? ", " : "", name);
    }
    copy_letters(option->argument, 'A', 'a', word, sizeof word);
    return usage_error("unknown %s '%s'; known: %s", word, text, known);
}

static int read_value(const bmf_option *option, const char *text, char *values)
{
    void *field = values + option->value.offset;
    switch (option->value.kind) {
    case BMF_VALUE_FLAG:
        *(bool *)field = true;
        return 0;
    case BMF_VALUE_WHOLE:
        return read_whole(option, text, field);
    case BMF_VALUE_REAL:
        return read_real(option, text, field);
    case BMF_VALUE_TEXT:
        *(const char **)field = text;
        return 0;
    case BMF_VALUE_LIST:
        return add_string(option, text, field);
    case BMF_VALUE_CHOICE:
        return read_choice(option, text, field);
    case BMF_VALUE_OTHER:
        return option->value.read(text, field);
    case BMF_VALUE_CONTEXT:
        break;
    }
    return 0;
}

const char *option_default(const bmf_driver *command, const bmf_option *option, char *text, size_t size)
{
    const bmf_option_value *value = &option->value;
    const char *about, *field = command->defaults ? (const char *)command->defaults + value->offset : NULL;
    text[0] = '\0';
    if (!field)
        return text;
    if (value->kind == BMF_VALUE_WHOLE) {
        const int64_t number = value->size == sizeof(int) ? *(const int *)field : *(const int64_t *)field;
        if (number >= value->min && number <= value->max)
            snprintf(text, size, "%lld", (long long)number);
    } else if (value->kind == BMF_VALUE_REAL && *(const double *)field > 0) {
        snprintf(text, size, "%g", *(const double *)field);
    } else if (value->kind == BMF_VALUE_TEXT && *(const char *const *)field) {
        snprintf(text, size, "%s", *(const char *const *)field);
    } else if (value->kind == BMF_VALUE_CHOICE && *(const int *)field >= 0) {
        snprintf(text, size, "%s", value->choice(*(const int *)field, &about));
    }
    return text;
}

/* ---- all options ---- */

/* The table as getopt_long wants it, whose values are FIRST_VALUE plus the number of the option in the table. */
static void make_getopt_tables(const bmf_option *option, struct option *names, char *letters)
{
    int count = 0;
    *letters++ = ':';
    *letters++ = 'h';
    for (int k = 0; option && option[k].name; k++) {
        if (option[k].value.kind == BMF_VALUE_CONTEXT)
            continue;
        const bool argument = option[k].value.kind != BMF_VALUE_FLAG;
        names[count++] = (struct option){option[k].name, argument, NULL, FIRST_VALUE + k};
        if (option[k].letter)
            *letters++ = option[k].letter;
        if (option[k].letter && argument)
            *letters++ = ':';
    }
    names[count] = (struct option){"help", no_argument, NULL, 'h'};
    *letters = '\0';
}

static const bmf_option *find_option(const bmf_option *options, int found)
{
    if (found >= FIRST_VALUE)
        return &options[found - FIRST_VALUE];
    while (options->letter != found)
        options++;
    return options;
}

/* The argument that held the option that getopt_long read last; of letters in one argument it may be an earlier one. */
static const char *last_option(char **argv)
{
    return argv[optarg && optarg == argv[optind - 1] ? optind - 2 : optind - 1];
}

static void refuse_option(int found, char **argv)
{
    const char letter[] = {'-', (char)optopt, '\0'};
    const bool by_letter = optopt > 0 && optopt < FIRST_VALUE && optopt != help_option.letter;
    usage_error(found == ':' ? "option '%s' needs a value" : "unknown option '%s'",
                by_letter ? letter : last_option(argv));
}

static bool is_abbreviated(char **argv, const char *name)
{
    return strcspn(last_option(argv), "=") != strlen("--") + strlen(name);
}

static int check_operands(const bmf_driver *command, const bmf_operands *operands)
{
    if (operands->count < command->min_operands)
        return usage_error("%s", command->no_operand);
    if (command->max_operands == BMF_ANY_NUMBER || operands->count <= command->max_operands)
        return 0;
    if (command->surplus)
        return usage_error("%s", command->surplus);
    return usage_error("unexpected argument '%s'", operands->text[command->max_operands]);
}

static int check_required(const bmf_driver *command, const char *values)
{
    for (const bmf_option *option = command->options; option && option->name; option++) {
        const char *field = values + option->value.offset, *initial = (const char *)command->defaults;
        static const char zero[sizeof(bmf_strings)];
        initial = initial ? initial + option->value.offset : zero;
        if (option->missing && memcmp(field, initial, option->value.size) == 0)
            return usage_error("%s", option->missing);
    }
    return 0;
}

bmf_reading read_options(const bmf_driver *command, int argc, char **argv, void *values, bmf_operands *operands)
{
    struct option names[MAX_OPTIONS + 2] = {0};
    char letters[2 * MAX_OPTIONS + 4];
    make_getopt_tables(command->options, names, letters);
    opterr = 0;
    optind = 0; /* from the beginning, whoever used it before */
    for (int found, index = -1; (found = getopt_long(argc, argv, letters, names, &index)) != -1; index = -1) {
        if (exact_option_names && index >= 0 && found != ':' && found != '?' && is_abbreviated(argv, names[index].name))
            found = '?';
        if (found == 'h')
            return BMF_READ_HELP;
        if (found == ':' || found == '?') {
            refuse_option(found, argv);
            return BMF_READ_FAILED;
        }
        if (read_value(find_option(command->options, found), optarg, values) != 0)
            return BMF_READ_FAILED;
    }
    *operands = (bmf_operands){.count = argc - optind,
                               .text = argv + optind,
                               .behind_hyphens = optind > 1 && strcmp(argv[optind - 1], "--") == 0};
    const int code = check_operands(command, operands);
    return code || check_required(command, values) ? BMF_READ_FAILED : BMF_READ_RUN;
}

/* Printing JSON; jansson prints all reals of a value with one number of digits, here each has as few as it needs. */
#include "drivers/command/json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/command/command.h"
#include "runtime/convert/view.h"

enum { INDENT = 2 };

json_t *json_finite(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *json_text(const char *text)
{
    char *clean = style_text(text, BMF_STYLE_PLAIN);
    json_t *made = json_string(clean ? clean : "");
    free(clean);
    return made;
}

static void print_real(double value, FILE *to)
{
    enum { MIN_DIGITS = 15, MAX_DIGITS = 17 }; /* all reals have 15, and no two of 17 digits are the same */
    char text[32];
    int digits = MIN_DIGITS;
    do
        snprintf(text, sizeof text, "%.*g", digits, value);
    while (strtod(text, NULL) != value && ++digits <= MAX_DIGITS);
    fputs(text, to);
    if (!strpbrk(text, ".e"))
        fputs(".0", to); /* it stays a real */
}

static void begin_item(bmf_json_layout layout, bool first, int depth, FILE *to)
{
    if (!first)
        fputs(layout == BMF_JSON_LINE ? ", " : ",", to);
    if (layout == BMF_JSON_INDENT)
        fprintf(to, "\n%*s", INDENT * depth, "");
}

static void end_items(bmf_json_layout layout, bool none, int depth, char bracket, FILE *to)
{
    if (layout == BMF_JSON_INDENT && !none)
        fprintf(to, "\n%*s", INDENT * depth, "");
    fputc(bracket, to);
}

static void print_value(const json_t *value, bmf_json_layout layout, int depth, FILE *to);

static void print_array(const json_t *array, bmf_json_layout layout, int depth, FILE *to)
{
    const size_t size = json_array_size(array);
    fputc('[', to);
    for (size_t k = 0; k < size; k++) {
        begin_item(layout, k == 0, depth + 1, to);
        print_value(json_array_get(array, k), layout, depth + 1, to);
    }
    end_items(layout, size == 0, depth, ']', to);
}

static void print_object(const json_t *object, bmf_json_layout layout, int depth, FILE *to)
{
    const char *key;
    json_t *value;
    bool first = true;
    fputc('{', to);
    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        begin_item(layout, first, depth + 1, to);
        json_t *name = json_string(key);
        print_value(name, layout, depth + 1, to);
        json_decref(name);
        fputs(": ", to);
        print_value(value, layout, depth + 1, to);
        first = false;
    }
    end_items(layout, first, depth, '}', to);
}

static void print_value(const json_t *value, bmf_json_layout layout, int depth, FILE *to)
{
    if (json_is_object(value))
        print_object(value, layout, depth, to);
    else if (json_is_array(value))
        print_array(value, layout, depth, to);
    else if (json_is_real(value))
        print_real(json_real_value(value), to);
    else
        json_dumpf(value, to, JSON_ENCODE_ANY);
}

int json_print(json_t *root, bmf_json_layout layout)
{
    if (!root)
        return report_status(NULL, bmf_fail(NULL, BMF_ERROR_MEMORY, "no memory for the JSON object"));
    print_value(root, layout, 0, stdout);
    putchar('\n');
    json_decref(root);
    return finish_output();
}

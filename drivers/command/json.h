/* JSON on standard output: how all commands and benchmarks print objects. */
#ifndef BMF_DRIVERS_JSON_H
#define BMF_DRIVERS_JSON_H

#include <jansson.h>
#include <stdio.h>

typedef enum bmf_json_layout {
    BMF_JSON_LINE,  /* one line, a space behind colons and commas */
    BMF_JSON_INDENT /* a line for every value */
} bmf_json_layout;

/* A number, or null if it is not finite. */
json_t *json_finite(double value);

/* A text; bytes that are not UTF-8 and control characters become ?. */
json_t *json_text(const char *text);

/* Prints one value, its reals in the shortest form that reads back, and a line feed; frees it. Returns an exit code: 1
 * if there was no memory (root NULL) or standard output could not take it. */
int json_print(json_t *root, bmf_json_layout layout);

#endif

/* Program texts, places in them, and messages that point at them.
 *
 * All texts of a run (library files, the program, data files) are in one table, so that a place is two numbers. */
#ifndef BMF_LANGUAGE_TEXT_H
#define BMF_LANGUAGE_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "bmf/status.h"

typedef struct bmf_text {
    char *name;  /* as in messages: "prog.bmf" */
    char *bytes; /* size bytes and a 0 behind them */
    int64_t size;
    void (*words)(const char *message, char *text, size_t size); /* its own words for the core's keywords; or NULL */
} bmf_text;

/* Bytes [begin, end) of text number `text`; begin = end is a place between two characters. text -1: nowhere. */
typedef struct bmf_span {
    int text;
    int64_t begin, end;
} bmf_span;

/* A message before it is laid out: where it points, and its words. */
typedef struct bmf_text_failure {
    bmf_span span;
    char message[500];
} bmf_text_failure;

/* Failures in the order in which they were found, at most 100. The list is the caller's to free. */
typedef struct bmf_text_failures {
    bmf_text_failure *failure;
    int count, capacity;
} bmf_text_failures;

typedef struct bmf_texts {
    bmf_text *text;
    int count;
    int64_t processors;          /* what B_Procs stands for in them; 0 counts as 1 */
    bmf_text_failures *failures; /* text_fail adds to them, for those who lay messages out themselves, and the notation
                                  * is parsed and translated on behind an error; or NULL */
} bmf_texts;

/* Adds a copy of a text; returns its number. */
int texts_add(bmf_texts *texts, const char *name, const char *bytes, int64_t size);
/* Adds a file's text. BMF_OK, or BMF_ERROR_FILE with a message that names it. Not collective. */
int texts_read(bmf_texts *texts, bmf_context *ctx, const char *path, int *text);
void texts_free(bmf_texts *texts);

/* Line and column (both from 1, columns count UTF-8 characters) of a byte. */
void text_place(const bmf_text *text, int64_t at, int64_t *line, int64_t *column);

/* Stores a message in the context (NULL: the process-wide slot) and returns status:
 *
 *     prog.bmf:3:14: B_Length needs a list, found {int, real}
 *         3 | B_Comp (B_Op (B_Length)) (B_Id) {1, 2.5}
 *           |               ^~~~~~~~
 *
 * Long source lines are cut around the caret (at most 100 characters), tabs are shown as blanks, unprintable bytes as
 * ?. A span of nowhere gives the message alone. Never longer than BMF_MESSAGE_SIZE; the message itself may take 500
 * bytes. */
int text_fail(const bmf_texts *texts, bmf_context *ctx, bmf_span span, int status, const char *format, ...)
    __attribute__((format(printf, 5, 6)));

#endif

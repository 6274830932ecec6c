/* What the files of the notation's parser share. Not for others. */
#ifndef BMF_NOTATION_PARSER_H
#define BMF_NOTATION_PARSER_H

#include "skeletons/language/notation/lexer.h"
#include "skeletons/language/notation/notation.h"

enum { NOTATION_MAX_NESTING = 200 };

typedef struct notation_parser {
    bmf_context *ctx;
    const bmf_texts *texts;
    const bmf_text *text;
    int number; /* of the text */
    bmf_expressions *arena;
    notation_token token, last;
    int depth;
    int status;
} notation_parser;

/* All that return a pointer or bool: NULL or false after a message. */

void notation_advance(notation_parser *p);
/* The token present, and passed then. */
bool notation_take(notation_parser *p, const char *what);
/* The same; otherwise a message. */
bool notation_expect(notation_parser *p, const char *what);
bool notation_at(const notation_parser *p, const char *what);
bmf_span notation_span(const notation_parser *p, notation_token token);
bmf_span notation_since(const notation_parser *p, int64_t begin);
void *notation_fail(notation_parser *p, bmf_span span, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* "WHAT expected, found ..", or what a beginner meant who wrote this. */
void *notation_fail_expected(notation_parser *p, const char *what);
/* A name of the user's; NULL after a message. */
const char *notation_name(notation_parser *p, const char *what);

notation_node *notation_expression(notation_parser *p);
notation_pattern *notation_parse_pattern(notation_parser *p);
/* Names stand once in each of a pattern's parts. */
bool notation_check_pattern(notation_parser *p, const notation_pattern *pattern);

#endif

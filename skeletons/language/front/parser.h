/* What the files of the parser share with the forms that read themselves. Not for others. */
#ifndef BMF_LANGUAGE_PARSER_H
#define BMF_LANGUAGE_PARSER_H

#include "skeletons/language/front/lexer.h"
#include "skeletons/language/front/parse.h"

enum { BMF_MAX_OPERANDS = 3 };

typedef struct bmf_parser {
    bmf_context *ctx;
    const bmf_texts *texts;
    const bmf_text *text;
    int number; /* of the text */
    bmf_expressions *arena;
    bmf_token token, next;
    int64_t last_end; /* of the token before `token` */
    int nesting, depth;
    int status;
} bmf_parser;

/* All that return an expression or bool: NULL or false after a message. */

/* The next token becomes the present one. */
void parser_advance(bmf_parser *p);
bmf_span parser_span(const bmf_parser *p, bmf_token token);
/* From a token to the end of what was read last. */
bmf_span parser_span_since(const bmf_parser *p, bmf_token first);
/* Stores a message that points at a token; returns NULL. */
void *parser_fail(bmf_parser *p, bmf_token token, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* "WHAT expected, found .." */
void *parser_fail_expected(bmf_parser *p, const char *what);
/* Opens a bracket; `what` is for messages. Every bracket that was opened is closed by parser_close. */
bool parser_open(bmf_parser *p, int kind, const char *what);
bool parser_close(bmf_parser *p, int kind, bmf_token opened);
bmf_expression *parser_expression(bmf_parser *p);
/* '(' expression ')' */
bmf_expression *parser_operand(bmf_parser *p);
/* The keyword and as many operands as its form takes. */
bmf_expression *parser_operands(bmf_parser *p, const bmf_keyword *keyword);
/* '(' B_Num n ')'; for splits also '(' B_Procs ')': as many as there are processors */
bool parser_number(bmf_parser *p, bool split, int64_t *number);
/* '(' B_Num n ')': so many places on, or back if n is negative; at most BMF_MAX_PLACES. */
bool parser_places(bmf_parser *p, int64_t *number);
/* OPEN name, .. CLOSE behind the keyword: an expression of its kind with these names, "x,y"; at most `limit`. */
bmf_expression *parser_fields(bmf_parser *p, const bmf_keyword *keyword, int open, int close, int limit);
/* '[' expression, .. ']' behind the keyword; at least one and at most `limit` expressions, or any number if it is 0. */
bmf_expression *parser_list(bmf_parser *p, const bmf_keyword *keyword, int limit);

#endif

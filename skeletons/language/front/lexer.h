/* Tokens of program texts, and numbers; private to the language's front end. */
#ifndef BMF_LANGUAGE_LEXER_H
#define BMF_LANGUAGE_LEXER_H

#include "skeletons/language/front/expression.h"

/* One of ( ) [ ] { } , . = : is its own kind. */
typedef enum bmf_token_kind {
    BMF_TOKEN_END,
    BMF_TOKEN_NAME,   /* $name, with the $ */
    BMF_TOKEN_WORD,   /* a letter or _, then letters, digits, _ */
    BMF_TOKEN_NUMBER, /* begins with a digit or a sign; whether it is one, number_read says */
    BMF_TOKEN_BAD     /* a character that begins no token */
} bmf_token_kind;

typedef struct bmf_token {
    int kind; /* a bmf_token_kind or a character */
    int64_t begin, end;
} bmf_token;

/* The first token at `at` or behind, after blanks and comments. */
bmf_token token_next(const bmf_text *text, int64_t at);
/* For messages: "')'", "the end of the text", "B_Map". Long ones are cut. Returns words. */
char *token_print(const bmf_text *text, bmf_token token, char words[64]);

/* True if the token is this word, without regard to case. */
bool token_is(const bmf_text *text, bmf_token token, const char *word);

/* A number, inf or nan in `size` bytes, with or without a sign: NULL after filling *constant (a whole number is an
 * int unless `real`), otherwise what is wrong with it, such as "does not fit a 64-bit int". Behind the bytes stands
 * no digit, letter or point. */
const char *number_read(const char *bytes, int64_t size, bool real, bmf_constant *constant);

/* What a keyword of the language is. */
typedef enum bmf_keyword_role {
    BMF_KEYWORD_NONE,
    BMF_KEYWORD_FORM,
    BMF_KEYWORD_OPERATION,
    BMF_KEYWORD_OTHER
} bmf_keyword_role;

typedef struct bmf_keyword {
    const char *text;
    bmf_keyword_role role;
    bmf_expression_kind kind; /* of a form */
    bmf_operation operation;  /* of an operation, and of the form OP: P_Distl, P_Project */
    bool parallel;
} bmf_keyword;

/* The keyword a token is, or one with role NONE. */
bmf_keyword keyword_of(const bmf_text *text, bmf_token token);
/* Keyword n, in a fixed order from 0 on; false behind the last. A form or operation without one has a keyword without
 * text. */
bool keyword_at(int n, bmf_keyword *keyword);
/* The keyword most like a token that is none, or NULL. */
const char *keyword_near(const bmf_text *text, bmf_token token);

#endif

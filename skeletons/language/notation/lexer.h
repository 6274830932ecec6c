/* Tokens of texts in the notation. */
#ifndef BMF_NOTATION_LEXER_H
#define BMF_NOTATION_LEXER_H

#include "skeletons/language/front/lexer.h"

typedef enum notation_token_kind {
    NOTATION_TOKEN_END,
    NOTATION_TOKEN_WORD,   /* a name or a reserved word */
    NOTATION_TOKEN_NUMBER, /* without a sign */
    NOTATION_TOKEN_MARK,   /* ( ) [ ] { } , : . = -> |> ..< and the operators */
    NOTATION_TOKEN_BAD
} notation_token_kind;

typedef struct notation_token {
    notation_token_kind kind;
    int64_t begin, end;
} notation_token;

/* The first token at `at` or behind, after blanks and remarks. */
notation_token notation_next(const bmf_text *text, int64_t at);
/* The token is this word or mark. */
bool notation_is(const bmf_text *text, notation_token token, const char *what);
/* For messages; returns words. */
char *notation_token_print(const bmf_text *text, notation_token token, char words[64]);

/* True if a text is one of the notation: its first word is let or main. */
bool notation_begins(const bmf_text *text);

#endif

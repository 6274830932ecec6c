/* What beginners write who know another language, and what it is here; for messages. All texts are static. */
#ifndef BMF_NOTATION_FOREIGN_H
#define BMF_NOTATION_FOREIGN_H

#include <stdint.h>

/* Of a word of `size` bytes: "len" is "the length of a list is length(xs)". NULL: not known. */
const char *foreign_word(const char *word, int64_t size);
/* Of a mark that begins the text: "=>" is "a function is written x -> exp". NULL: not known. */
const char *foreign_mark(const char *text, int64_t size);
/* Of a word where an expression should begin: "for". NULL: not known. */
const char *foreign_beginning(const char *word, int64_t size);
/* The installed library that defines a name; NULL: none does. */
const char *foreign_library(const char *name, int64_t size);

#endif

/* What `bmf core`, `bmf notation` and `bmf language-server` share: a program or library from its file, with the remarks
 * in front of its definitions. */
#ifndef BMF_DRIVERS_NOTATION_DOCUMENT_H
#define BMF_DRIVERS_NOTATION_DOCUMENT_H

#include "drivers/command/command.h"
#include "skeletons/language/notation/notation.h"

typedef struct document_values {
    bmf_strings library;
} document_values;

typedef struct document {
    bmf_texts texts;
    bmf_expressions *arena;
    bmf_library library;
    int text; /* of the file; libraries stand before it */
    bool notation;
    bmf_parsed parsed;     /* expression NULL: a library */
    int64_t main;          /* where the program's expression begins, or `main` */
    notation_text *syntax; /* of every text; of those in the core nothing */
} document;

/* Reads the libraries and the file, in the core or in the notation. Close in any case. */
int document_open(const char *path, const bmf_strings *libraries, document *opened);
/* The same with the file's text given, which is there even if libraries cannot be read. failures: gets the place and
 * words of all failures that are in texts. */
int document_open_text(const char *name, const char *bytes, int64_t size, const bmf_strings *libraries,
                       bmf_text_failures *failures, document *opened);
/* Whether a text in the notation, a program or a library, parses, whatever names it uses. */
int document_syntax(bmf_texts *texts, int text);
void document_close(document *opened);

/* Prints the remarks and blank lines in front of a place of the file that begins a line: the head of the file for the
 * first thing printed. */
void document_print_remarks(const document *from, int64_t at, bool first);
/* Prints the data behind the program, as they stand in the text, without the blanks around them. */
void document_print_data(const document *from);

#endif

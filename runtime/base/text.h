/* Texts in working memory. */
#ifndef BMF_TEXT_COPY_H
#define BMF_TEXT_COPY_H

/* A copy; free() releases it. Never NULL, as memory of allocate.h. */
char *text_copy(const char *text);

/* The length of the control character that the text begins with: 1, 2 for U+0080 to U+009F in UTF-8, 0 for none. Line
 * feeds and tabs do not count. */
int control_character(const char *text);
/* Replaces control characters by question marks, in place: for everything that others wrote and a terminal shows. */
void text_make_printable(char *text);
/* Line feeds and tabs as well: for names in the middle of a line. */
void text_make_line(char *text);

#endif

/* The one line with which programs and commands end: on standard error, in colours where that is a terminal. */
#ifndef BMF_RUNTIME_MESSAGE_H
#define BMF_RUNTIME_MESSAGE_H

#include <stdbool.h>
#include <stdio.h>

/* Whether standard error takes colours: it is a terminal, NO_COLOR (https://no-color.org) is unset or empty, and TERM
 * names a terminal other than "dumb". */
bool message_in_colours(void);

/* Prints "PROGRAM: TEXT", without the end of the line, to `to`. With colours the program's name is bold red, and of a
 * text with a line of source and carets below ("   12 | source", "      | ^~~", as text_fail makes them) the gutters
 * are faint and the carets bold red. Without, exactly those bytes. Not collective; allocates nothing. */
void message_print(FILE *to, const char *program, const char *text, bool colours);

/* The same on standard error, with the end of the line, in colours if it takes them. */
void message_line(const char *program, const char *text);

#endif

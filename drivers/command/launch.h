/* Starting other programs, such as mpirun with a program of the user's, and reading what they print. */
#ifndef BMF_DRIVERS_LAUNCH_H
#define BMF_DRIVERS_LAUNCH_H

#include <stdbool.h>
#include <stdint.h>

enum { BMF_LAUNCH_REASON = 512 };

/* A list of words, those of `launch` (separated by blanks) and then the program's, with {p} and {n} replaced, NULL at
 * the end; launch_words_free releases it. */
char **launch_words(const char *launch, char *const *program, int64_t p, double n);
/* A copy of the words; to be freed in the same way. */
char **launch_copied(char *const *word);
/* A copy of the words with `mark` replaced wherever it stands; to be freed in the same way. */
char **launch_replaced(char *const *word, const char *mark, const char *value);
void launch_words_free(char **word);

/* Starts the command and waits for it. What it prints, on standard output and standard error, is to be freed; *failure:
 * errno if it could not be started. */
char *launch_run(char *const *word, int *outcome, int *failure);
bool launch_succeeded(int outcome, int failure);
/* Why a command failed, on one line: "ended with exit code 1: its last line". text is taken apart. */
void launch_reason(char *const *word, char *text, int outcome, int failure, char reason[BMF_LAUNCH_REASON]);

#endif

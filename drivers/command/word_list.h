/* Lists of words on the command line, with commas between them: here.machine,fast-cluster. */
#ifndef BMF_DRIVERS_WORD_LIST_H
#define BMF_DRIVERS_WORD_LIST_H

#include <stdbool.h>
#include <stdint.h>

enum { BMF_WORD_LIST_MAX = 64 };

typedef struct bmf_word_list {
    int64_t count;
    char *text; /* all of them, each with its NUL; free() releases the list */
    char *word[BMF_WORD_LIST_MAX];
} bmf_word_list;

/* The words of a text instead of those that the list had. False if one is empty, or if they are too many. */
bool word_list_read(const char *text, bmf_word_list *list);
/* One that stands there twice, or NULL. */
const char *word_list_twice(const bmf_word_list *list);

#endif

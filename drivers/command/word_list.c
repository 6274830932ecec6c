/* Lists of words; see word_list.h. */
#define _GNU_SOURCE
#include "drivers/command/word_list.h"

#include <stdlib.h>
#include <string.h>

#include "runtime/base/text.h"

bool word_list_read(const char *text, bmf_word_list *list)
{
    free(list->text);
    char *rest = list->text = text_copy(text), *word;
    list->count = 0;
    while ((word = strsep(&rest, ",")) != NULL) {
        if (!word[0] || list->count == BMF_WORD_LIST_MAX)
            return false;
        list->word[list->count++] = word;
    }
    return true;
}

const char *word_list_twice(const bmf_word_list *list)
{
    for (int64_t a = 0; a < list->count; a++)
        for (int64_t b = 0; b < a; b++)
            if (strcmp(list->word[a], list->word[b]) == 0)
                return list->word[a];
    return NULL;
}

/* Texts in working memory. */
#include "runtime/base/text.h"

#include <string.h>

#include "runtime/base/allocate.h"

char *text_copy(const char *text)
{
    const size_t size = strlen(text) + 1;
    return memcpy(allocate((int64_t)size), text, size);
}

int control_character(const char *text)
{
    const unsigned char first = (unsigned char)text[0], second = first ? (unsigned char)text[1] : 0;
    if (first == '\n' || first == '\t' || first == 0)
        return 0;
    if (first < ' ' || first == 0x7f)
        return 1;
    return first == 0xc2 && second >= 0x80 && second < 0xa0 ? 2 : 0;
}

void text_make_printable(char *text)
{
    for (; *text; text++)
        for (int k = control_character(text); k > 0; k--)
            text[k - 1] = '?';
}

void text_make_line(char *text)
{
    text_make_printable(text);
    for (; *text; text++)
        if (*text == '\n' || *text == '\t')
            *text = '?';
}

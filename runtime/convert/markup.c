/* Texts in HTML and SVG files. Method: runs of harmless characters are copied whole. Cost: linear. */
#include "runtime/convert/markup.h"

static const char *entity_of(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

void put_markup(bmf_output *out, const char *text)
{
    while (*text) {
        size_t plain = strcspn(text, "&<>\"'");
        for (size_t done = 0; done < plain;) {
            size_t size = plain - done < BMF_OUTPUT_ROOM ? plain - done : BMF_OUTPUT_ROOM;
            output_end(out, put_bytes(output_begin(out), text + done, size));
            done += size;
        }
        text += plain;
        if (*text)
            output_text(out, entity_of(*text++));
    }
}

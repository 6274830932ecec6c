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

void bmf_put_markup(bmf_output *out, const char *text)
{
    while (*text) {
        size_t plain = strcspn(text, "&<>\"'");
        for (size_t done = 0; done < plain;) {
            size_t size = plain - done < BMF_OUTPUT_ROOM ? plain - done : BMF_OUTPUT_ROOM;
            bmf_output_end(out, bmf_put_bytes(bmf_output_begin(out), text + done, size));
            done += size;
        }
        text += plain;
        if (*text)
            bmf_output_text(out, entity_of(*text++));
    }
}

/* Positions and URIs.
 *
 * Lines end with LF, CR LF or CR. Characters beyond the 16 bits are two units.
 * Cost: O(bytes before the place).
 * Source: Language Server Protocol 3.17, "Position", "URI"; RFC 3986, RFC 8089. */
#include "drivers/language_server/position.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/base/text.h"

/* UTF-16 units of the character that begins with this byte; bytes within characters have none. */
static int units_of(unsigned char byte)
{
    return (byte & 0xc0) == 0x80 ? 0 : byte >= 0xf0 ? 2 : 1;
}

static bool ends_line(const char *bytes, int64_t size, int64_t at)
{
    return bytes[at] == '\n' || (bytes[at] == '\r' && (at + 1 >= size || bytes[at + 1] != '\n'));
}

json_t *position_of(const bmf_text *text, int64_t at)
{
    json_int_t line = 0, units = 0;
    for (int64_t i = 0; i < at && i < text->size; i++) {
        units += units_of((unsigned char)text->bytes[i]);
        if (ends_line(text->bytes, text->size, i)) {
            line++;
            units = 0;
        }
    }
    return json_pack("{s:I, s:I}", "line", line, "character", units);
}

json_t *position_range(const bmf_text *text, bmf_span span)
{
    return json_pack("{s:o, s:o}", "start", position_of(text, span.begin), "end", position_of(text, span.end));
}

int64_t position_byte(const char *bytes, int64_t size, const json_t *position)
{
    const json_t *line = json_object_get(position, "line"), *character = json_object_get(position, "character");
    if (!json_is_integer(line) || !json_is_integer(character) || json_integer_value(line) < 0 ||
        json_integer_value(character) < 0)
        return -1;
    json_int_t lines = json_integer_value(line), units = json_integer_value(character);
    int64_t at = 0;
    for (; lines > 0 && at < size; at++)
        lines -= ends_line(bytes, size, at);
    while (lines == 0 && at < size && bytes[at] != '\n' && bytes[at] != '\r' && units > 0) {
        units -= units_of((unsigned char)bytes[at]);
        do
            at++;
        while (at < size && units_of((unsigned char)bytes[at]) == 0);
    }
    return at;
}

/* ---- URIs ---- */

static int digit(char c)
{
    return isdigit((unsigned char)c) ? c - '0' : isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10 : -1;
}

char *uri_path(const char *uri)
{
    static const char scheme[] = "file://";
    if (strncmp(uri, scheme, sizeof scheme - 1) != 0)
        return NULL;
    const char *from = strchr(uri + sizeof scheme - 1, '/'); /* behind the host */
    if (!from)
        return NULL;
    char *path = text_copy(from), *to = path;
    for (; *from; from++)
        if (from[0] == '%' && digit(from[1]) >= 0 && digit(from[2]) >= 0) {
            *to++ = (char)(16 * digit(from[1]) + digit(from[2]));
            from += 2;
        } else {
            *to++ = *from;
        }
    *to = '\0';
    return path;
}

char *uri_of(const char *path)
{
    char *whole = realpath(path, NULL), *uri = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&uri, &size);
    if (!to) {
        free(whole);
        return text_copy(path);
    }
    fputs("file://", to);
    for (const char *at = whole ? whole : path; *at; at++)
        fprintf(to, isalnum((unsigned char)*at) || strchr("/-._~", *at) ? "%c" : "%%%02X", (unsigned char)*at);
    fclose(to);
    free(whole);
    return uri;
}

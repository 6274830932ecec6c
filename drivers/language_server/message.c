/* Reading and writing framed JSON.
 *
 * Method: header lines end with CR LF (LF alone is taken too); of their fields only Content-Length means something. A
 * header without a usable length is passed over up to its empty line, and a message that is too long by its length, so
 * that the next one is found.
 * Cost: O(bytes).
 * Source: Language Server Protocol 3.17, "Base Protocol". */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "drivers/command/json.h"
#include "drivers/language_server/message.h"
#include "runtime/base/allocate.h"
#include "runtime/base/text.h"

enum { LINE_BYTES = 256 };

/* A line without its end; what does not fit is dropped. False: the input ends. */
static bool read_line(FILE *from, char line[LINE_BYTES])
{
    size_t used = 0;
    int c;
    while ((c = getc(from)) != EOF && c != '\n')
        if (used + 1 < LINE_BYTES)
            line[used++] = (char)c;
    if (used > 0 && line[used - 1] == '\r')
        used--;
    line[used] = '\0';
    return c != EOF;
}

/* The length that a header line says, -1: none; -2: one that is wrong. */
static long long read_length(const char *line)
{
    static const char name[] = "Content-Length:";
    char *end;
    if (strncasecmp(line, name, sizeof name - 1) != 0)
        return -1;
    line += sizeof name - 1;
    line += strspn(line, " \t");
    if (*line < '0' || *line > '9')
        return -2;
    const long long length = strtoll(line, &end, 10);
    return end[strspn(end, " \t")] == '\0' ? length : -2;
}

/* The length of the message behind the header; negative: it says none. False: the input ends. */
static bool read_header(FILE *from, long long *length)
{
    char line[LINE_BYTES];
    *length = -1;
    for (bool begun = false;; begun = true) {
        if (!read_line(from, line))
            return false;
        if (!*line && begun)
            return true;
        const long long said = read_length(line);
        *length = said == -1 ? *length : said;
    }
}

static bool pass_over(FILE *from, long long bytes)
{
    for (; bytes > 0; bytes--)
        if (getc(from) == EOF)
            return false;
    return true;
}

/* The bytes of a message, as they arrive: a length that nothing follows takes no memory. NULL: the input ends. */
static char *read_body(FILE *from, size_t length)
{
    size_t room = 1 << 12, used = 0;
    char *body = allocate((int64_t)room);
    while (used < length) {
        if (used == room) {
            body = reallocate(body, (int64_t)room, (int64_t)(2 * room));
            room *= 2;
        }
        const size_t wanted = (length < room ? length : room) - used, got = fread(body + used, 1, wanted, from);
        used += got;
        if (got < wanted) {
            free(body);
            return NULL;
        }
    }
    return body;
}

message_state message_read(FILE *from, json_t **message)
{
    long long length;
    *message = NULL;
    if (!read_header(from, &length))
        return MESSAGE_END;
    if (length < 0 || length > MESSAGE_MAX_BYTES)
        return pass_over(from, length) ? MESSAGE_BROKEN : MESSAGE_END;
    char *body = read_body(from, (size_t)length);
    if (!body)
        return MESSAGE_END;
    *message = json_loadb(body, (size_t)length, JSON_ALLOW_NUL | JSON_DECODE_ANY, NULL);
    free(body);
    return *message ? MESSAGE_READ : MESSAGE_BROKEN;
}

json_t *message_text(const char *text)
{
    char *lines = text_copy(text);
    text_make_printable(lines);
    json_t *made = json_string(lines);
    free(lines);
    return made ? made : json_text(text); /* no UTF-8 */
}

bool message_write(FILE *to, const json_t *message)
{
    char *text = json_dumps(message, JSON_COMPACT);
    const bool written = text && fprintf(to, "Content-Length: %zu\r\n\r\n%s", strlen(text), text) > 0;
    free(text);
    return fflush(to) == 0 && written;
}

/* Program texts and messages that point into them.
 *
 * Method: a place is a byte number; line and column are counted only when a message needs them. A message shows a
 * window of the source line around the place, found by walking outwards from it, so that a line of a hundred
 * megabytes costs no more than a short one to show. Bytes that are no valid, printable UTF-8 count as one character
 * each and are shown as ?.
 * Cost: O(bytes before the place) for a message. */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/array.h"
#include "runtime/backend/backend.h"
#include "skeletons/language/front/text.h"

/* What the parts of a message may take, in bytes; together with line numbers and line ends they fill
 * BMF_MESSAGE_SIZE. */
enum {
    NAME_BYTES = 120,
    TEXT_BYTES = 500,
    LINE_CHARACTERS = 100,
    LINE_BYTES = 150,
    BEFORE_CARET = 60,
    MOST_FAILURES = 100
};

static int adopt(bmf_texts *texts, const char *name, char *bytes, int64_t size)
{
    size_t length = strlen(name) + 1;
    int64_t entry = (int64_t)sizeof *texts->text;
    texts->text = reallocate(texts->text, texts->count * entry, (texts->count + 1) * entry);
    texts->text[texts->count] = (bmf_text){memcpy(allocate((int64_t)length), name, length), bytes, size, NULL};
    return texts->count++;
}

int texts_add(bmf_texts *texts, const char *name, const char *bytes, int64_t size)
{
    char *copy = allocate(size + 1);
    if (size > 0)
        memcpy(copy, bytes, (size_t)size);
    copy[size] = '\0';
    return adopt(texts, name, copy, size);
}

/* All of a stream, which may be a pipe, so that its size is known only at the end. NULL: no memory. */
static char *read_all(FILE *stream, int64_t *size)
{
    size_t room = 1 << 16, used = 0, got;
    char *bytes = malloc(room);
    while (bytes && (got = fread(bytes + used, 1, room - used - 1, stream)) > 0) {
        used += got;
        if (room - used > 1)
            continue;
        char *grown = realloc(bytes, room * 2);
        if (!grown)
            free(bytes);
        bytes = grown;
        room *= 2;
    }
    if (bytes)
        bytes[used] = '\0';
    *size = (int64_t)used;
    return bytes;
}

int texts_read(bmf_texts *texts, bmf_context *ctx, const char *path, int *text)
{
    int64_t size = 0;
    FILE *stream = fopen(path, "rb");
    if (!stream)
        return bmf_fail(ctx, BMF_ERROR_FILE, "%s: cannot open: %s", path, strerror(errno));
    errno = 0;
    char *bytes = read_all(stream, &size);
    int error = ferror(stream) ? errno : 0;
    fclose(stream);
    if (!bytes)
        return bmf_fail(ctx, BMF_ERROR_MEMORY, "%s: out of memory after %" PRId64 " bytes", path, size);
    if (error != 0) {
        free(bytes);
        return bmf_fail(ctx, BMF_ERROR_FILE, "%s: cannot read: %s", path, strerror(error));
    }
    *text = adopt(texts, path, bytes, size);
    return BMF_OK;
}

void texts_free(bmf_texts *texts)
{
    for (int i = 0; i < texts->count; i++) {
        free(texts->text[i].name);
        free(texts->text[i].bytes);
    }
    free(texts->text);
    *texts = (bmf_texts){0};
}

/* Bytes of the UTF-8 character at `at`, at least 1; *printable says whether a terminal can be given it. */
static int character_at(const bmf_text *text, int64_t at, bool *printable)
{
    static const uint32_t min[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *byte = (const unsigned char *)text->bytes + at;
    int64_t left = text->size - at;
    int length = byte[0] < 0x80 ? 1 : byte[0] >= 0xf0 ? 4 : byte[0] >= 0xe0 ? 3 : 2;
    *printable = byte[0] >= 0x20 && byte[0] < 0x7f;
    if (length == 1 || byte[0] < 0xc0 || byte[0] > 0xf4 || left < length)
        return 1;
    uint32_t code = byte[0] & (0xffU >> (length + 1));
    for (int k = 1; k < length; k++) {
        if ((byte[k] & 0xc0) != 0x80)
            return 1;
        code = code << 6 | (byte[k] & 0x3f);
    }
    if (code < min[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
        return 1;
    *printable = code >= 0xa0;
    return length;
}

void text_place(const bmf_text *text, int64_t at, int64_t *line, int64_t *column)
{
    const char *start = text->bytes, *end = text->bytes + (at < text->size ? at : text->size), *found;
    bool printable;
    *line = *column = 1;
    while (start < end && (found = memchr(start, '\n', (size_t)(end - start)))) {
        start = found + 1;
        ++*line;
    }
    for (int64_t i = start - text->bytes; i < end - text->bytes; i += character_at(text, i, &printable))
        ++*column;
}

/* Where the shown part of a line begins: its start, or about BEFORE_CARET bytes before `at`. */
static int64_t window_start(const bmf_text *text, int64_t at)
{
    int64_t start = at;
    while (start > 0 && text->bytes[start - 1] != '\n' && at - start < BEFORE_CARET)
        start--;
    /* not into the middle of a character, nor far back over bytes that only look like one */
    for (int k = 0; k < 3 && start < at && ((unsigned char)text->bytes[start] & 0xc0) == 0x80; k++)
        start++;
    return start;
}

/* Copies the window to `shown` and the caret with its tail to `caret`. */
static void show_line(const bmf_text *text, bmf_span span, char shown[LINE_BYTES + 8], char caret[LINE_BYTES + 8])
{
    int64_t at = window_start(text, span.begin);
    int characters = 0, bytes = 0, marks = 0;
    while (characters < LINE_CHARACTERS && bytes < LINE_BYTES) {
        bool printable = false, ends = at >= text->size || text->bytes[at] == '\n';
        int length = ends ? 1 : character_at(text, at, &printable);
        if (at >= span.begin && (at < span.end || at == span.begin))
            caret[marks++] = at == span.begin ? '^' : '~';
        else if (at < span.begin)
            caret[marks++] = ' ';
        if (ends)
            break;
        if (printable)
            memcpy(shown + bytes, text->bytes + at, (size_t)length);
        else
            shown[bytes] = text->bytes[at] == '\t' || text->bytes[at] == '\r' ? ' ' : '?';
        bytes += printable ? length : 1;
        at += length;
        characters++;
    }
    while (bytes > 0 && shown[bytes - 1] == ' ')
        bytes--;
    shown[bytes] = caret[marks] = '\0';
}

static void keep_failure(const bmf_texts *texts, bmf_span span, const char message[TEXT_BYTES])
{
    bmf_text_failures *all = texts->failures;
    if (!all || all->count == MOST_FAILURES)
        return;
    bmf_text_failure *kept = ARRAY_APPEND(all->failure, all->count, all->capacity);
    kept->span = span;
    snprintf(kept->message, sizeof kept->message, "%s", message);
}

int text_fail(const bmf_texts *texts, bmf_context *ctx, bmf_span span, int status, const char *format, ...)
{
    char message[TEXT_BYTES], shown[LINE_BYTES + 8], caret[LINE_BYTES + 8];
    int64_t line, column;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (span.text < 0 || span.text >= texts->count) {
        keep_failure(texts, span, message);
        return bmf_fail(ctx, status, "%s", message);
    }
    const bmf_text *text = &texts->text[span.text];
    if (text->words) {
        char own[TEXT_BYTES];
        text->words(message, own, sizeof own);
        memcpy(message, own, sizeof own);
    }
    keep_failure(texts, span, message);
    size_t length = strlen(text->name);
    const char *name = length > NAME_BYTES ? text->name + length - NAME_BYTES : text->name;
    text_place(text, span.begin, &line, &column);
    show_line(text, span, shown, caret);
    return bmf_fail(ctx, status, "%s%s:%" PRId64 ":%" PRId64 ": %s\n%5" PRId64 " | %s\n      | %s",
                    name == text->name ? "" : "...", name, line, column, message, line, shown, caret);
}

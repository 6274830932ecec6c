/* Open texts and their changes.
 * Source: Language Server Protocol 3.17, "Text Document Synchronization". */
#include "drivers/language_server/opened.h"

#include <stdlib.h>
#include <string.h>

#include "drivers/language_server/position.h"
#include "runtime/base/array.h"
#include "runtime/base/text.h"

opened_text *opened_find(const opened_texts *all, const char *uri)
{
    for (int k = 0; k < all->count; k++)
        if (strcmp(all->text[k].uri, uri) == 0)
            return &all->text[k];
    return NULL;
}

/* Bytes [begin, end) become others. */
static void replace(opened_text *text, int64_t begin, int64_t end, const char *bytes, int64_t size)
{
    const int64_t behind = text->size - end;
    char *made = allocate(begin + size + behind + 1);
    if (begin > 0)
        memcpy(made, text->bytes, (size_t)begin);
    if (size > 0)
        memcpy(made + begin, bytes, (size_t)size);
    if (behind > 0)
        memcpy(made + begin + size, text->bytes + end, (size_t)behind);
    free(text->bytes);
    text->bytes = made;
    text->size = begin + size + behind;
    made[text->size] = '\0';
    inspection_free(text->inspection);
    text->inspection = NULL;
}

opened_text *opened_set(opened_texts *all, const char *uri, json_int_t version, const char *bytes, int64_t size)
{
    opened_text *text = opened_find(all, uri);
    if (!text) {
        text = ARRAY_APPEND(all->text, all->count, all->capacity);
        *text = (opened_text){.uri = text_copy(uri)};
    }
    text->version = version;
    replace(text, 0, text->size, bytes, size);
    return text;
}

bool opened_change(opened_text *text, const json_t *change)
{
    const json_t *range = json_object_get(change, "range"), *with = json_object_get(change, "text");
    int64_t begin = 0, end = text->size;
    if (!json_is_string(with))
        return false;
    if (range) {
        begin = position_byte(text->bytes, text->size, json_object_get(range, "start"));
        end = position_byte(text->bytes, text->size, json_object_get(range, "end"));
    }
    if (begin < 0 || end < begin)
        return false;
    replace(text, begin, end, json_string_value(with), (int64_t)json_string_length(with));
    return true;
}

const inspection *opened_inspection(opened_text *text, const bmf_strings *libraries)
{
    if (!text->inspection) {
        char *path = uri_path(text->uri);
        const char *name = path && strrchr(path, '/') ? strrchr(path, '/') + 1 : text->uri;
        text->inspection = inspection_create(name, text->bytes, text->size, libraries);
        free(path);
    }
    return text->inspection;
}

static void free_text(opened_text *text)
{
    inspection_free(text->inspection);
    free(text->uri);
    free(text->bytes);
}

void opened_close(opened_texts *all, opened_text *text)
{
    free_text(text);
    *text = all->text[--all->count];
}

void opened_free(opened_texts *all)
{
    for (int k = 0; k < all->count; k++)
        free_text(&all->text[k]);
    free(all->text);
    *all = (opened_texts){0};
}

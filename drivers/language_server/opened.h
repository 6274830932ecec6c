/* The texts that the editor has open. */
#ifndef BMF_LANGUAGE_SERVER_OPENED_H
#define BMF_LANGUAGE_SERVER_OPENED_H

#include "drivers/language_server/inspection.h"

typedef struct opened_text {
    char *uri;
    json_int_t version;
    char *bytes;
    int64_t size;
    inspection *inspection; /* of the bytes; NULL: not made yet */
} opened_text;

typedef struct opened_texts {
    opened_text *text;
    int count, capacity;
} opened_texts;

/* NULL: it is not open. */
opened_text *opened_find(const opened_texts *all, const char *uri);
/* Opens a text, or gives an open one other contents. */
opened_text *opened_set(opened_texts *all, const char *uri, json_int_t version, const char *bytes, int64_t size);
/* Applies one change, {"range": .., "text": ..} or {"text": ..}. False: it is none. */
bool opened_change(opened_text *text, const json_t *change);
/* Made when it is asked for first. */
const inspection *opened_inspection(opened_text *text, const bmf_strings *libraries);
void opened_close(opened_texts *all, opened_text *text);
void opened_free(opened_texts *all);

#endif

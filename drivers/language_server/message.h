/* Messages of the language server protocol: a header with Content-Length, an empty line, and so many bytes of JSON. */
#ifndef BMF_LANGUAGE_SERVER_MESSAGE_H
#define BMF_LANGUAGE_SERVER_MESSAGE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

typedef enum message_state {
    MESSAGE_READ,   /* *message is the JSON */
    MESSAGE_BROKEN, /* no JSON, or a header without a length; what follows is the next message */
    MESSAGE_END     /* of the input, perhaps within a message */
} message_state;

/* Larger messages are passed over. */
enum { MESSAGE_MAX_BYTES = 64 << 20 };

/* The next message, the caller's to free. */
message_state message_read(FILE *from, json_t **message);
/* A text of several lines; control characters become ?. */
json_t *message_text(const char *text);
/* Writes a message at once. False: it could not be written. */
bool message_write(FILE *to, const json_t *message);

#endif

/* Fuzz target of the language server: any bytes as its input, or as a text that an editor has open.
 *
 * Bytes that begin with the header of a message are the whole input. Others are the text: it is opened, everything is
 * asked about places all over it, half of it is taken away, and everything is asked again. Every request must be
 * answered, and the answers be messages.
 *
 * For libFuzzer see language.c; the target is language_server_fuzz, its corpus ctest/fuzz/corpus/language_server. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "ctest/fuzz/fuzz.h"
#include "drivers/language_server/message.h"
#include "drivers/language_server/server.h"

static const char uri[] = "file:///text.bmf";

/* Runs the server; the answers are the caller's to free. */
static char *serve(const char *bytes, size_t size, size_t *answered)
{
    static const bmf_strings none = {0};
    char *answers = NULL;
    FILE *in = tmpfile(), *out = open_memstream(&answers, answered);
    if (!in || !out)
        abort();
    fwrite(bytes, 1, size, in);
    rewind(in);
    const int code = server_run(in, out, &none);
    demand(code == 0 || code == 1, "an exit code of the protocol");
    fclose(in);
    fclose(out);
    return answers;
}

/* How many of the messages are answers to requests. */
static int count_answers(char *bytes, size_t size)
{
    int answers = 0;
    message_state state = MESSAGE_READ;
    FILE *from = size > 0 ? fmemopen(bytes, size, "r") : NULL;
    while (from && state == MESSAGE_READ) {
        json_t *message;
        state = message_read(from, &message);
        demand(state != MESSAGE_BROKEN, "the server writes messages");
        answers += json_object_get(message, "id") != NULL;
        json_decref(message);
    }
    if (from)
        fclose(from);
    return answers;
}

static int ask(FILE *to, const char *method, json_t *params)
{
    static int id;
    json_t *message =
        json_pack("{s:s, s:i, s:s, s:o}", "jsonrpc", "2.0", "id", ++id, "method", method, "params", params);
    demand(message_write(to, message), "a message is written");
    json_decref(message);
    return 1;
}

static void tell(FILE *to, const char *method, json_t *params)
{
    json_t *message = json_pack("{s:s, s:s, s:o}", "jsonrpc", "2.0", "method", method, "params", params);
    demand(message_write(to, message), "a message is written");
    json_decref(message);
}

static json_t *document(void)
{
    return json_pack("{s:{s:s}}", "textDocument", "uri", uri);
}

static int ask_everything(FILE *to)
{
    int asked =
        ask(to, "textDocument/documentSymbol", document()) + ask(to, "textDocument/formatting", document()) +
        ask(to, "textDocument/completion",
            json_pack("{s:{s:s}, s:{s:i, s:i}}", "textDocument", "uri", uri, "position", "line", 0, "character", 0));
    for (int line = 0; line < 6; line++)
        for (int column = 0; column < 60; column += 3) {
            json_t *place = json_pack("{s:{s:s}, s:{s:i, s:i}}", "textDocument", "uri", uri, "position", "line", line,
                                      "character", column);
            asked += ask(to, "textDocument/hover", json_deep_copy(place)) + ask(to, "textDocument/definition", place);
        }
    return asked;
}

/* False: the bytes are no text that JSON could hold. */
static bool write_session(const char *bytes, size_t size, FILE *to, int *asked)
{
    json_t *text = json_stringn(bytes, size);
    if (!text)
        return false;
    *asked = ask(to, "initialize", json_object());
    tell(to, "textDocument/didOpen",
         json_pack("{s:{s:s, s:i, s:o}}", "textDocument", "uri", uri, "version", 1, "text", text));
    *asked += ask_everything(to);
    tell(to, "textDocument/didChange",
         json_pack("{s:{s:s, s:i}, s:[{s:{s:{s:i, s:i}, s:{s:i, s:i}}, s:s}]}", "textDocument", "uri", uri, "version",
                   2, "contentChanges", "range", "start", "line", 1, "character", 5, "end", "line", 3, "character", 9,
                   "text", "let"));
    *asked += ask_everything(to) + ask(to, "shutdown", json_object());
    tell(to, "exit", json_object());
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char header[] = "Content-";
    size_t answered = 0, asked_size = 0;
    int asked = -1;
    char *session = NULL;
    if (size >= sizeof header - 1 && memcmp(bytes, header, sizeof header - 1) == 0) {
        char *answers = serve((const char *)bytes, size, &answered);
        count_answers(answers, answered);
        free(answers);
        return 0;
    }
    FILE *to = open_memstream(&session, &asked_size);
    const bool is_text = write_session((const char *)bytes, size, to, &asked);
    fclose(to);
    if (is_text) {
        char *answers = serve(session, asked_size, &answered);
        demand(count_answers(answers, answered) == asked, "every request is answered");
        free(answers);
    }
    free(session);
    return 0;
}

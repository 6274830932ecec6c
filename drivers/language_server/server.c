/* The server's methods, and its life: initialize, shutdown, exit.
 *
 * Method: one message after the other; a change of a text is inspected at once, and what is wrong is published.
 * Source: Language Server Protocol 3.17; JSON-RPC 2.0. */
#include "drivers/language_server/server.h"

#include <stdio.h>
#include <string.h>

#include "drivers/command/json.h"
#include "drivers/language_server/features.h"
#include "drivers/language_server/message.h"
#include "drivers/language_server/opened.h"
#include "drivers/language_server/position.h"

/* JSON-RPC's and the protocol's codes of errors. */
enum {
    PARSE_ERROR = -32700,
    INVALID_REQUEST = -32600,
    METHOD_NOT_FOUND = -32601,
    INVALID_PARAMS = -32602,
    REQUEST_FAILED = -32803,
    SERVER_NOT_INITIALIZED = -32002
};

typedef struct server {
    FILE *out;
    const bmf_strings *libraries;
    opened_texts texts;
    bool initialized, shut_down, exits, broken; /* broken: the output is gone */
} server;

/* ---- answers ---- */

static void send_message(server *s, json_t *message)
{
    if (!message || !message_write(s->out, message))
        s->broken = true;
    json_decref(message);
}

/* id NULL: the request could not be read. */
static void send_error(server *s, const json_t *id, int code, const char *text)
{
    send_message(s, json_pack("{s:s, s:o, s:{s:i, s:o}}", "jsonrpc", "2.0", "id", id ? json_deep_copy(id) : json_null(),
                              "error", "code", code, "message", json_text(text)));
}

static void send_result(server *s, const json_t *id, json_t *result)
{
    send_message(s, json_pack("{s:s, s:o, s:o}", "jsonrpc", "2.0", "id", json_deep_copy(id), "result",
                              result ? result : json_null()));
}

static void publish(server *s, const char *uri, json_t *diagnostics, const opened_text *text)
{
    json_t *params = json_pack("{s:s, s:o}", "uri", uri, "diagnostics", diagnostics);
    if (text)
        json_object_set_new(params, "version", json_integer(text->version));
    send_message(s, json_pack("{s:s, s:s, s:o}", "jsonrpc", "2.0", "method", "textDocument/publishDiagnostics",
                              "params", params));
}

static void publish_text(server *s, opened_text *text)
{
    publish(s, text->uri, inspection_diagnostics(opened_inspection(text, s->libraries)), text);
}

/* ---- notifications ---- */

static const json_t *document_of(const json_t *params)
{
    return json_object_get(params, "textDocument");
}

static opened_text *text_of(const server *s, const json_t *params)
{
    const char *uri = json_string_value(json_object_get(document_of(params), "uri"));
    return uri ? opened_find(&s->texts, uri) : NULL;
}

static void did_open(server *s, const json_t *params)
{
    const json_t *opened = document_of(params), *text = json_object_get(opened, "text");
    const char *uri = json_string_value(json_object_get(opened, "uri"));
    if (!uri || !json_is_string(text))
        return;
    publish_text(s, opened_set(&s->texts, uri, json_integer_value(json_object_get(opened, "version")),
                               json_string_value(text), (int64_t)json_string_length(text)));
}

static void did_change(server *s, const json_t *params)
{
    opened_text *text = text_of(s, params);
    const json_t *changes = json_object_get(params, "contentChanges");
    if (!text)
        return;
    for (size_t k = 0; k < json_array_size(changes); k++)
        opened_change(text, json_array_get(changes, k));
    text->version = json_integer_value(json_object_get(document_of(params), "version"));
    publish_text(s, text);
}

static void did_close(server *s, const json_t *params)
{
    opened_text *text = text_of(s, params);
    if (!text)
        return;
    publish(s, text->uri, json_array(), NULL);
    opened_close(&s->texts, text);
}

static void exit_server(server *s, const json_t *params)
{
    (void)params;
    s->exits = true;
}

typedef struct notification {
    const char *method;
    void (*take)(server *s, const json_t *params);
} notification;

static const notification notifications[] = {{"textDocument/didOpen", did_open},
                                             {"textDocument/didChange", did_change},
                                             {"textDocument/didClose", did_close},
                                             {"exit", exit_server}};

/* Before initialize all but exit are dropped; those that nobody knows always. */
static void take_notification(server *s, const char *method, const json_t *params)
{
    for (size_t k = 0; k < sizeof notifications / sizeof notifications[0]; k++)
        if (strcmp(notifications[k].method, method) == 0 && (s->initialized || notifications[k].take == exit_server))
            notifications[k].take(s, params);
}

/* ---- requests ---- */

/* The text and the place in it that a request is about; false: there is none. */
typedef struct asked {
    opened_text *text;
    const inspection *inspection;
    int64_t at; /* -1: it has no position */
    const json_t *params;
    const bmf_strings *libraries;
    char why[300]; /* set: the answer is no */
} asked;

static json_t *hover(asked *about)
{
    return feature_hover(about->inspection, about->at);
}

static json_t *definition(asked *about)
{
    return feature_definition(about->inspection, about->text->uri, about->at);
}

static json_t *references(asked *about)
{
    const json_t *context = json_object_get(about->params, "context");
    return feature_references(about->inspection, about->text->uri, about->at,
                              json_is_true(json_object_get(context, "includeDeclaration")));
}

static json_t *highlights(asked *about)
{
    return feature_highlights(about->inspection, about->at);
}

static json_t *rename_range(asked *about)
{
    return feature_rename_range(about->inspection, about->at);
}

static json_t *rename_name(asked *about)
{
    const char *name = json_string_value(json_object_get(about->params, "newName"));
    return feature_rename(about->inspection, about->text->uri, about->at, name ? name : "", about->libraries,
                          about->why, sizeof about->why);
}

static json_t *symbols(asked *about)
{
    return feature_symbols(about->inspection);
}

static json_t *completion(asked *about)
{
    return feature_completion(about->inspection);
}

static json_t *formatting(asked *about)
{
    return feature_formatting(about->inspection);
}

typedef struct request {
    const char *method;
    bool has_position;
    json_t *(*answer)(asked *about);
} request;

static const request requests[] = {{"textDocument/hover", true, hover},
                                   {"textDocument/definition", true, definition},
                                   {"textDocument/references", true, references},
                                   {"textDocument/documentHighlight", true, highlights},
                                   {"textDocument/prepareRename", true, rename_range},
                                   {"textDocument/rename", true, rename_name},
                                   {"textDocument/completion", true, completion},
                                   {"textDocument/documentSymbol", false, symbols},
                                   {"textDocument/formatting", false, formatting}};

static json_t *capabilities(void)
{
    enum { INCREMENTAL = 2 };
    return json_pack("{s:{s:s, s:{s:b, s:i}, s:b, s:b, s:b, s:b, s:b, s:b, s:{s:b}, s:{}}, s:{s:s, s:s}}",
                     "capabilities", "positionEncoding", "utf-16", "textDocumentSync", "openClose", 1, "change",
                     INCREMENTAL, "hoverProvider", 1, "definitionProvider", 1, "referencesProvider", 1,
                     "documentHighlightProvider", 1, "documentFormattingProvider", 1, "documentSymbolProvider", 1,
                     "renameProvider", "prepareProvider", 1, "completionProvider", "serverInfo", "name", "bmf",
                     "version", BMF_VERSION);
}

static void answer_about_text(server *s, const request *r, const json_t *id, const json_t *params)
{
    asked about = {.text = text_of(s, params), .at = -1, .params = params, .libraries = s->libraries};
    if (!about.text) {
        send_error(s, id, INVALID_PARAMS, "textDocument.uri is not that of an open text");
        return;
    }
    if (r->has_position)
        about.at = position_byte(about.text->bytes, about.text->size, json_object_get(params, "position"));
    if (r->has_position && about.at < 0) {
        send_error(s, id, INVALID_PARAMS, "position needs line and character, whole numbers from 0 on");
        return;
    }
    about.inspection = opened_inspection(about.text, s->libraries);
    json_t *answer = r->answer(&about);
    if (*about.why == '\0') {
        send_result(s, id, answer);
        return;
    }
    json_decref(answer);
    send_error(s, id, REQUEST_FAILED, about.why);
}

static void take_request(server *s, const char *method, const json_t *id, const json_t *params)
{
    char text[160];
    if (strcmp(method, "initialize") == 0) {
        if (s->initialized) {
            send_error(s, id, INVALID_REQUEST, "initialize was sent already");
            return;
        }
        s->initialized = true;
        send_result(s, id, capabilities());
        return;
    }
    if (!s->initialized) {
        send_error(s, id, SERVER_NOT_INITIALIZED, "initialize comes first");
        return;
    }
    if (s->shut_down) {
        send_error(s, id, INVALID_REQUEST, "only exit may follow shutdown");
        return;
    }
    if (strcmp(method, "shutdown") == 0) {
        s->shut_down = true;
        send_result(s, id, json_null());
        return;
    }
    for (size_t k = 0; k < sizeof requests / sizeof requests[0]; k++)
        if (strcmp(requests[k].method, method) == 0) {
            answer_about_text(s, &requests[k], id, params);
            return;
        }
    snprintf(text, sizeof text, "there is no method %.100s", method);
    send_error(s, id, METHOD_NOT_FOUND, text);
}

/* ---- messages ---- */

static bool is_id(const json_t *id)
{
    return json_is_string(id) || json_is_integer(id);
}

static void take_message(server *s, const json_t *message)
{
    const json_t *id = json_object_get(message, "id"), *params = json_object_get(message, "params");
    const char *method = json_string_value(json_object_get(message, "method")),
               *version = json_string_value(json_object_get(message, "jsonrpc"));
    if (json_is_object(message) && !json_object_get(message, "method") &&
        (json_object_get(message, "result") || json_object_get(message, "error")))
        return; /* an answer; nothing was asked */
    if (!method || !version || strcmp(version, "2.0") != 0 || (id && !is_id(id)) ||
        (params && !json_is_object(params) && !json_is_array(params)))
        send_error(s, is_id(id) ? id : NULL, INVALID_REQUEST,
                   "a message is an object with \"jsonrpc\": \"2.0\", a method, and params that are an object");
    else if (id)
        take_request(s, method, id, params);
    else
        take_notification(s, method, params);
}

int server_run(FILE *in, FILE *out, const bmf_strings *libraries)
{
    server s = {.out = out, .libraries = libraries};
    message_state state = MESSAGE_READ;
    while (!s.exits && !s.broken && state != MESSAGE_END) {
        json_t *message;
        state = message_read(in, &message);
        if (state == MESSAGE_READ)
            take_message(&s, message);
        else if (state == MESSAGE_BROKEN)
            send_error(&s, NULL, PARSE_ERROR, "no message: Content-Length, an empty line and JSON are expected");
        json_decref(message);
    }
    opened_free(&s.texts);
    return s.exits && s.shut_down && !s.broken ? 0 : 1;
}

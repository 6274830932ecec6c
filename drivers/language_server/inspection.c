/* Inspecting a text.
 *
 * Method: the text is parsed, translated and typed as bmf check does, while an observer notes the types of what is
 * typed, up to the first error of a type. Of syntax and names every definition has its first error. Patterns are noted
 * with the expressions that they are bound to.
 * Cost: that of bmf check. */
#include "drivers/language_server/inspection.h"

#include <stdlib.h>
#include <string.h>

#include "drivers/command/json.h"
#include "drivers/language_server/position.h"
#include "drivers/notation/broadcasts.h"
#include "runtime/base/array.h"
#include "skeletons/language/argument_declared.h"
#include "skeletons/language/front/data.h"
#include "skeletons/language/notation/lexer.h"
#include "skeletons/language/types/check.h"
#include "skeletons/language/types/extents.h"

enum { MAX_TYPES = 200000, DIAGNOSTIC_ERROR = 1, DIAGNOSTIC_INFORMATION = 3, DIAGNOSTIC_HINT = 4 };

const bmf_text *inspection_text(const inspection *of)
{
    return &of->document.texts.text[of->document.text];
}

const notation_text *inspection_syntax(const inspection *of)
{
    return of->document.notation ? &of->document.syntax[of->document.text] : NULL;
}

/* ---- types ---- */

static void note(inspection *a, inspection_type seen)
{
    if (a->types < MAX_TYPES)
        *ARRAY_APPEND(a->type, a->types, a->capacity) = seen;
}

static bool stands_there(const bmf_text *text, bmf_span span, const char *name)
{
    const size_t size = strlen(name);
    return span.begin >= 0 && span.end <= text->size && span.end - span.begin == (int64_t)size &&
           memcmp(text->bytes + span.begin, name, size) == 0;
}

/* Patterns also have the names that are handed on from outside, which are bound elsewhere. */
static void note_names(inspection *a, const bmf_binding *pattern, const bmf_type *type)
{
    if (pattern->name && pattern->span.text == a->document.text &&
        stands_there(inspection_text(a), pattern->span, pattern->name))
        note(a, (inspection_type){pattern->span, NULL, type, type});
    for (int k = 0; k < pattern->parts && type->kind == BMF_TUPLE && k < type->components; k++)
        note_names(a, pattern->part[k], type->component[k]);
}

static void note_expression(void *state, const bmf_expression *expression, const bmf_type *in, const bmf_type *out)
{
    inspection *a = state;
    for (const bmf_binding *binding = expression->binding; binding; binding = binding->also)
        note_names(a, binding, in);
    for (const bmf_binding *binding = expression->result; out && binding; binding = binding->also)
        note_names(a, binding, out);
    if (out && expression->span.text == a->document.text)
        note(a, (inspection_type){expression->span, expression, in, out});
}

static int check(inspection *a)
{
    const document *d = &a->document;
    const bmf_type_observer observer = {note_expression, a};
    const bmf_extent *extent = NULL;
    bmf_argument argument = {.type = &bmf_type_int};
    if (!d->parsed.expression)
        return BMF_OK;
    if (d->parsed.has_data) {
        BMF_TRY(data_parse(NULL, &d->texts, d->parsed.data, &argument.type, &argument.column));
        const int status = arguments_declare(NULL, &d->texts, &d->parsed, NULL, &argument, 1);
        extent = extent_of_column(d->arena, &argument.column);
        column_free(&argument.column);
        BMF_TRY(status);
    } else if (!d->parsed.is_constant) {
        argument.type = declared_whole(&d->parsed);
    }
    if (!argument.type)
        return BMF_OK;
    a->typed = true;
    BMF_TRY(check_types_observed(NULL, &d->texts, d->arena, &d->library, d->parsed.expression, argument.type, &observer,
                                 NULL, &a->checked));
    a->shapes.text = d->text;
    return extents_check(NULL, &d->texts, d->arena, a->checked, extent, &(bmf_extent_observer){shapes_note, &a->shapes},
                         NULL);
}

inspection *inspection_create(const char *name, const char *bytes, int64_t size, const bmf_strings *libraries)
{
    inspection *made = allocate_clear(1, sizeof *made);
    int status = document_open_text(name, bytes, size, libraries, &made->failures, &made->document);
    if (status == BMF_OK)
        status = check(made);
    made->failed = status != BMF_OK;
    return made;
}

void inspection_free(inspection *made)
{
    if (!made)
        return;
    document_close(&made->document);
    free(made->failures.failure);
    free(made->type);
    shapes_free(&made->shapes);
    free(made);
}

/* Appends a type's words unless they are there. */
static void add_words(const inspection_type *type, bool arrow, char *words, size_t size)
{
    char out[256], in[256], all[520];
    bmf_type_print(type->out, out, sizeof out);
    bmf_type_print(type->in, in, sizeof in);
    snprintf(all, sizeof all, arrow ? "%s -> %s" : "%s%s", arrow ? in : "", out);
    if (strstr(words, all))
        return;
    const size_t used = strlen(words);
    snprintf(words + used, size - used, "%s%s", used > 0 ? " or " : "", all);
}

static bool is_of(const inspection_type *type, bmf_span span, bool name)
{
    return type->span.begin == span.begin && type->span.end == span.end && name == !type->expression;
}

/* Inner expressions come first, so the outermost with a span is the last one. */
char *inspection_words(const inspection *of, bmf_span span, bool name, bool arrow, char *words, size_t size)
{
    const inspection_type *last = NULL;
    words[0] = '\0';
    for (int k = 0; k < of->types; k++) {
        if (!is_of(&of->type[k], span, name))
            continue;
        last = &of->type[k];
        if (name)
            add_words(last, arrow, words, size);
    }
    if (last && !name)
        add_words(last, arrow, words, size);
    if (last && !name && !arrow)
        shapes_append(&of->shapes, span, words, size);
    return last ? words : NULL;
}

/* ---- diagnostics ---- */

static json_t *diagnostic(const bmf_text *text, bmf_span span, int severity, const char *message)
{
    return json_pack("{s:o, s:i, s:s, s:o}", "range", position_range(text, span), "severity", severity, "source", "bmf",
                     "message", json_text(message));
}

/* A place between two characters is shown by the character behind it. */
static bmf_span shown(const bmf_text *text, bmf_span span)
{
    if (span.begin == span.end && span.begin < text->size && text->bytes[span.begin] != '\n')
        span.end++;
    return span;
}

/* What is in no place of the text is shown at its head. */
static json_t *error_at_head(const inspection *of, const char *message)
{
    return diagnostic(inspection_text(of), (bmf_span){of->document.text, 0, 0}, DIAGNOSTIC_ERROR, message);
}

static json_t *error(const inspection *of, const bmf_text_failure *failure)
{
    char message[800];
    const bmf_span span = failure->span;
    const document *d = &of->document;
    const bmf_text *text = inspection_text(of);
    if (d->syntax && span.text == d->text)
        return diagnostic(text, shown(text, span), DIAGNOSTIC_ERROR, failure->message);
    if (span.text < 0)
        return error_at_head(of, failure->message);
    int64_t line, column;
    text_place(&d->texts.text[span.text], span.begin, &line, &column);
    snprintf(message, sizeof message, "%.200s:%lld:%lld: %s", d->texts.text[span.text].name, (long long)line,
             (long long)column, failure->message);
    return error_at_head(of, message);
}

typedef struct broadcast_notes {
    const inspection *of;
    json_t *all;
} broadcast_notes;

static void add_broadcast(void *state, const bmf_expression *distl, const char *message)
{
    const broadcast_notes *notes = state;
    if (distl->span.text == notes->of->document.text)
        json_array_append_new(notes->all,
                              diagnostic(inspection_text(notes->of), distl->span, DIAGNOSTIC_INFORMATION, message));
}

static bool is_blank(const bmf_text *text)
{
    return notation_next(text, 0).kind == NOTATION_TOKEN_END;
}

json_t *inspection_diagnostics(const inspection *of)
{
    json_t *all = json_array();
    const document *d = &of->document;
    if (d->syntax && is_blank(inspection_text(of)))
        return all;
    for (int k = 0; k < of->failures.count; k++)
        json_array_append_new(all, error(of, &of->failures.failure[k]));
    if (of->failed && of->failures.count == 0)
        json_array_append_new(all, error_at_head(of, bmf_error_text(NULL)));
    else if (!of->failed && d->notation && d->parsed.expression && !of->typed)
        json_array_append_new(all, diagnostic(inspection_text(of), inspection_syntax(of)->main.span, DIAGNOSTIC_HINT,
                                              "types are checked if main declares them, main(xs: [real]), or has an "
                                              "example of its argument behind it: default DATA"));
    broadcast_notes notes = {of, all};
    if (of->checked)
        broadcasts_each(of->checked, add_broadcast, &notes);
    return all;
}

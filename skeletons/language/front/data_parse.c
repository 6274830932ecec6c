/* Data as text: parsing.
 *
 * Method: one pass that writes values straight into the growing columns of a builder, whose type takes shape on the
 * way: a builder is nothing until its first value; a column of ints turns into one of reals, in place, when it meets
 * a real. Columns grow by reallocation, which moves pages rather than bytes when they are big, and are copied once at
 * the end, one by one, to buffers of their own size. Recursion is as deep as the data's nesting, which is limited.
 * Cost: O(bytes). Memory: at most twice the columns and, for a moment, their largest leaf. */
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "skeletons/language/front/data.h"
#include "skeletons/language/front/fields.h"
#include "skeletons/language/front/parse.h"
#include "skeletons/language/front/lexer.h"

/* A column under construction. */
typedef struct builder builder;
struct builder {
    bmf_type_kind kind; /* BMF_NOTHING: no value yet */
    int64_t count;
    char *data;       /* scalars: values; lists: ends of the lists */
    int64_t capacity; /* bytes */
    int components;
    builder *child;
    char *fields; /* of a record: "x,y"; NULL: a tuple */
};

typedef struct reader {
    bmf_context *ctx;
    const bmf_texts *texts;
    const bmf_text *text;
    int number; /* of the text */
    int64_t at, end;
    int nesting;
    int status;
} reader;

static bool read_value(reader *r, builder *b);

static void free_builder(builder *b)
{
    for (int k = 0; k < b->components; k++)
        free_builder(&b->child[k]);
    free(b->child);
    free(b->data);
    free(b->fields);
    *b = (builder){.kind = BMF_NOTHING};
}

__attribute__((format(printf, 5, 6))) static bool fail(reader *r, int64_t begin, int64_t end, int status,
                                                       const char *format, ...)
{
    char message[500];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    r->status = text_fail(r->texts, r->ctx, (bmf_span){r->number, begin, end}, status, "%s", message);
    return false;
}

static bool fail_token(reader *r, bmf_token token, const char *expected)
{
    char found[64];
    token_print(r->text, token, found);
    return fail(r, token.begin, token.end, BMF_ERROR_USAGE, "%s expected, found %s", expected, found);
}

/* The next token inside the span. */
static bmf_token peek(const reader *r)
{
    bmf_token token = token_next(r->text, r->at);
    return token.begin < r->end ? token : (bmf_token){BMF_TOKEN_END, r->end, r->end};
}

/* Skips blanks; the next byte, or 0 at the end. The way without a token for the usual bytes. */
static int next_byte(reader *r)
{
    const char *bytes = r->text->bytes;
    while (r->at < r->end && (bytes[r->at] == ' ' || bytes[r->at] == '\n'))
        r->at++;
    if (r->at < r->end && (unsigned char)bytes[r->at] > ' ' && bytes[r->at] != '#')
        return bytes[r->at];
    r->at = peek(r).begin;
    return r->at < r->end ? bytes[r->at] : 0;
}

static const bmf_type *type_of(const builder *b)
{
    const bmf_type *component[BMF_MAX_LEAVES];
    static const bmf_type *const scalar[] = {&bmf_type_int, &bmf_type_real, &bmf_type_bool};
    if (b->kind == BMF_NOTHING)
        return &bmf_type_nothing;
    if (b->kind <= BMF_BOOL)
        return scalar[b->kind];
    for (int k = 0; k < b->components; k++)
        component[k] = type_of(&b->child[k]);
    if (b->kind == BMF_LIST)
        return bmf_type_list(component[0]);
    const bmf_type *tuple = bmf_type_tuple(b->components, component);
    return b->fields ? type_with_fields(tuple, b->fields) : tuple;
}

/* A value of another type than those before it: reads it aside, to be able to name its type. */
static bool fail_mixed(reader *r, const builder *b)
{
    builder other = {.kind = BMF_NOTHING};
    int64_t begin = r->at;
    char before[160], here[160];
    if (read_value(r, &other)) {
        bmf_type_print(type_of(b), before, sizeof before);
        bmf_type_print(type_of(&other), here, sizeof here);
        fail(r, begin, r->at, BMF_ERROR_TYPE, "elements of a list have one type: found %s after %s", here, before);
    }
    free_builder(&other);
    return false;
}

static bool grow(reader *r, builder *b, int64_t bytes)
{
    int64_t capacity = b->capacity > 0 ? b->capacity * 2 : 64;
    char *grown = realloc(b->data, (size_t)capacity);
    if (!grown) {
        r->status = bmf_fail(r->ctx, BMF_ERROR_MEMORY, "out of memory for data: a column of %" PRId64 " bytes", bytes);
        return false;
    }
    b->data = grown;
    b->capacity = capacity;
    return true;
}

static bool put_wide(reader *r, builder *b, const void *value)
{
    int64_t used = b->count * 8;
    if (used == b->capacity && !grow(r, b, used))
        return false;
    memcpy(b->data + used, value, 8);
    b->count++;
    return true;
}

static bool put_bool(reader *r, builder *b, bool value)
{
    if (b->kind == BMF_NOTHING)
        b->kind = BMF_BOOL;
    if (b->count == b->capacity && !grow(r, b, b->count))
        return false;
    b->data[b->count++] = value;
    return true;
}

static bool put_int(reader *r, builder *b, int64_t value)
{
    double real = (double)value;
    if (b->kind == BMF_NOTHING)
        b->kind = BMF_INT;
    return put_wide(r, b, b->kind == BMF_REAL ? (const void *)&real : &value);
}

static bool put_real(reader *r, builder *b, double value)
{
    for (int64_t i = 0; b->kind == BMF_INT && i < b->count; i++) {
        int64_t integer;
        memcpy(&integer, b->data + i * 8, 8);
        memcpy(b->data + i * 8, &(double){(double)integer}, 8);
    }
    b->kind = BMF_REAL;
    return put_wide(r, b, &value);
}

static bool takes_numbers(const builder *b)
{
    return b->kind == BMF_NOTHING || b->kind == BMF_INT || b->kind == BMF_REAL;
}

static bool put_number(reader *r, builder *b, bmf_token token)
{
    char found[64];
    bmf_constant constant;
    if (!takes_numbers(b))
        return fail_mixed(r, b);
    const char *wrong = number_read(r->text->bytes + token.begin, token.end - token.begin, false, &constant);
    if (wrong)
        return fail(r, token.begin, token.end, BMF_ERROR_USAGE, "%s %s", token_print(r->text, token, found), wrong);
    r->at = token.end;
    return constant.kind == BMF_INT ? put_int(r, b, constant.integer) : put_real(r, b, constant.real);
}

static bool put_word(reader *r, builder *b, bmf_token token)
{
    bool yes = token_is(r->text, token, "true") || token_is(r->text, token, "B_True");
    bool no = token_is(r->text, token, "false") || token_is(r->text, token, "B_False");
    if (token_is(r->text, token, "inf") || token_is(r->text, token, "nan"))
        return put_number(r, b, token);
    if (!yes && !no)
        return fail_token(r, token, "data");
    if (b->kind != BMF_NOTHING && b->kind != BMF_BOOL)
        return fail_mixed(r, b);
    r->at = token.end;
    return put_bool(r, b, yes);
}

static bool open_bracket(reader *r, int64_t *opened)
{
    *opened = r->at;
    if (r->nesting == BMF_MAX_NESTING)
        return fail(r, r->at, r->at + 1, BMF_ERROR_USAGE, "brackets are nested more than %d deep", BMF_MAX_NESTING);
    r->nesting++;
    r->at++;
    return true;
}

static bool fail_open(reader *r, int64_t opened, int close)
{
    int64_t line, column;
    char expected[80];
    text_place(r->text, opened, &line, &column);
    snprintf(expected, sizeof expected, "',' or '%c' for the '%c' at %" PRId64 ":%" PRId64, close,
             r->text->bytes[opened], line, column);
    return fail_token(r, peek(r), expected);
}

/* Behind an element: a comma (more elements), or the closing bracket (*done). */
static bool next_element(reader *r, int64_t opened, int close, bool *done)
{
    int byte = next_byte(r);
    if (byte != ',' && byte != close)
        return fail_open(r, opened, close);
    r->at++;
    *done = byte == close;
    r->nesting -= *done;
    return true;
}

static bool read_elements(reader *r, builder *child, int64_t opened)
{
    bool done = next_byte(r) == ']';
    if (done) {
        r->at++;
        r->nesting--;
    }
    while (!done)
        if (!read_value(r, child) || !next_element(r, opened, ']', &done))
            return false;
    return true;
}

static bool read_list(reader *r, builder *b)
{
    int64_t opened;
    if (b->kind == BMF_NOTHING) {
        b->kind = BMF_LIST;
        b->components = 1;
        b->child = allocate(sizeof *b->child);
        b->child[0] = (builder){.kind = BMF_NOTHING};
    }
    return open_bracket(r, &opened) && read_elements(r, &b->child[0], opened) && put_wide(r, b, &b->child[0].count);
}

static bool fail_components(reader *r, const builder *b, int64_t opened, const char *found)
{
    return fail(r, opened, r->at, BMF_ERROR_TYPE,
                "elements of a list have one type: found a tuple of %s components after one of %d", found,
                b->components);
}

/* The name before a component, if it has one: x: .. */
static bool name_ahead(reader *r, bmf_token *name)
{
    const int byte = next_byte(r);
    if (byte != '_' && !isalpha((unsigned char)byte))
        return false;
    *name = peek(r);
    const bmf_token behind = token_next(r->text, name->end);
    return behind.begin < r->end && r->text->bytes[behind.begin] == ':';
}

static bool fail_field(reader *r, const char *expected)
{
    const bmf_token found = peek(r);
    char words[64];
    return fail(r, found.begin, found.end, BMF_ERROR_USAGE, "%s expected, found %s", expected,
                token_print(r->text, found, words));
}

/* The name of component k of a record whose components have these names so far; of the first record of its place
 * (`first`) it is added to them. */
static bool read_field(reader *r, char fields[FIELDS_BYTES], int k, bool first)
{
    bmf_token name;
    int size;
    char words[FIELD_BYTES + 20];
    const char *wanted = first ? NULL : field_in(fields, k, &size);
    if (wanted)
        snprintf(words, sizeof words, "the field %.*s", size, wanted);
    if (!name_ahead(r, &name))
        return fail_field(r, wanted ? words : "the name of a field (x: ..)");
    const char *text = r->text->bytes + name.begin;
    if (wanted && (name.end - name.begin != size || memcmp(text, wanted, (size_t)size) != 0))
        return fail_field(r, words);
    const char *fault = first ? fields_add(fields, text, name.end - name.begin) : NULL;
    if (fault)
        return fail(r, name.begin, name.end, BMF_ERROR_USAGE, "the field %.*s %s",
                    (int)(name.end - name.begin < 40 ? name.end - name.begin : 40), text, fault);
    r->at = token_next(r->text, name.end).begin + 1;
    return true;
}

/* The first tuple of its place says how many components there are, and what they are called. */
static bool read_first_tuple(reader *r, builder *b, int64_t opened)
{
    bool done = false;
    bmf_token name;
    b->kind = BMF_TUPLE;
    b->child = allocate(BMF_MAX_LEAVES * (int64_t)sizeof *b->child);
    if (name_ahead(r, &name))
        b->fields = allocate_clear(FIELDS_BYTES, 1);
    while (!done) {
        if (b->components == BMF_MAX_LEAVES)
            return fail(r, r->at, r->at, BMF_ERROR_USAGE, "a tuple has at most %d components", BMF_MAX_LEAVES);
        if (b->fields && !read_field(r, b->fields, b->components, true))
            return false;
        builder *child = &b->child[b->components++];
        *child = (builder){.kind = BMF_NOTHING};
        if (!read_value(r, child) || !next_element(r, opened, '}', &done))
            return false;
    }
    return true;
}

static bool read_other_tuple(reader *r, builder *b, int64_t opened)
{
    bool done = false;
    for (int k = 0; !done; k++) {
        if (k == b->components)
            return fail_components(r, b, opened, "more");
        if (b->fields && !read_field(r, b->fields, k, false))
            return false;
        if (!read_value(r, &b->child[k]) || !next_element(r, opened, '}', &done))
            return false;
        if (done && k < b->components - 1)
            return fail_components(r, b, opened, "fewer");
    }
    return true;
}

static bool read_tuple(reader *r, builder *b)
{
    int64_t opened;
    if (!open_bracket(r, &opened))
        return false;
    if (next_byte(r) == '}')
        return fail(r, opened, r->at + 1, BMF_ERROR_USAGE, "a tuple has at least one component");
    if (!(b->kind == BMF_NOTHING ? read_first_tuple(r, b, opened) : read_other_tuple(r, b, opened)))
        return false;
    b->count++;
    return true;
}

/* An int of at most 18 digits, without a token: most of the bytes of most data. */
static bool read_plain_int(reader *r, builder *b, bool *put)
{
    const char *bytes = r->text->bytes;
    int64_t at = r->at, value = 0, first = at + (bytes[at] == '-');
    for (at = first; at < r->end && bytes[at] >= '0' && bytes[at] <= '9' && at - first < 18; at++)
        value = value * 10 + (bytes[at] - '0');
    bool plain =
        at > first && at < r->end && (bytes[at] == ',' || bytes[at] == ']' || bytes[at] == '}' || bytes[at] == ' ');
    if (!plain || !takes_numbers(b))
        return false;
    *put = put_int(r, b, first > r->at ? -value : value);
    r->at = at;
    return true;
}

static bool read_value(reader *r, builder *b)
{
    int byte = next_byte(r);
    bool put;
    if (byte == '[')
        return b->kind == BMF_NOTHING || b->kind == BMF_LIST ? read_list(r, b) : fail_mixed(r, b);
    if (byte == '{')
        return b->kind == BMF_NOTHING || b->kind == BMF_TUPLE ? read_tuple(r, b) : fail_mixed(r, b);
    if (read_plain_int(r, b, &put))
        return put;
    bmf_token token = peek(r);
    if (token.kind == BMF_TOKEN_NUMBER)
        return put_number(r, b, token);
    if (byte == '"' || byte == '\'')
        return fail(r, token.begin, token.end, BMF_ERROR_USAGE,
                    "there are no texts (strings); data are numbers, bools, tuples and lists");
    return token.kind == BMF_TOKEN_WORD ? put_word(r, b, token) : fail_token(r, token, "data");
}

/* A column's type cannot be nothing: places without values have ints. */
static const bmf_type *filled(const bmf_type *type)
{
    const bmf_type *component[BMF_MAX_LEAVES];
    if (type->kind == BMF_NOTHING)
        return &bmf_type_int;
    if (type->components == 0)
        return type;
    for (int k = 0; k < type->components; k++)
        component[k] = filled(type->component[k]);
    return type->kind == BMF_LIST ? bmf_type_list(component[0]) : bmf_type_tuple(type->components, component);
}

/* Moves the values of a scalar builder, or the ends of its lists behind a first 0, to a buffer; frees the builder's
 * own. */
static int move_data(bmf_context *ctx, builder *b, int64_t width, bool list, bmf_column *column)
{
    int64_t bytes = b->count * width;
    if (bytes == 0 && !list)
        return BMF_OK;
    column->buffer = buffer_create(bytes + (list ? 8 : 0));
    if (!column->buffer)
        return bmf_fail(ctx, BMF_ERROR_MEMORY, "out of memory for data: a column of %" PRId64 " bytes", bytes);
    char *to = column->buffer->data;
    if (list) {
        column->offsets = column->buffer->data;
        column->offsets[0] = 0;
        to += 8;
    } else {
        column->data = to;
    }
    if (bytes > 0)
        memcpy(to, b->data, (size_t)bytes);
    free(b->data);
    b->data = NULL;
    return BMF_OK;
}

/* The column of a builder. On failure what is made of it is the caller's to free. */
static int finish(bmf_context *ctx, builder *b, const bmf_type *type, bmf_column *column)
{
    *column = (bmf_column){.type = type, .count = b->count, .stride = type->size};
    if (type->kind != BMF_TUPLE)
        BMF_TRY(move_data(ctx, b, type->kind == BMF_LIST ? 8 : type->size, type->kind == BMF_LIST, column));
    if (type->components == 0)
        return BMF_OK;
    column->child = allocate_clear(type->components, sizeof *column->child);
    for (int k = 0; k < type->components; k++)
        BMF_TRY(finish(ctx, &b->child[k], type->component[k], &column->child[k]));
    return BMF_OK;
}

static int finish_all(reader *r, builder *b, const bmf_type **type, bmf_column *column)
{
    bmf_column made;
    const bmf_type *found = type_of(b);
    int status = finish(r->ctx, b, filled(type_without_fields(found)), &made);
    if (status != BMF_OK) {
        column_free(&made);
        return status;
    }
    *type = found;
    *column = made;
    return BMF_OK;
}

int data_parse(bmf_context *ctx, const bmf_texts *texts, bmf_span span, const bmf_type **type, bmf_column *column)
{
    builder b = {.kind = BMF_NOTHING};
    reader r = {ctx, texts, &texts->text[span.text], span.text, span.begin, span.end, 0, BMF_OK};
    if (read_value(&r, &b)) {
        bmf_token rest = peek(&r);
        if (rest.kind == BMF_TOKEN_END)
            r.status = finish_all(&r, &b, type, column);
        else
            fail_token(&r, rest, "the end of the data");
    }
    free_builder(&b);
    return r.status;
}

/* Values of the interpreter: memory, symbols, lists, texts, errors. Method: values are never freed one by one, but all
 * at once with the interpreter; symbols are found by hashing. Cost: constant for each value. */
#include "predict/cop/lisp_private.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bmf/status.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/base/hash.h"

enum { CHUNK = 1 << 16, ALIGNMENT = 16, NAME_SHOWN = 80 };

/* ---- memory ---- */

bmf_lisp *lisp_create(const char *path, void *host)
{
    bmf_lisp *lisp = allocate_clear(1, sizeof *lisp);
    lisp->path = path;
    lisp->host = host;
    lisp_define_forms(lisp);
    lisp_define_functions(lisp);
    return lisp;
}

void lisp_free(bmf_lisp *lisp)
{
    if (!lisp)
        return;
    for (int64_t k = 0; k < lisp->chunks; k++)
        free(lisp->chunk[k]);
    free(lisp->chunk);
    free(lisp->symbol);
    table_free(&lisp->names);
    free(lisp);
}

void *lisp_allocate(bmf_lisp *lisp, int64_t size)
{
    size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (lisp->used + size > lisp->room) {
        lisp->room = size > CHUNK ? size : CHUNK;
        lisp->used = 0;
        *ARRAY_APPEND(lisp->chunk, lisp->chunks, lisp->chunk_capacity) = allocate_clear(1, lisp->room);
    }
    char *memory = lisp->chunk[lisp->chunks - 1] + lisp->used;
    lisp->used += size;
    return memory;
}

void *lisp_host(const bmf_lisp *lisp)
{
    return lisp->host;
}

/* ---- values ---- */

bmf_lisp_value *lisp_new(bmf_lisp *lisp, bmf_lisp_kind kind)
{
    bmf_lisp_value *value = lisp_allocate(lisp, sizeof *value);
    value->kind = kind;
    return value;
}

const bmf_lisp_value *lisp_integer(bmf_lisp *lisp, int64_t integer)
{
    bmf_lisp_value *value = lisp_new(lisp, BMF_LISP_INTEGER);
    value->integer = integer;
    return value;
}

const bmf_lisp_value *lisp_real(bmf_lisp *lisp, double real)
{
    bmf_lisp_value *value = lisp_new(lisp, BMF_LISP_REAL);
    value->real = real;
    return value;
}

const bmf_lisp_value *lisp_object(bmf_lisp *lisp, void *object)
{
    bmf_lisp_value *value = lisp_new(lisp, BMF_LISP_OBJECT);
    value->object = object;
    return value;
}

const bmf_lisp_value *lisp_boolean(bmf_lisp *lisp, bool is_true)
{
    return is_true ? lisp_symbol_value(lisp, "t") : NULL;
}

int lisp_cons(bmf_lisp *lisp, const bmf_lisp_value *first, const bmf_lisp_value *rest, const bmf_lisp_value **value)
{
    const int inside = lisp_is(first, BMF_LISP_CONS) ? first->depth + 1 : 1;
    const int behind = lisp_is(rest, BMF_LISP_CONS) ? rest->depth : 0;
    if (++lisp->cells > BMF_LISP_CELLS)
        return lisp_fail(lisp, "lists of more than %" PRId64 " elements in all", BMF_LISP_CELLS);
    if (inside > BMF_LISP_DEPTH) /* what compares lists calls itself so often */
        return lisp_fail(lisp, "lists inside each other deeper than %d", BMF_LISP_DEPTH);
    bmf_lisp_value *cons = lisp_new(lisp, BMF_LISP_CONS);
    cons->line = lisp->place.line;
    cons->column = lisp->place.column;
    cons->depth = inside > behind ? inside : behind;
    cons->cons.first = first;
    cons->cons.rest = rest;
    *value = cons;
    return BMF_OK;
}

int lisp_list(bmf_lisp *lisp, int64_t count, const bmf_lisp_value *const *element, const bmf_lisp_value **list)
{
    *list = NULL;
    for (int64_t k = count - 1; k >= 0; k--)
        BMF_TRY(lisp_cons(lisp, element[k], *list, list));
    return BMF_OK;
}

int lisp_integers(bmf_lisp *lisp, int64_t count, const int64_t *integer, const bmf_lisp_value **list)
{
    *list = NULL;
    for (int64_t k = count - 1; k >= 0; k--)
        BMF_TRY(lisp_cons(lisp, lisp_integer(lisp, integer[k]), *list, list));
    return BMF_OK;
}

int64_t lisp_length(const bmf_lisp_value *list)
{
    int64_t length = 0;
    for (; lisp_is(list, BMF_LISP_CONS); list = list->cons.rest)
        length++;
    return length;
}

bool lisp_equal(const bmf_lisp_value *a, const bmf_lisp_value *b)
{
    for (; lisp_is(a, BMF_LISP_CONS) && lisp_is(b, BMF_LISP_CONS); a = a->cons.rest, b = b->cons.rest)
        if (!lisp_equal(a->cons.first, b->cons.first))
            return false;
    if (a == b)
        return true;
    if (!a || !b || a->kind != b->kind)
        return false;
    switch (a->kind) {
    case BMF_LISP_INTEGER:
        return a->integer == b->integer;
    case BMF_LISP_REAL:
        return a->real <= b->real && a->real >= b->real;
    case BMF_LISP_STRING:
        return strcmp(a->text, b->text) == 0;
    case BMF_LISP_SYMBOL:
        return a->symbol == b->symbol;
    case BMF_LISP_FUNCTION:
        return a->function == b->function;
    case BMF_LISP_OBJECT:
        return a->object == b->object;
    case BMF_LISP_CONS:
        break;
    }
    return false;
}

/* ---- symbols ---- */

typedef struct wanted_symbol {
    const bmf_lisp *lisp;
    const char *name;
} wanted_symbol;

static bool is_symbol(const void *wanted, uint32_t number)
{
    const wanted_symbol *w = wanted;
    return strcmp(w->lisp->symbol[number]->name, w->name) == 0;
}

bmf_lisp_symbol *lisp_symbol(bmf_lisp *lisp, const char *name)
{
    const wanted_symbol wanted = {lisp, name};
    const uint64_t hash = hash_text(name);
    const int64_t known = table_find(&lisp->names, hash, is_symbol, &wanted);
    if (known != TABLE_NONE)
        return lisp->symbol[known];
    table_make_room(&lisp->names, lisp->symbols + 1);
    table_add(&lisp->names, hash, (uint32_t)lisp->symbols);
    bmf_lisp_symbol *symbol = lisp_allocate(lisp, sizeof *symbol);
    const size_t size = strlen(name) + 1;
    symbol->name = memcpy(lisp_allocate(lisp, (int64_t)size), name, size);
    *ARRAY_APPEND(lisp->symbol, lisp->symbols, lisp->symbol_capacity) = symbol;
    return symbol;
}

const bmf_lisp_value *lisp_symbol_value(bmf_lisp *lisp, const char *name)
{
    bmf_lisp_value *value = lisp_new(lisp, BMF_LISP_SYMBOL);
    value->symbol = lisp_symbol(lisp, name);
    return value;
}

void lisp_define_symbol(bmf_lisp *lisp, const char *name)
{
    bmf_lisp_symbol *symbol = lisp_symbol(lisp, name);
    symbol->value = lisp_symbol_value(lisp, name);
    symbol->bound = true;
}

void lisp_define_builtin(bmf_lisp *lisp, const char *name, int min, int max, bmf_lisp_builtin *builtin)
{
    bmf_lisp_symbol *symbol = lisp_symbol(lisp, name);
    bmf_lisp_function *function = lisp_allocate(lisp, sizeof *function);
    *function = (bmf_lisp_function){.name = symbol->name, .min = min, .max = max, .builtin = builtin};
    bmf_lisp_value *value = lisp_new(lisp, BMF_LISP_FUNCTION);
    value->function = function;
    symbol->value = value;
    symbol->bound = true;
}

/* ---- texts ---- */

static void add_text(char *text, size_t size, const char *more)
{
    const size_t used = strlen(text);
    if (used + 1 < size)
        snprintf(text + used, size - used, "%s", more);
}

static void write_value(const bmf_lisp_value *value, char *text, size_t size, int depth)
{
    char number[32];
    if (!value) {
        add_text(text, size, "nil");
        return;
    }
    switch (value->kind) {
    case BMF_LISP_INTEGER:
        snprintf(number, sizeof number, "%" PRId64, value->integer);
        add_text(text, size, number);
        break;
    case BMF_LISP_REAL:
        snprintf(number, sizeof number, "%.17g", value->real);
        add_text(text, size, number);
        break;
    case BMF_LISP_SYMBOL:
        add_text(text, size, value->symbol->name);
        break;
    case BMF_LISP_STRING:
        add_text(text, size, "\"");
        add_text(text, size, value->text);
        add_text(text, size, "\"");
        break;
    case BMF_LISP_FUNCTION:
        add_text(text, size, "a function");
        break;
    case BMF_LISP_OBJECT:
        add_text(text, size, "an operator or (runtime)");
        break;
    case BMF_LISP_CONS:
        if (depth == 0 || strlen(text) + 1 >= size) {
            add_text(text, size, "(..)");
            return;
        }
        add_text(text, size, "(");
        for (bool first = true; lisp_is(value, BMF_LISP_CONS) && strlen(text) + 1 < size; first = false) {
            add_text(text, size, first ? "" : " ");
            write_value(value->cons.first, text, size, depth - 1);
            value = value->cons.rest;
        }
        add_text(text, size, ")");
        break;
    }
}

char *lisp_text(const bmf_lisp_value *value, char *text, size_t size)
{
    enum { DEPTH_SHOWN = 20 };
    text[0] = '\0';
    write_value(value, text, size, DEPTH_SHOWN);
    return text;
}

/* ---- whole numbers ---- */

int lisp_take_integer(bmf_lisp *lisp, const bmf_lisp_value *value, const char *what, int64_t *integer)
{
    char text[NAME_SHOWN];
    *integer = 0;
    if (!lisp_is(value, BMF_LISP_INTEGER))
        return lisp_fail(lisp, "%s is to be a whole number, not %s", what, lisp_text(value, text, sizeof text));
    *integer = value->integer;
    return BMF_OK;
}

int lisp_take_integers(bmf_lisp *lisp, const bmf_lisp_value *list, const char *what, int64_t *count,
                       const int64_t **integer)
{
    char text[NAME_SHOWN];
    *count = 0;
    *integer = NULL;
    if (list && list->kind != BMF_LISP_CONS)
        return lisp_fail(lisp, "%s is wanted, not %s", what, lisp_text(list, text, sizeof text));
    *count = lisp_length(list);
    int64_t *taken = lisp_allocate(lisp, (*count + 1) * (int64_t)sizeof *taken);
    for (int64_t k = 0; k < *count; k++, list = list->cons.rest) {
        if (!lisp_is(list->cons.first, BMF_LISP_INTEGER))
            return lisp_fail(lisp, "%s holds %s", what, lisp_text(list->cons.first, text, sizeof text));
        taken[k] = list->cons.first->integer;
    }
    *integer = taken;
    return BMF_OK;
}

/* ---- errors ---- */

bmf_lisp_place lisp_place(const bmf_lisp *lisp)
{
    return lisp->place;
}

void lisp_set_place(bmf_lisp *lisp, bmf_lisp_place place)
{
    if (place.line > 0)
        lisp->place = place;
}

static int fail_there(const bmf_lisp *lisp, bmf_lisp_place place, const char *format, va_list arguments)
{
    char text[600];
    vsnprintf(text, sizeof text, format, arguments);
    return bmf_fail(NULL, BMF_ERROR_FILE, "%s:%d:%d: %s", lisp->path, place.line, place.column, text);
}

int lisp_fail(const bmf_lisp *lisp, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int status = fail_there(lisp, lisp->place, format, arguments);
    va_end(arguments);
    return status;
}

int lisp_fail_at(const bmf_lisp *lisp, bmf_lisp_place place, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int status = fail_there(lisp, place, format, arguments);
    va_end(arguments);
    return status;
}

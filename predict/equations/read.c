/* Files of equations: reading them with what they include, and everything about them that is not about values.
 *
 * A definition of a file hides those of files that it includes; so does one of a machine given beside it
 * (settings.sheet). A file that is included twice is read once. */
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "predict/config/installed.h"
#include "predict/equations/equations_private.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/base/edit_distance.h"
#include "runtime/base/hash.h"
#include "runtime/base/near_names.h"
#include "runtime/base/text.h"

/* Depths: the file 0, a machine beside it and what that includes from 1 on, what the file includes from INCLUDED on. */
enum { MACHINE = 1, INCLUDED = 1000, INCLUDE_DEPTH = 20, MAX_BYTES = 1 << 24, PLACE = 300, REASON = 800 };

static const bmf_installed models = {"model", "models", ".model", "BMF_MODELS"};
static const bmf_installed sheets = {"sheet", "sheets", ".sheet", "BMF_SHEETS"};

int64_t equations_installed(char ***name)
{
    return installed_names(&models, name);
}

/* ---- messages and names ---- */

const char *equation_place(const bmf_equations *e, bmf_span span, char *place, size_t size)
{
    int64_t line, column;
    if (span.text < 0) {
        snprintf(place, size, "%s", e->path);
        return place;
    }
    const bmf_text *text = &e->texts.text[span.text];
    text_place(text, span.begin, &line, &column);
    snprintf(place, size, "%s:%lld:%lld", text->name, (long long)line, (long long)column);
    return place;
}

int equation_fail(const bmf_equations *e, bmf_span span, int status, const char *format, ...)
{
    char place[PLACE], text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    text_make_printable(text);
    return bmf_fail(NULL, status, "%s: %s", equation_place(e, span, place, sizeof place), text);
}

typedef struct wanted {
    char *const *name;
    const char *bytes;
    int64_t size;
} wanted;

static bool is_name(const void *of, uint32_t number)
{
    const wanted *w = of;
    return (int64_t)strlen(w->name[number]) == w->size && memcmp(w->name[number], w->bytes, (size_t)w->size) == 0;
}

int32_t equation_name(bmf_equations *e, const char *bytes, int64_t size)
{
    const wanted w = {e->name, bytes, size};
    table_make_room(&e->name_table, e->names + 1);
    const uint32_t found =
        table_find_or_add(&e->name_table, hash_bytes(HASH_START, bytes, (size_t)size), is_name, &w, (uint32_t)e->names);
    if ((int32_t)found < e->names)
        return (int32_t)found;
    const int32_t before = e->name_capacity;
    char *made = allocate(size + 1);
    memcpy(made, bytes, (size_t)size);
    made[size] = 0;
    *ARRAY_APPEND(e->name, e->names, e->name_capacity) = made;
    if (e->name_capacity != before)
        e->of_name = reallocate_array(e->of_name, before, e->name_capacity, (int64_t)sizeof *e->of_name);
    e->of_name[found] = -1;
    return (int32_t)found;
}

/* ---- files ---- */

static bool is_file(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 && !S_ISDIR(found.st_mode);
}

/* Devices have no end, and other things are no text; pipes are what a shell gives for <(..). */
static int read_text(bmf_equations *e, const char *path, int *text)
{
    struct stat found;
    if (stat(path, &found) == 0 && !S_ISREG(found.st_mode) && !S_ISFIFO(found.st_mode))
        return bmf_fail(NULL, BMF_ERROR_FILE, "%s: no file of equations", path);
    if (stat(path, &found) == 0 && found.st_size > MAX_BYTES)
        return bmf_fail(NULL, BMF_ERROR_FILE, "%s: equations of more than %d MiB", path, MAX_BYTES >> 20);
    return texts_read(&e->texts, NULL, path, text);
}

/* NAME.model goes before NAME, here and installed: a program often stands beside its equations, without an ending. */
static int find_model(const char *name, char **path)
{
    char with_ending[PATH_MAX];
    const size_t length = strlen(name), tail = strlen(models.extension);
    const bool has_ending = length > tail && strcmp(name + length - tail, models.extension) == 0;
    if (!has_ending && !strchr(name, '/') &&
        snprintf(with_ending, sizeof with_ending, "%s%s", name, models.extension) < (int)sizeof with_ending &&
        installed_find(&models, with_ending, path) == BMF_OK)
        return BMF_OK;
    return installed_find(&models, name, path);
}

/* The file that a name in a text stands for: beside the text, or as any other. */
static int find_included(const bmf_equations *e, int text, const char *name, char **path)
{
    char beside[PATH_MAX];
    const char *from = e->texts.text[text].name, *slash = strrchr(from, '/');
    const int folder = slash ? (int)(slash - from) + 1 : 0;
    if (name[0] != '/' && folder > 0)
        for (int k = 0; k < 2; k++) {
            const int length =
                snprintf(beside, sizeof beside, "%.*s%s%s", folder, from, name, k ? models.extension : "");
            if (length >= (int)sizeof beside || !is_file(beside))
                continue;
            *path = text_copy(beside);
            return BMF_OK;
        }
    return find_model(name, path);
}

static bool is_read(const bmf_equations *e, const char *path)
{
    char full[PATH_MAX], other[PATH_MAX];
    const bool known = realpath(path, full);
    for (int k = 0; known && k < e->texts.count; k++)
        if (realpath(e->texts.text[k].name, other) && strcmp(full, other) == 0)
            return true;
    return false;
}

static int include(bmf_equations *e, bmf_span span, const char *name, int depth)
{
    char *path;
    int text;
    const int next = depth == 0 ? INCLUDED : depth + 1;
    if (next % INCLUDED > INCLUDE_DEPTH)
        return equation_fail(e, span, BMF_ERROR_FILE, "files include each other deeper than %d levels", INCLUDE_DEPTH);
    if (find_included(e, span.text, name, &path) != BMF_OK) {
        char reason[REASON];
        snprintf(reason, sizeof reason, "%s", bmf_error_text(NULL));
        return equation_fail(e, span, BMF_ERROR_FILE, "%s", reason);
    }
    int status = BMF_OK;
    if (!is_read(e, path)) {
        status = read_text(e, path, &text);
        if (status == BMF_OK)
            status = equations_parse_text(e, text, next, include);
    }
    free(path);
    return status;
}

/* ---- the machine beside the file ---- */

/* A data sheet says so in its first line with something in it; equations have no such line. */
static bool is_sheet(const char *path)
{
    char line[512];
    bool found = false;
    FILE *file = fopen(path, "rb");
    while (file && !found && fgets(line, sizeof line, file)) {
        const char *at = line + strspn(line, " \t\r\n");
        if (*at && *at != '#') {
            found = strncmp(at, "format", strlen("format")) == 0;
            break;
        }
    }
    if (file)
        fclose(file);
    return found;
}

/* A file of that name, a sheet or equations. */
static int find_machine(const char *name, char **path)
{
    char **listed;
    const int64_t count = installed_names(&models, &listed);
    bool is_model = false;
    for (int64_t k = 0; k < count; k++) {
        is_model = is_model || strcmp(listed[k], name) == 0;
        free(listed[k]);
    }
    free(listed);
    return is_model ? find_model(name, path) : installed_find(&sheets, name, path);
}

static int read_machine(bmf_equations *e, const char *name)
{
    char *path;
    int text, status;
    BMF_TRY(find_machine(name, &path));
    if (is_sheet(path)) {
        status = sheet_read(path, &e->sheet);
        if (status == BMF_OK)
            e->machine = text_copy(e->sheet->title[0] ? e->sheet->title : path);
    } else {
        status = read_text(e, path, &text);
        if (status == BMF_OK)
            status = equations_parse_text(e, text, MACHINE, include);
        e->machine = text_copy(path);
    }
    free(path);
    return status;
}

/* ---- parameters ---- */

static bool is_parameter(const bmf_definition *of)
{
    return !of->hidden && of->arguments == 0 && of->kind != BMF_DEFINED_PHASE;
}

static int fail_parameter(const bmf_equations *e, const char *name)
{
    char text[BMF_SHEET_TEXT] = "";
    near_names near = {.max = 3, .limit = 4};
    for (int32_t k = 0; k < e->definitions; k++)
        if (is_parameter(&e->definition[k])) {
            const char *known = e->name[e->definition[k].name];
            near_names_offer(&near, known, name_distance(name, known));
        }
    near_names_text(&near, text, sizeof text);
    return bmf_fail(NULL, BMF_ERROR_USAGE, "%s has no parameter '%s'%s%s", e->path, name, text[0] ? "; near: " : "",
                    text);
}

/* One NAME=VALUE. */
static int set_parameter(bmf_equations *e, const char *text)
{
    char name[BMF_EQUATION_NAME];
    const char *equals = strchr(text, '=');
    const size_t length = equals ? (size_t)(equals - text) : 0;
    double value;
    bool is_time;
    if (length == 0 || length >= sizeof name)
        return bmf_fail(NULL, BMF_ERROR_USAGE, "'%.80s' is not NAME=VALUE", text);
    memcpy(name, text, length);
    name[length] = 0;
    const bool negative = equals[1] == '-';
    const char *digits = equals + 1 + negative,
               *wrong = equation_number(digits, (int64_t)strlen(digits), &value, &is_time);
    if (wrong)
        return bmf_fail(NULL, BMF_ERROR_USAGE, "the value '%.80s' of %s %s", equals + 1, name, wrong);
    const int32_t number = equation_name(e, name, (int64_t)length), of = e->of_name[number];
    if (of < 0 || !is_parameter(&e->definition[of]))
        return fail_parameter(e, name);
    equations_add_constant(e, number, negative ? -value : value, is_time);
    return BMF_OK;
}

/* ---- all of it ---- */

static bmf_equations *make(const char *path, const bmf_equation_settings *settings)
{
    bmf_equations *e = allocate_clear(1, (int64_t)sizeof *e);
    e->settings = *settings;
    e->path = text_copy(path);
    return e;
}

static int finish(bmf_equations *e)
{
    BMF_TRY(equations_parse_text(e, e->main_text, 0, include));
    if (e->settings.sheet)
        BMF_TRY(read_machine(e, e->settings.sheet));
    if (!e->machine)
        e->machine = text_copy("");
    for (int k = 0; k < e->settings.sets; k++)
        BMF_TRY(set_parameter(e, e->settings.set[k]));
    for (int32_t k = 0; k < e->definitions && e->settings.rules_only; k++)
        e->definition[k].hidden = e->definition[k].hidden || e->definition[k].kind == BMF_DEFINED_PHASE;
    BMF_TRY(rules_check(e));
    BMF_TRY(equations_resolve(e));
    return equations_compile(e);
}

static int give(bmf_equations *e, int status, bmf_equations **equations)
{
    if (status == BMF_OK)
        status = finish(e);
    if (status == BMF_OK)
        *equations = e;
    else
        equations_free(e);
    return status;
}

int equations_parse(const char *text, int64_t size, const char *path, const bmf_equation_settings *settings,
                    bmf_equations **equations)
{
    bmf_equations *e = make(path, settings);
    e->main_text = texts_add(&e->texts, path, text, size);
    return give(e, BMF_OK, equations);
}

int equations_read(const char *name, const bmf_equation_settings *settings, bmf_equations **equations)
{
    char *path;
    BMF_TRY(find_model(name, &path));
    bmf_equations *e = make(path, settings);
    free(path);
    return give(e, read_text(e, e->path, &e->main_text), equations);
}

void equations_free(bmf_equations *e)
{
    if (!e)
        return;
    for (int32_t k = 0; k < e->names; k++)
        free(e->name[k]);
    texts_free(&e->texts);
    table_free(&e->name_table);
    table_free(&e->instruction_table);
    sheet_free(e->sheet);
    free(e->name);
    free(e->of_name);
    free(e->node);
    free(e->definition);
    free(e->operation);
    free(e->instruction);
    for (int64_t k = 0; k < e->rules; k++)
        free(e->rule[k].name);
    free(e->rule);
    free(e->program);
    free(e->size);
    free(e->phase);
    free(e->root);
    free(e->path);
    free(e->machine);
    free(e);
}

const char *equations_path(const bmf_equations *e)
{
    return e->path;
}

const char *equations_machine(const bmf_equations *e)
{
    return e->machine;
}

bool equations_have_errors(const bmf_equations *e)
{
    return e->sheet;
}

int equations_phases(const bmf_equations *e)
{
    return e->phases;
}

const char *equations_phase(const bmf_equations *e, int phase)
{
    return e->name[e->definition[e->phase[phase]].name];
}

/* Reads the parameter files of the Predictor. Method: a scanner over the text of the file that counts lines; a table of
 * keys says what each one's value is and where it goes. */
#include "predict/machine/predictor_file.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bmf/context.h"
#include "bmf/status.h"
#include "runtime/base/allocate.h"
#include "runtime/base/text.h"

enum { MAX_BYTES = 1 << 20, MAX_WORD = 64 };

typedef struct scanner {
    const char *path;
    const char *at; /* in the text, which a zero byte ends */
    long long line;
    bmf_predictor_file *file;
} scanner;

typedef struct key {
    const char *name;
    int (*read)(scanner *s, double *number);
    size_t offset; /* of the number in bmf_predictor_file; 0: none */
    bool needed;
} key;

/* ---- the text ---- */

static void skip_blanks(scanner *s)
{
    for (;; s->at++) {
        if (s->at[0] == '/' && s->at[1] == '/')
            s->at += strcspn(s->at, "\n");
        if (!*s->at || !isspace((unsigned char)*s->at))
            return;
        s->line += *s->at == '\n';
    }
}

/* What stands at the scanner, for messages: up to the end of the line. */
static const char *here(const scanner *s, char text[MAX_WORD])
{
    const size_t length = strcspn(s->at, "\r\n");
    snprintf(text, MAX_WORD, "%.*s", length < MAX_WORD - 1 ? (int)length : MAX_WORD - 1, s->at);
    text_make_line(text);
    return text[0] ? text : "the end of the file";
}

static int expected(const scanner *s, const char *what)
{
    char text[MAX_WORD];
    return bmf_fail(NULL, BMF_ERROR_FILE, "%s:%lld: %s expected at '%s'", s->path, s->line, what, here(s, text));
}

static int pass(scanner *s, char mark, const char *what)
{
    skip_blanks(s);
    if (*s->at != mark)
        return expected(s, what);
    s->at++;
    return BMF_OK;
}

/* Words in small letters with single blanks between them, as in "start time". */
static int read_words(scanner *s, const char *what, char words[MAX_WORD])
{
    int length = 0;
    bool after_blank = false;
    skip_blanks(s);
    if (!isalpha((unsigned char)*s->at))
        return expected(s, what);
    for (; isalpha((unsigned char)*s->at) || *s->at == ' ' || *s->at == '\t'; s->at++) {
        const bool blank = !isalpha((unsigned char)*s->at);
        if (!blank && length + after_blank >= MAX_WORD - 1)
            return expected(s, what);
        if (!blank && after_blank)
            words[length++] = ' ';
        if (!blank)
            words[length++] = (char)tolower((unsigned char)*s->at);
        after_blank = blank;
    }
    words[length] = 0;
    return BMF_OK;
}

/* ---- values ---- */

static int read_number(scanner *s, double *number)
{
    char *end;
    skip_blanks(s);
    *number = strtod(s->at, &end);
    if (end == s->at || !isfinite(*number) || *number < 0.0)
        return expected(s, "a number of at least 0");
    s->at = end;
    return BMF_OK;
}

static int read_power(scanner *s, double *number)
{
    char *end;
    skip_blanks(s);
    *number = strtod(s->at, &end);
    if (end == s->at || !isfinite(*number) || *number <= 0.0 || !isfinite(1.0 / *number))
        return expected(s, "a number above 0");
    s->at = end;
    return BMF_OK;
}

static int read_type(scanner *s, double *number)
{
    char word[MAX_WORD];
    (void)number;
    const scanner before = *s;
    BMF_TRY(read_words(s, "network or transputer", word));
    s->file->transputer = strcmp(word, "transputer") == 0;
    if (s->file->transputer || strcmp(word, "network") == 0)
        return BMF_OK;
    return bmf_fail(NULL, BMF_ERROR_FILE, "%s:%lld: the type is network or transputer, not '%s'", s->path, before.line,
                    word);
}

static int read_size(scanner *s, int64_t *size)
{
    char *end;
    skip_blanks(s);
    errno = 0;
    *size = strtoll(s->at, &end, 10);
    if (end == s->at || errno || *size < 1 || *size > BMF_MAX_PROCESSORS)
        return expected(s, "a number of processors");
    s->at = end;
    return BMF_OK;
}

static int read_topology(scanner *s, double *number)
{
    bmf_predictor_file *file = s->file;
    (void)number;
    BMF_TRY(pass(s, '{', "'{'"));
    for (;;) {
        if (file->dimensions == BMF_PREDICTOR_DIMENSIONS)
            return bmf_fail(NULL, BMF_ERROR_FILE, "%s:%lld: a topology has at most %d dimensions", s->path, s->line,
                            BMF_PREDICTOR_DIMENSIONS);
        BMF_TRY(read_size(s, &file->size[file->dimensions++]));
        if (predictor_file_processors(file) > BMF_MAX_PROCESSORS)
            return bmf_fail(NULL, BMF_ERROR_FILE, "%s:%lld: the topology has more than %d processors", s->path, s->line,
                            BMF_MAX_PROCESSORS);
        skip_blanks(s);
        if (*s->at != ',')
            return pass(s, '}', "',' or '}'");
        s->at++;
    }
}

int64_t predictor_file_processors(const bmf_predictor_file *file)
{
    int64_t processors = file->dimensions > 0;
    for (int k = 0; k < file->dimensions; k++)
        processors *= file->size[k];
    return processors;
}

/* ---- the whole ---- */

static const key keys[] = {{"type", read_type, 0, true},
                           {"start time", read_number, offsetof(bmf_predictor_file, start_us), true},
                           {"send byte time", read_number, offsetof(bmf_predictor_file, us_per_byte), true},
                           {"power", read_power, offsetof(bmf_predictor_file, power), false},
                           {"topology", read_topology, 0, false}};
enum { KEYS = sizeof keys / sizeof keys[0] };

static int find_key(const scanner *s, const char *name, int *found)
{
    for (*found = 0; *found < KEYS; ++*found)
        if (strcmp(keys[*found].name, name) == 0)
            return BMF_OK;
    return bmf_fail(NULL, BMF_ERROR_FILE,
                    "%s:%lld: unknown key '%s'; known: type, start time, send byte time, power, topology", s->path,
                    s->line, name);
}

static int read_statement(scanner *s, bool met[KEYS])
{
    char name[MAX_WORD];
    int number;
    double unused;
    BMF_TRY(read_words(s, "a key", name));
    BMF_TRY(find_key(s, name, &number));
    if (met[number])
        return bmf_fail(NULL, BMF_ERROR_FILE, "%s:%lld: '%s' is there twice", s->path, s->line, name);
    met[number] = true;
    const key *k = &keys[number];
    BMF_TRY(pass(s, '=', "'='"));
    BMF_TRY(k->read(s, k->offset ? (double *)((char *)s->file + k->offset) : &unused));
    return pass(s, ';', "';'");
}

static int parse(const char *path, const char *text, bmf_predictor_file *file)
{
    scanner s = {path, text, 1, file};
    bool met[KEYS] = {false};
    for (skip_blanks(&s); *s.at; skip_blanks(&s))
        BMF_TRY(read_statement(&s, met));
    for (int k = 0; k < KEYS; k++)
        if (keys[k].needed && !met[k])
            return bmf_fail(NULL, BMF_ERROR_FILE, "%s: '%s' is missing", path, keys[k].name);
    return BMF_OK;
}

/* The whole text; a file that goes on is none of these. */
static int read_text(const char *path, char text[MAX_BYTES + 1])
{
    FILE *stream = fopen(path, "r");
    if (!stream)
        return bmf_fail(NULL, BMF_ERROR_FILE, "cannot read '%s': %s", path, strerror(errno));
    const size_t size = fread(text, 1, MAX_BYTES + 1, stream);
    const bool failed = ferror(stream);
    const int error = errno;
    fclose(stream);
    if (failed)
        return bmf_fail(NULL, BMF_ERROR_FILE, "cannot read '%s': %s", path, strerror(error));
    if (size > MAX_BYTES || memchr(text, 0, size))
        return bmf_fail(NULL, BMF_ERROR_FILE, "%s: no parameter file of the Predictor: %s", path,
                        size > MAX_BYTES ? "more than 1 MiB" : "it has bytes of 0");
    text[size] = 0;
    return BMF_OK;
}

int predictor_file_read(const char *path, bmf_predictor_file *file)
{
    char *text = allocate(MAX_BYTES + 1);
    *file = (bmf_predictor_file){.power = 1.0};
    int status = read_text(path, text);
    if (status == BMF_OK)
        status = parse(path, text, file);
    free(text);
    return status;
}

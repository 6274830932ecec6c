/* Reading libconfig texts; see config_file.h.
 *
 * Method: one pass over the text that knows just enough of the grammar to tell numbers from names, strings and
 * comments: https://hyperrealm.github.io/libconfig/libconfig_manual.html, "Configuration File Grammar". Cost:
 * linear.
 *
 * Limits keep libconfig linear too, which looks for a new key among all of its group and reads a file as often as it
 * is included. */
#include "predict/config/config_file.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "predict/config/config_values.h"
#include "runtime/base/allocate.h"
#include "runtime/base/text.h"
#include "bmf/status.h"

enum {
    MAX_INCLUDES = 10,   /* libconfig's own limit of depth */
    MAX_INCLUDED = 1000, /* files in all, counted as often as they are included */
    MAX_KEYS = 4096,     /* of a group */
    MAX_DEPTH = 500      /* of groups, lists and arrays */
};
static const int64_t max_bytes = (int64_t)256 << 20;

/* ---- files ---- */

static int cannot_read(const char *path, int reason)
{
    return bmf_fail(NULL, BMF_ERROR_FILE, "cannot read '%s': %s", path, strerror(reason));
}

/* errno of the failure or 0; *used == max_bytes: there is more. */
static int read_all(FILE *file, char **text, int64_t *used)
{
    int64_t room = 1 << 12;
    *text = allocate(room);
    *used = 0;
    for (;;) {
        *used += (int64_t)fread(*text + *used, 1, (size_t)(room - *used - 1), file);
        if (*used < room - 1 || *used >= max_bytes)
            break;
        *text = reallocate(*text, room, 2 * room);
        room *= 2;
    }
    (*text)[*used] = 0;
    return ferror(file) ? errno : 0;
}

int config_load(const char *path, const char *kind, char **text)
{
    struct stat about;
    int64_t used;
    FILE *file = fopen(path, "r");
    if (!file)
        return cannot_read(path, errno);
    int reason = fstat(fileno(file), &about) == 0 && S_ISDIR(about.st_mode) ? EISDIR : 0;
    *text = NULL;
    if (!reason)
        reason = read_all(file, text, &used);
    fclose(file);
    if (!reason && used < max_bytes && !memchr(*text, 0, (size_t)used))
        return BMF_OK;
    free(*text);
    *text = NULL;
    return reason ? cannot_read(path, reason) : bmf_fail(NULL, BMF_ERROR_FILE, "'%s' is no %s", path, kind);
}

/* ---- the scanner ---- */

/* Of a text and all that it includes. */
typedef struct totals {
    const char *path; /* of the text: files are included from its directory */
    int included;
    int depth, keys[MAX_DEPTH + 1]; /* of the groups around */
} totals;

typedef struct scanner {
    totals *all;
    const char *path;
    const char *next;
    int line;
    int depth; /* of includes */
    char *to;  /* where the text goes with its L's; NULL: an included file, which is only checked */
} scanner;

static int check_file(totals *all, const char *path, int depth);

static int fail_at(const scanner *s, const char *format, const char *what, size_t length)
{
    char number[48];
    snprintf(number, sizeof number, "%.*s%s", length < 40 ? (int)length : 40, what, length < 40 ? "" : "..");
    char text[256];
    snprintf(text, sizeof text, format, number);
    return bmf_fail(NULL, BMF_ERROR_FILE, "%s:%d: %s", s->path, s->line, text);
}

static void copy_to(scanner *s, const char *end)
{
    for (; s->next < end; s->next++) {
        s->line += *s->next == '\n';
        if (s->to)
            *s->to++ = *s->next;
    }
}

static const char *end_of_line(const char *at)
{
    return at + strcspn(at, "\n");
}

static const char *end_of_comment(const char *at)
{
    const char *end = strstr(at + 2, "*/");
    return end ? end + 2 : at + strlen(at);
}

static const char *end_of_string(const char *at)
{
    for (at++; *at && *at != '"'; at++)
        at += *at == '\\' && at[1];
    return *at ? at + 1 : at;
}

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '*' || c == '-';
}

/* The end of what begins with a digit, a sign or a point: a number, or something that libconfig will refuse. */
static const char *end_of_number(const char *at)
{
    at += *at == '+' || *at == '-';
    while (isalnum((unsigned char)*at) || *at == '.' || *at == '_' ||
           ((*at == '+' || *at == '-') && (at[-1] == 'e' || at[-1] == 'E')))
        at++;
    return at;
}

/* The length of the digits of a whole number, and whether an L stands behind them; 0: it is no whole number. */
static size_t whole_digits(const char *at, size_t length, bool *is_hex, bool *is_long)
{
    size_t sign = *at == '+' || *at == '-', digits = 0;
    *is_hex = at[0] == '0' && (at[1] == 'x' || at[1] == 'X');
    const size_t begin = *is_hex ? 2 : sign;
    while (begin + digits < length &&
           (*is_hex ? isxdigit((unsigned char)at[begin + digits]) : isdigit((unsigned char)at[begin + digits])))
        digits++;
    const size_t behind = length - begin - digits;
    *is_long = behind > 0;
    const bool ends = behind == 0 || (behind <= 2 && strncmp(at + begin + digits, "LL", behind) == 0);
    return digits > 0 && ends ? begin + digits : 0;
}

static bool fits_64(const char *digits, bool is_hex)
{
    errno = 0;
    if (is_hex)
        (void)strtoull(digits, NULL, 16);
    else
        (void)strtoll(digits, NULL, 10);
    return errno == 0;
}

static bool fits_32(const char *digits, bool is_hex)
{
    if (is_hex)
        return strtoull(digits, NULL, 16) <= UINT32_MAX;
    const long long value = strtoll(digits, NULL, 10);
    return value >= INT32_MIN && value <= INT32_MAX;
}

static int scan_number(scanner *s)
{
    bool is_hex, is_long;
    const char *end = end_of_number(s->next);
    const size_t length = (size_t)(end - s->next), digits = whole_digits(s->next, length, &is_hex, &is_long);
    if (digits > 0) {
        if (!fits_64(s->next, is_hex))
            return fail_at(s, "%s does not fit a whole number of 64 bits", s->next, digits);
        if (!s->to && !is_long && !fits_32(s->next, is_hex))
            return fail_at(s, "%s needs an L behind it in a file that is included", s->next, digits);
    }
    copy_to(s, length > 0 ? end : s->next + 1);
    if (s->to && digits > 0 && !is_long)
        *s->to++ = 'L';
    return BMF_OK;
}

/* Included files are checked where libconfig will look for them. */
static int scan_include(scanner *s)
{
    const char *open = s->next + strcspn(s->next, "\"\n"), *end = end_of_line(s->next);
    const char *close = *open == '"' ? end_of_string(open) : open;
    int status = BMF_OK;
    if (close > open + 1 && close <= end) {
        const char *slash = open[1] == '/' ? NULL : strrchr(s->all->path, '/');
        const int directory = slash ? (int)(slash - s->all->path) + 1 : 0;
        const size_t size = (size_t)directory + (size_t)(close - open);
        char *path = allocate((int64_t)size);
        snprintf(path, size, "%.*s%.*s", directory, s->all->path, (int)(close - open) - 2, open + 1);
        status = s->depth < MAX_INCLUDES ? check_file(s->all, path, s->depth + 1) : BMF_OK;
        free(path);
    }
    copy_to(s, end);
    return status;
}

/* One of the characters that make structure. */
static int scan_structure(scanner *s)
{
    totals *all = s->all;
    switch (*s->next) {
    case '{':
    case '(':
    case '[':
        if (all->depth == MAX_DEPTH)
            return bmf_fail(NULL, BMF_ERROR_FILE, "%s:%d: brackets are nested more than %d deep", s->path, s->line,
                            MAX_DEPTH);
        all->keys[++all->depth] = 0;
        break;
    case '}':
    case ')':
    case ']':
        all->depth -= all->depth > 0;
        break;
    case '=':
    case ':':
        if (++all->keys[all->depth] > MAX_KEYS)
            return bmf_fail(NULL, BMF_ERROR_FILE, "%s:%d: a group has more than %d keys", s->path, s->line, MAX_KEYS);
        break;
    default:
        break;
    }
    copy_to(s, s->next + 1);
    return BMF_OK;
}

static int scan_one(scanner *s)
{
    const char *at = s->next;
    if (*at == '#' || (at[0] == '/' && at[1] == '/'))
        copy_to(s, end_of_line(at));
    else if (at[0] == '/' && at[1] == '*')
        copy_to(s, end_of_comment(at));
    else if (*at == '"')
        copy_to(s, end_of_string(at));
    else if (strncmp(at, "@include", 8) == 0)
        return scan_include(s);
    else if (isdigit((unsigned char)*at) || *at == '.' || *at == '+' || *at == '-')
        return scan_number(s);
    else if (is_name(*at)) {
        while (is_name(*at))
            at++;
        copy_to(s, at);
    } else {
        return scan_structure(s);
    }
    return BMF_OK;
}

static int scan(scanner *s)
{
    int status = BMF_OK;
    while (*s->next && status == BMF_OK)
        status = scan_one(s);
    return status;
}

static int check_file(totals *all, const char *path, int depth)
{
    char *text;
    if (++all->included > MAX_INCLUDED)
        return bmf_fail(NULL, BMF_ERROR_FILE, "%s: more than %d files are included", all->path, MAX_INCLUDED);
    BMF_TRY(config_load(path, "text to include", &text));
    scanner s = {.all = all, .path = path, .next = text, .line = 1, .depth = depth};
    int status = scan(&s);
    free(text);
    return status;
}

/* ---- parsing ---- */

int config_parse(config_t *config, const char *path, const char *text)
{
    const char *slash = strrchr(path, '/');
    char *directory = text_copy(slash ? path : ".");
    if (slash)
        directory[slash > path ? slash - path : 1] = '\0';
    config_set_include_dir(config, directory);
    free(directory);
    char *wide = allocate_array((int64_t)strlen(text) + 1, 2); /* an L for every digit at most */
    totals all = {.path = path};
    scanner s = {.all = &all, .path = path, .next = text, .line = 1, .to = wide};
    int status = scan(&s);
    *s.to = '\0';
    if (status == BMF_OK && config_read_string(config, wide) == CONFIG_FALSE)
        status = config_fail_parse(path, config);
    free(wide);
    return status;
}

/* The header of a .npy file: "\x93NUMPY", the version, the size of the text, and the text, a Python dict literal with
 * the keys descr, fortran_order and shape.
 *
 * Method: a scanner that reads the literal once; keys come in any order and with any spaces. A value it does not know
 * is taken as raw text up to the comma that ends it, so that an error can show what the file says.
 * Cost: O(size of the header).
 * Source: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "runtime/files/format.h"
#include "runtime/files/npy_private.h"

enum { MAX_TEXT = 1 << 20, MAX_SHOWN = 48 };

typedef struct scanner {
    const char *at, *end;
    char *why;
    size_t why_size;
} scanner;

typedef struct text_range {
    const char *begin;
    int size;
} text_range;

/* What the three values say, before it is judged. */
typedef struct raw_header {
    text_range descr;
    bool fortran;
    int dimensions;
    int64_t shape[DATA_DIMENSIONS];
} raw_header;

__attribute__((format(printf, 2, 3))) static bool refuse(scanner *in, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(in->why, in->why_size, format, arguments);
    va_end(arguments);
    for (char *c = in->why; *c != '\0'; c++) /* a message is one line, whatever the file quoted in it holds */
        if (iscntrl((unsigned char)*c))
            *c = '?';
    return false;
}

static int64_t read_little_endian(const unsigned char *bytes, int count)
{
    int64_t value = 0;
    for (int k = count - 1; k >= 0; k--)
        value = value << 8 | bytes[k];
    return value;
}

int64_t npy_parse_prefix(const unsigned char *bytes, int64_t count, int64_t *text_size, char *why, size_t why_size)
{
    static const unsigned char magic[] = {0x93, 'N', 'U', 'M', 'P', 'Y'};
    scanner in = {.why = why, .why_size = why_size};
    size_t seen = count < (int64_t)sizeof magic ? (size_t)count : sizeof magic;
    int prefix = count >= 8 && bytes[6] == 1 ? BMF_NPY_PREFIX_1 : BMF_NPY_PREFIX;
    *text_size = 0;
    if (count == 0)
        refuse(&in, "not a .npy file: it is empty");
    else if (memcmp(bytes, magic, seen) != 0)
        refuse(&in, "not a .npy file");
    else if (count >= 8 && (bytes[6] < 1 || bytes[6] > 3 || bytes[7] != 0))
        refuse(&in, ".npy version %d.%d; bmf takes 1.0, 2.0 and 3.0", bytes[6], bytes[7]);
    else if (count < prefix)
        refuse(&in, "truncated header: the file ends after %" PRId64 " bytes", count);
    else if ((*text_size = read_little_endian(bytes + 8, prefix - 8)) > MAX_TEXT)
        refuse(&in, "a header of %" PRId64 " bytes; bmf takes at most %d", *text_size, MAX_TEXT);
    else
        return prefix;
    return -1;
}

static void skip_spaces(scanner *in)
{
    while (in->at < in->end && isspace((unsigned char)*in->at))
        in->at++;
}

/* Takes the character if it comes next. */
static bool take(scanner *in, char wanted)
{
    skip_spaces(in);
    if (in->at == in->end || *in->at != wanted)
        return false;
    in->at++;
    return true;
}

static bool broken(scanner *in, const char *expected)
{
    skip_spaces(in);
    if (in->at == in->end)
        return refuse(in, "broken header: it ends where %s should come", expected);
    int shown = (int)(in->end - in->at < MAX_SHOWN ? in->end - in->at : MAX_SHOWN);
    const char *line_end = memchr(in->at, '\n', (size_t)shown);
    return refuse(in, "broken header: expected %s before `%.*s`", expected, line_end ? (int)(line_end - in->at) : shown,
                  in->at);
}

static bool read_string(scanner *in, text_range *string)
{
    skip_spaces(in);
    char quote = in->at < in->end ? *in->at : '\0';
    if (quote != '\'' && quote != '"')
        return broken(in, "a string");
    const char *close = memchr(in->at + 1, quote, (size_t)(in->end - in->at - 1));
    if (!close)
        return broken(in, "a string that ends");
    *string = (text_range){in->at + 1, (int)(close - in->at - 1)};
    in->at = close + 1;
    return true;
}

/* A value of any kind: everything up to the comma or brace outside brackets and strings that ends it. */
static bool read_raw(scanner *in, text_range *value)
{
    int depth = 0;
    skip_spaces(in);
    const char *begin = in->at;
    for (text_range skipped; in->at < in->end; in->at++) {
        char c = *in->at;
        if (c == '\'' || c == '"') {
            if (!read_string(in, &skipped))
                return false;
            in->at--; /* the loop steps over the closing quote */
        } else if (strchr("([{", c) && c != '\0') {
            depth++;
        } else if (strchr(")]}", c) && c != '\0' && depth > 0) {
            depth--;
        } else if ((c == ',' || c == '}') && depth == 0) {
            break;
        }
    }
    *value = (text_range){begin, (int)(in->at - begin)};
    return in->at < in->end && value->size > 0 ? true : broken(in, "a value");
}

static bool range_is(text_range range, const char *text)
{
    return (size_t)range.size == strlen(text) && memcmp(range.begin, text, (size_t)range.size) == 0;
}

static bool read_truth(scanner *in, bool *truth)
{
    skip_spaces(in);
    text_range word = {in->at, 0};
    while (in->at < in->end && isalpha((unsigned char)*in->at))
        in->at++;
    word.size = (int)(in->at - word.begin);
    *truth = range_is(word, "True");
    if (*truth || range_is(word, "False"))
        return true;
    in->at = word.begin;
    return broken(in, "True or False");
}

/* A length of the shape. Python 2 wrote a long as 10L. */
static bool read_length(scanner *in, int64_t *length)
{
    bool negative = take(in, '-');
    if (in->at == in->end || !isdigit((unsigned char)*in->at))
        return broken(in, "a length");
    *length = 0;
    for (; in->at < in->end && isdigit((unsigned char)*in->at); in->at++)
        if (__builtin_mul_overflow(*length, 10, length) || __builtin_add_overflow(*length, *in->at - '0', length))
            return refuse(in, "the shape has a length that does not fit 64 bits");
    if (negative)
        return refuse(in, "the shape has a negative length, -%" PRId64, *length);
    take(in, 'L');
    return true;
}

static bool read_shape(scanner *in, raw_header *raw)
{
    if (!take(in, '('))
        return broken(in, "a shape such as (10,) or (10, 20)");
    for (raw->dimensions = 0; !take(in, ')'); raw->dimensions++) {
        int64_t length = 0;
        if (raw->dimensions > 0 && !take(in, ','))
            return broken(in, "a comma or `)`");
        if (raw->dimensions > 0 && take(in, ')'))
            return true; /* a trailing comma adds no dimension */
        if (!read_length(in, &length))
            return false;
        if (raw->dimensions < DATA_DIMENSIONS)
            raw->shape[raw->dimensions] = length;
    }
    return true;
}

static bool read_descr(scanner *in, text_range *descr)
{
    skip_spaces(in);
    if (in->at < in->end && (*in->at == '\'' || *in->at == '"'))
        return read_string(in, descr);
    return read_raw(in, descr);
}

/* One key and its value; `seen` has a bit for each key. */
static bool read_entry(scanner *in, raw_header *raw, unsigned *seen)
{
    static const char *const known[] = {"descr", "fortran_order", "shape"};
    text_range key = {NULL, 0};
    unsigned k = 0;
    if (!read_string(in, &key))
        return false;
    while (k < 3 && !range_is(key, known[k]))
        k++;
    if (k == 3 || *seen & 1U << k)
        return refuse(in, "broken header: %s key '%.*s'", k == 3 ? "unknown" : "repeated",
                      key.size < MAX_SHOWN ? key.size : MAX_SHOWN, key.begin);
    *seen |= 1U << k;
    if (!take(in, ':'))
        return broken(in, "a colon");
    return k == 0 ? read_descr(in, &raw->descr) : k == 1 ? read_truth(in, &raw->fortran) : read_shape(in, raw);
}

static bool read_dict(scanner *in, raw_header *raw)
{
    unsigned seen = 0;
    if (!take(in, '{'))
        return broken(in, "`{`");
    while (!take(in, '}')) {
        if (seen != 0 && !take(in, ','))
            return broken(in, "a comma or `}`");
        if (seen != 0 && take(in, '}'))
            break;
        if (!read_entry(in, raw, &seen))
            return false;
    }
    skip_spaces(in);
    if (in->at < in->end)
        return broken(in, "the end of the header");
    for (unsigned k = 0; k < 3; k++)
        if (!(seen & 1U << k))
            return refuse(in, "broken header: it does not say '%s'",
                          k == 0   ? "descr"
                          : k == 1 ? "fortran_order"
                                   : "shape");
    return true;
}

/* The scalars of .npy files and NumPy's words for them; the first character says the order of bytes. */
static const struct dtype {
    const char *descr, *name;
    const bmf_type *type;
} dtypes[] = {{"<i8", "int64", &bmf_type_int},           {"<i4", "int32", &bmf_type_int32},
              {"<f8", "float64", &bmf_type_real},        {"<f4", "float32", &bmf_type_float},
              {"<c16", "complex128", &bmf_type_complex}, {"|b1", "bool", &bmf_type_bool}};
enum { DTYPES = sizeof dtypes / sizeof dtypes[0] };

static const struct dtype *dtype_of(const bmf_type *scalar)
{
    for (int k = 0; k < DTYPES; k++)
        if (dtypes[k].type == scalar)
            return &dtypes[k];
    return NULL;
}

const char *npy_descr(const bmf_type *scalar)
{
    const struct dtype *dtype = dtype_of(scalar);
    return dtype ? dtype->descr : NULL;
}

/* Little-endian, this machine's own order, or the order of what has a single byte. */
static const bmf_type *scalar_of(text_range descr)
{
    const text_range code = {descr.begin + 1, descr.size - 1};
    for (int k = 0; descr.size > 1 && k < DTYPES; k++)
        if (range_is(code, dtypes[k].descr + 1) &&
            (strchr("<=", descr.begin[0]) || descr.begin[0] == dtypes[k].descr[0]))
            return dtypes[k].type;
    return NULL;
}

/* In words: '<i8' (int64), '<i4' (int32), .. and '|b1' (bool). */
static void print_dtypes(char *text, size_t size)
{
    size_t used = 0;
    for (int k = 0; k < DTYPES && used < size; k++)
        used += (size_t)snprintf(text + used, size - used, "%s'%s' (%s)",
                                 k == 0           ? ""
                                 : k < DTYPES - 1 ? ", "
                                                  : " and ",
                                 dtypes[k].descr, dtypes[k].name);
}

static bool judge_descr(scanner *in, text_range descr, bmf_npy_header *header)
{
    char taken[256];
    header->scalar = scalar_of(descr);
    if (header->scalar)
        return true;
    text_range shown = {descr.begin, descr.size < MAX_SHOWN ? descr.size : MAX_SHOWN};
    const char *order = descr.size > 0 && descr.begin[0] == '>' ? "big-endian " : "";
    print_dtypes(taken, sizeof taken);
    return refuse(in, "%sdtype '%.*s'; bmf takes %s", order, shown.size, shown.begin, taken);
}

/* For a shape of one dimension the order means nothing. */
static bool judge_shape(scanner *in, const raw_header *raw, bmf_npy_header *header)
{
    if (raw->dimensions < 1 || raw->dimensions > 2)
        return refuse(in, "an array of %d dimensions; bmf takes 1-D (a list) and 2-D (a list of lists)",
                      raw->dimensions);
    if (raw->fortran && raw->dimensions == 2)
        return refuse(in, "Fortran order; bmf takes C order (in NumPy: np.ascontiguousarray)");
    header->dimensions = raw->dimensions;
    header->shape[0] = raw->shape[0];
    header->shape[1] = raw->dimensions == 2 ? raw->shape[1] : 1;
    if (npy_data_bytes(header) < 0)
        return refuse(in, "a shape of more bytes than fit 64 bits");
    return true;
}

bool npy_parse_text(const char *text, int64_t size, bmf_npy_header *header, char *why, size_t why_size)
{
    scanner in = {text, text + size, why, why_size};
    raw_header raw = {.shape = {0}};
    return read_dict(&in, &raw) && judge_descr(&in, raw.descr, header) && judge_shape(&in, &raw, header);
}

/* ---- everything that files.h takes ---- */

static bool refuse_descr(scanner *in, text_range descr, const char *what)
{
    char taken[512];
    const char *order = descr.size > 0 && descr.begin[0] == '>' ? "big-endian " : "";
    stored_list(taken, sizeof taken);
    return refuse(in, "%s%sdtype '%.*s'; bmf takes %s", what, order, descr.size < MAX_SHOWN ? descr.size : MAX_SHOWN,
                  descr.begin, taken);
}

static bool add_field(scanner *in, text_range name, text_range descr, int64_t times, data_file *file)
{
    const bmf_stored_scalar scalar = stored_named(descr.begin, descr.size);
    const bool is_code = descr.size > 1 && strchr("<=|", descr.begin[0]) && descr.begin[0] != '\0';
    if (scalar == STORED_SCALARS || !is_code)
        return refuse_descr(in, descr, "");
    for (int64_t k = 0; k < times; k++) {
        if (file->fields == BMF_MAX_LEAVES)
            return refuse(in, "items of more than %d scalars", BMF_MAX_LEAVES);
        data_field *field = &file->field[file->fields++];
        *field = (data_field){.scalar = scalar, .offset = file->item_bytes};
        data_field_call(field, name.begin, times == 1 ? name.size : 0);
        file->item_bytes += stored_size(scalar);
    }
    return true;
}

/* '|V4': bytes that nobody reads, which align what follows. */
static bool add_padding(scanner *in, text_range descr, data_file *file)
{
    int64_t bytes = 0;
    for (int k = 2; k < descr.size; k++)
        if (!isdigit((unsigned char)descr.begin[k]) || (bytes = 10 * bytes + descr.begin[k] - '0') > MAX_TEXT)
            return refuse_descr(in, descr, "");
    file->item_bytes += bytes;
    return true;
}

/* ('name', '<f8') or ('name', '<f8', (3,)). */
static bool read_field(scanner *in, data_file *file)
{
    text_range name, descr;
    raw_header part = {.dimensions = 0};
    int64_t times = 1;
    if (!take(in, '('))
        return broken(in, "a field such as ('x', '<f8')");
    if (!read_string(in, &name) || !take(in, ',') || !read_string(in, &descr))
        return refuse(in, "a structure with fields that are not ('name', 'dtype'), which bmf does not take");
    if (take(in, ',') && !take(in, ')')) {
        if (!read_shape(in, &part))
            return false;
        for (int d = 0; d < part.dimensions; d++)
            if (d >= DATA_DIMENSIONS || part.shape[d] > BMF_MAX_LEAVES || (times *= part.shape[d]) > BMF_MAX_LEAVES)
                return refuse(in, "items of more than %d scalars", BMF_MAX_LEAVES);
        if (!take(in, ')'))
            return broken(in, "`)`");
    } else if (in->at[-1] != ')' && !take(in, ')')) {
        return broken(in, "`)`");
    }
    if (descr.size > 2 && descr.begin[1] == 'V')
        return add_padding(in, descr, file);
    return add_field(in, name, descr, times, file);
}

static bool read_fields(scanner *in, data_file *file)
{
    if (!take(in, '['))
        return broken(in, "a dtype");
    while (!take(in, ']')) {
        if (file->fields > 0 && take(in, ',') && take(in, ']'))
            break;
        if (!read_field(in, file))
            return false;
    }
    return file->fields > 0 || refuse(in, "a dtype without fields");
}

static bool judge_layout(scanner *in, const raw_header *raw, data_file *file)
{
    if (raw->dimensions < 1 || raw->dimensions > DATA_DIMENSIONS)
        return refuse(in, "an array of %d dimensions; bmf takes 1 (a list) to %d (lists of lists of ..)",
                      raw->dimensions, DATA_DIMENSIONS);
    file->dimensions = raw->dimensions;
    file->fortran = raw->fortran && raw->dimensions > 1;
    for (int d = 0; d < DATA_DIMENSIONS; d++)
        file->shape[d] = d < raw->dimensions ? raw->shape[d] : 1;
    return data_file_bytes(file) >= 0 || refuse(in, "a shape of more bytes than fit 64 bits");
}

bool npy_parse_layout(const char *text, int64_t size, data_file *file, char *why, size_t why_size)
{
    scanner in = {text, text + size, why, why_size};
    raw_header raw = {.shape = {0}};
    if (!read_dict(&in, &raw))
        return false;
    file->fields = 0;
    file->item_bytes = 0;
    scanner fields = {raw.descr.begin, raw.descr.begin + raw.descr.size, why, why_size};
    const bool is_structure = raw.descr.size > 0 && raw.descr.begin[0] == '[';
    return (is_structure ? read_fields(&fields, file) : add_field(&in, (text_range){"", 0}, raw.descr, 1, file)) &&
           judge_layout(&in, &raw, file);
}

int64_t npy_data_bytes(const bmf_npy_header *header)
{
    int64_t row, bytes;
    if (__builtin_mul_overflow(header->shape[1], header->scalar->size, &row) ||
        __builtin_mul_overflow(header->shape[0], row, &bytes))
        return -1;
    return bytes;
}

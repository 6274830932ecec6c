/* Reading tables of measured times, and times between those of the table. */
#include "runtime/schedule/cost_table.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bmf/context.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/base/search.h"
#include "runtime/base/text.h"

const char cost_table_heading[] = "bmf costs 1";

typedef struct row {
    const char *skeleton, *algorithm; /* words of the text */
    int64_t ranks, count, bytes, line;
    double seconds;
} row;

/* Rows [begin, end), which differ only in bytes, and these increase. */
typedef struct curve {
    int64_t begin, end;
} curve;

/* Curves [begin, end) of one algorithm on so many ranks. */
typedef struct family {
    int64_t begin, end;
} family;

struct bmf_cost_table {
    int64_t owners;
    char *name, *text;
    bool has_message;
    bmf_cost_model message;
    row *row; /* in order */
    int64_t rows, row_capacity;
    curve *curve; /* in the order of their rows */
    int64_t curves, curve_capacity;
    family *family; /* in the order of their curves */
    int64_t families, family_capacity;
    int64_t *measured; /* numbers of ranks, each once */
    int64_t measured_count, measured_capacity;
};

/* ---- reading ---- */

typedef struct reader {
    bmf_cost_table *table;
    int64_t line;
    bool begun; /* the heading has been read */
    char *message;
    size_t message_size;
} reader;

/* Always false. */
static bool refuse(const reader *r, int64_t line, const char *format, ...) __attribute__((format(printf, 3, 4)));
static bool refuse(const reader *r, int64_t line, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    snprintf(r->message, r->message_size, "%.300s:%" PRId64 ": %s", r->table->name, line, text);
    return false;
}

static bool read_whole(const reader *r, const char *word, const char *what, int64_t min, int64_t max, int64_t *number)
{
    char *end;
    errno = 0;
    const long long parsed = strtoll(word, &end, 10);
    if (end == word || *end || errno || parsed < min || parsed > max)
        return refuse(r, r->line, "%s are a whole number from %" PRId64 " to %" PRId64 ", not '%.40s'", what, min, max,
                      word);
    *number = parsed;
    return true;
}

static bool read_seconds(const reader *r, const char *word, double *seconds)
{
    char *end;
    *seconds = strtod(word, &end);
    if (end == word || *end || !(*seconds > 0) || *seconds > 1e9)
        return refuse(r, r->line, "seconds are a number above 0, not '%.40s'", word);
    return true;
}

enum { WORDS = 6, MESSAGE_WORDS = 3 };

static bool read_message(reader *r, char *const *word, int words)
{
    bmf_cost_table *table = r->table;
    if (words != MESSAGE_WORDS)
        return refuse(r, r->line, "a line of messages is: message SECONDS SECONDS_PER_BYTE");
    if (table->has_message)
        return refuse(r, r->line, "what messages cost stands twice");
    table->has_message = true;
    return read_seconds(r, word[1], &table->message.latency) && read_seconds(r, word[2], &table->message.per_byte);
}

static bool read_row(reader *r, char *const *word, int words)
{
    row read = {.skeleton = word[0], .line = r->line};
    const bool is_permute = strcmp(word[0], "permute") == 0;
    if (!is_permute && !algorithm_find(word[0], NULL))
        return refuse(r, r->line, "no skeleton '%.40s' has a choice of algorithms", word[0]);
    if (words != WORDS)
        return refuse(r, r->line, "a row is: skeleton algorithm ranks items bytes seconds");
    read.algorithm = word[1];
    if (!is_permute && !algorithm_find(word[0], word[1]))
        return refuse(r, r->line, "%s has no algorithm '%.40s'", word[0], word[1]);
    if (!read_whole(r, word[2], "ranks", 1, BMF_MAX_PROCESSORS, &read.ranks) ||
        !read_whole(r, word[3], "items", 2, BMF_MAX_PROCESSORS, &read.count) ||
        !read_whole(r, word[4], "bytes", 0, INT64_C(1) << 53, &read.bytes) || !read_seconds(r, word[5], &read.seconds))
        return false;
    *ARRAY_APPEND(r->table->row, r->table->rows, r->table->row_capacity) = read;
    return true;
}

/* The line ends with a 0. */
static bool read_line(reader *r, char *line)
{
    char *word[WORDS + 1], *rest = line;
    int words = 0;
    line[strcspn(line, "\r#")] = '\0';
    if (!r->begun) {
        r->begun = strcmp(line, cost_table_heading) == 0;
        return r->begun || refuse(r, r->line, "no table of costs: its first line is '%s'", cost_table_heading);
    }
    for (char *next; words <= WORDS && (next = strtok_r(rest, " \t", &rest));)
        word[words++] = next;
    if (words == 0)
        return true;
    return strcmp(word[0], "message") == 0 ? read_message(r, word, words) : read_row(r, word, words);
}

static bool read_lines(reader *r, int64_t size)
{
    char *at = r->table->text;
    if (memchr(at, 0, (size_t)size))
        return refuse(r, 1, "no table of costs: it is no text");
    do {
        char *end = at + strcspn(at, "\n");
        const bool last = *end == '\0';
        *end = '\0';
        r->line++;
        if (!read_line(r, at))
            return false;
        at = last ? end : end + 1;
    } while (*at);
    return true;
}

static int by_numbers(int64_t x, int64_t y)
{
    return (x > y) - (x < y);
}

static int by_family(const row *x, const row *y)
{
    int order = strcmp(x->skeleton, y->skeleton);
    order = order ? order : strcmp(x->algorithm, y->algorithm);
    return order ? order : by_numbers(x->ranks, y->ranks);
}

static int by_curve(const row *x, const row *y)
{
    const int order = by_family(x, y);
    return order ? order : by_numbers(x->count, y->count);
}

static int by_place(const void *a, const void *b)
{
    const row *x = a, *y = b;
    int order = by_curve(x, y);
    order = order ? order : by_numbers(x->bytes, y->bytes);
    return order ? order : by_numbers(x->line, y->line);
}

static void note_ranks(bmf_cost_table *table, int64_t ranks)
{
    for (int64_t k = 0; k < table->measured_count; k++)
        if (table->measured[k] == ranks)
            return;
    *ARRAY_APPEND(table->measured, table->measured_count, table->measured_capacity) = ranks;
}

static bool make_curves(reader *r)
{
    bmf_cost_table *table = r->table;
    if (table->rows > 1)
        qsort(table->row, (size_t)table->rows, sizeof *table->row, by_place);
    for (int64_t k = 0; k < table->rows; k++) {
        const row *now = &table->row[k], *before = k > 0 ? now - 1 : NULL;
        const bool goes_on = before && by_curve(before, now) == 0;
        if (goes_on && before->bytes == now->bytes)
            return refuse(r, now->line, "the row of line %" PRId64 " again, with another time", before->line);
        if (!goes_on) {
            *ARRAY_APPEND(table->curve, table->curves, table->curve_capacity) = (curve){k, k};
            note_ranks(table, now->ranks);
            if (!before || by_family(before, now) != 0)
                *ARRAY_APPEND(table->family, table->families, table->family_capacity) =
                    (family){table->curves - 1, table->curves};
            table->family[table->families - 1].end = table->curves;
        }
        table->curve[table->curves - 1].end = k + 1;
    }
    return true;
}

bmf_cost_table *cost_table_read(const char *name, const char *text, int64_t size, char *message, size_t message_size)
{
    bmf_cost_table *table = allocate_clear(1, (int64_t)sizeof *table);
    reader r = {.table = table, .message = message, .message_size = message_size};
    table->owners = 1;
    table->name = text_copy(name);
    table->text = allocate(size + 1);
    memcpy(table->text, text, (size_t)size);
    table->text[size] = '\0';
    if (read_lines(&r, size) && make_curves(&r))
        return table;
    cost_table_free(table);
    return NULL;
}

bmf_cost_table *cost_table_share(bmf_cost_table *table)
{
    if (table)
        table->owners++;
    return table;
}

void cost_table_free(bmf_cost_table *table)
{
    if (!table || --table->owners > 0)
        return;
    free(table->name);
    free(table->text);
    free(table->row);
    free(table->curve);
    free(table->family);
    free(table->measured);
    free(table);
}

/* ---- asking ---- */

const char *cost_table_name(const bmf_cost_table *table)
{
    return table->name;
}

const bmf_cost_model *cost_table_message(const bmf_cost_table *table)
{
    return table->has_message ? &table->message : NULL;
}

int64_t cost_table_ranks(const bmf_cost_table *table, int64_t ranks)
{
    int64_t nearest = 0;
    double least = INFINITY;
    for (int64_t k = 0; k < table->measured_count; k++) {
        const int64_t measured = table->measured[k];
        const double times = measured > ranks ? (double)measured / (double)ranks : (double)ranks / (double)measured;
        if (times <= 2 && times < least) {
            least = times;
            nearest = measured;
        }
    }
    return nearest;
}

static const row *first_row(const bmf_cost_table *table, int64_t c)
{
    return &table->row[table->curve[c].begin];
}

static const row *first_family_row(const bmf_cost_table *table, int64_t k)
{
    return first_row(table, table->family[k].begin);
}

bool cost_table_covers(const bmf_cost_table *table, const char *skeleton, int64_t ranks, int64_t count)
{
    const int64_t measured = cost_table_ranks(table, ranks);
    int64_t fewest = INT64_MAX, most = 0;
    for (int64_t k = 0; k < table->families; k++) {
        const row *first = first_family_row(table, k), *last = first_row(table, table->family[k].end - 1);
        if (first->ranks != measured || strcmp(first->skeleton, skeleton) != 0)
            continue;
        fewest = first->count < fewest ? first->count : fewest;
        most = last->count > most ? last->count : most;
    }
    return most > 0 && 2 * count >= fewest && count <= 2 * most;
}

/* A straight line between two sizes; as much for every byte beyond the largest; constant below the smallest. */
static double seconds_of_bytes(const bmf_cost_table *table, int64_t c, double bytes)
{
    const row *first = &table->row[table->curve[c].begin], *end = &table->row[table->curve[c].end];
    const int64_t k = SEARCH_FIRST(i, 0, end - first, (double)first[i].bytes >= bytes);
    if (k == 0)
        return first->seconds;
    const row *below = &first[k - 1];
    if (below + 1 == end)
        return below->bytes > 0 ? below->seconds * bytes / (double)below->bytes : below->seconds;
    const double share = (bytes - (double)below->bytes) / (double)(below[1].bytes - below->bytes);
    return below->seconds + share * (below[1].seconds - below->seconds);
}

/* Whether the curve was measured near that size. Curves of numbers of items at which only some sizes were measured,
 * where algorithms change places, say nothing of others. */
static bool is_near(const bmf_cost_table *table, int64_t c, double bytes)
{
    static const double apart = 8.0, beyond = 2.0; /* neighbouring sizes; a size and the first or last one */
    const row *first = &table->row[table->curve[c].begin], *end = &table->row[table->curve[c].end];
    const int64_t k = SEARCH_FIRST(i, 0, end - first, (double)first[i].bytes >= bytes);
    if (first + k == end)
        return bytes <= beyond * (double)first[k - 1].bytes;
    if (k == 0 || (double)first[k].bytes == bytes)
        return (double)first[k].bytes <= beyond * bytes;
    return (double)first[k].bytes <= apart * (double)first[k - 1].bytes;
}

/* Curves of two numbers of items between which the wanted one lies, if there are such; one that has it is both. */
typedef struct neighbours {
    int64_t low, high; /* -1: none */
    bool between;
} neighbours;

/* The nearest curves that count from `from` on, by steps of 1 or -1, before `end`. */
static void find_two(const bmf_cost_table *table, int64_t from, int64_t end, int step, double bytes, bool anywhere,
                     int64_t found[2])
{
    int count = 0;
    found[0] = found[1] = -1;
    for (int64_t c = from; c != end && count < 2; c += step)
        if (anywhere || is_near(table, c, bytes))
            found[count++] = c;
}

/* Among curves [begin, end) of an algorithm; anywhere: of all sizes. */
static neighbours find_neighbours(const bmf_cost_table *table, int64_t begin, int64_t end, int64_t count, double bytes,
                                  bool anywhere)
{
    const int64_t at = SEARCH_FIRST(c, begin, end, first_row(table, c)->count >= count);
    int64_t below[2], above[2]; /* the nearest one first */
    if (at < end && first_row(table, at)->count == count && (anywhere || is_near(table, at, bytes)))
        return (neighbours){at, at, true};
    find_two(table, at - 1, begin - 1, -1, bytes, anywhere, below);
    find_two(table, at, end, 1, bytes, anywhere, above);
    if (below[0] >= 0 && above[0] >= 0)
        return (neighbours){below[0], above[0], true};
    return below[0] >= 0 ? (neighbours){below[1], below[0], false} : (neighbours){above[0], above[1], false};
}

/* Times grow with items at most as their square. */
static double limited_power(double power)
{
    return power < 0 ? 0 : power > 2 ? 2 : power;
}

double cost_table_seconds(const bmf_cost_table *table, const char *skeleton, const char *algorithm, int64_t ranks,
                          int64_t count, double bytes)
{
    const int64_t measured = cost_table_ranks(table, ranks);
    const row wanted = {.skeleton = skeleton, .algorithm = algorithm, .ranks = measured};
    const int64_t k = SEARCH_FIRST(f, 0, table->families, by_family(first_family_row(table, f), &wanted) >= 0);
    if (measured == 0 || k == table->families || by_family(first_family_row(table, k), &wanted) != 0)
        return NAN;
    const int64_t begin = table->family[k].begin, end = table->family[k].end;
    neighbours curves = find_neighbours(table, begin, end, count, bytes, false);
    if (curves.low < 0 || curves.high < 0)
        curves = find_neighbours(table, begin, end, count, bytes, true);
    if (curves.low < 0 || curves.high < 0 || curves.low == curves.high)
        return seconds_of_bytes(table, curves.low < 0 ? curves.high : curves.low, bytes);
    const double seconds = seconds_of_bytes(table, curves.low, bytes);
    const double next = seconds_of_bytes(table, curves.high, bytes);
    const double items = (double)first_row(table, curves.low)->count;
    const double power = log(next / seconds) / log((double)first_row(table, curves.high)->count / items);
    return seconds * pow((double)count / items, curves.between ? power : limited_power(power));
}

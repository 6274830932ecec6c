/* Lists of numbers on the command line; see the header. */
#include "drivers/command/number_list.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/base/hash.h"
#include "runtime/base/table.h"

typedef struct reader {
    const bmf_number_rule *rule;
    bmf_number_list *list;
    int64_t capacity;
    bmf_table table;
} reader;

typedef struct wanted {
    const double *number;
    double value;
} wanted;

static bool is_number(const void *of, uint32_t k)
{
    const wanted *w = of;
    return w->number[k] == w->value;
}

static uint64_t hash_number(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return hash_word(bits);
}

static bool add(reader *r, double value)
{
    bmf_number_list *list = r->list;
    const wanted w = {list->number, value};
    if (list->count == BMF_NUMBER_LIST_MAX)
        return false;
    table_make_room(&r->table, list->count + 1);
    if (table_find_or_add(&r->table, hash_number(value), is_number, &w, (uint32_t)list->count) == (uint32_t)list->count)
        *ARRAY_APPEND(list->number, list->count, r->capacity) = value;
    return true;
}

/* Microseconds in the unit that stands there, 1 if none does. */
static double read_unit(const char **at)
{
    static const struct {
        const char *unit;
        double microseconds;
    } units[] = {{"us", 1.0}, {"ms", 1e3}, {"s", 1e6}};
    for (size_t k = 0; k < sizeof units / sizeof units[0]; k++) {
        const size_t length = strlen(units[k].unit);
        if (strncmp(*at, units[k].unit, length) == 0) {
            *at += length;
            return units[k].microseconds;
        }
    }
    return 1.0;
}

/* The end of digits, with a point among them that is not one of two. */
static const char *number_end(const char *at)
{
    at += strspn(at, "0123456789");
    if (at[0] == '.' && at[1] != '.')
        at += 1 + strspn(at + 1, "0123456789");
    if (at[0] != 'e' && at[0] != 'E')
        return at;
    const char *exponent = at + 1 + (at[1] == '+' || at[1] == '-');
    const size_t digits = strspn(exponent, "0123456789");
    return digits > 0 ? exponent + digits : at;
}

static bool read_number(const reader *r, const char **at, double *value)
{
    char digits[64];
    const char *end = number_end(*at);
    const size_t length = (size_t)(end - *at);
    if (length == 0 || length >= sizeof digits)
        return false;
    memcpy(digits, *at, length);
    digits[length] = 0;
    *value = strtod(digits, NULL);
    *at = end;
    if (r->rule->times)
        *value *= read_unit(at);
    return *value >= r->rule->min && *value <= r->rule->max && (!r->rule->whole || *value == floor(*value));
}

/* From first to last in steps. */
static bool add_steps(reader *r, double first, double last, double step)
{
    bool right = (last - first) / step < BMF_NUMBER_LIST_MAX;
    for (int64_t k = 0; right && first + (double)k * step <= last * (1.0 + 1e-12); k++)
        right = add(r, first + (double)k * step);
    return right;
}

static bool add_doubled(reader *r, double first, double last)
{
    bool right = first > 0.0;
    for (; right && first < last; first *= 2.0)
        right = add(r, first);
    return right && add(r, last);
}

/* One entry: A, A..B or A..B+S. */
static bool read_entry(reader *r, const char **at)
{
    double first, last, step;
    if (!read_number(r, at, &first))
        return false;
    if (strncmp(*at, "..", 2) != 0)
        return add(r, first);
    *at += 2;
    if (!read_number(r, at, &last) || last < first)
        return false;
    if (**at == '+') {
        ++*at;
        return read_number(r, at, &step) && step > 0.0 && add_steps(r, first, last, step);
    }
    return r->rule->every ? add_steps(r, first, last, 1.0) : add_doubled(r, first, last);
}

bool number_list_read(const char *text, const bmf_number_rule *rule, bmf_number_list *list)
{
    reader r = {.rule = rule, .list = list, .capacity = list->count};
    const char *at = text;
    bool right;
    for (int64_t k = 0; k < list->count; k++) {
        table_make_room(&r.table, k + 1);
        table_add(&r.table, hash_number(list->number[k]), (uint32_t)k);
    }
    do
        right = read_entry(&r, &at);
    while (right && *at++ == ',');
    table_free(&r.table);
    return right && at[-1] == '\0';
}

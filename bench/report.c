/* The table and the JSON object of a benchmark of rows.
 *
 * A bar is judged where the measurement can tell: bandwidths when lists are far larger than the caches, and times that
 * are compared with other times when every thread has a core of its own.
 */
#include "bench/report.h"

#include <string.h>

#include "drivers/command/json.h"

static const double LARGE_BYTES = 256.0 * 1024 * 1024;

void bench_facts_model(bench_facts *facts)
{
    char line[BENCH_TEXT];
    FILE *file = fopen("/proc/cpuinfo", "r");
    snprintf(facts->model, sizeof facts->model, "unknown");
    while (file && fgets(line, sizeof line, file)) {
        const char *value = strchr(line, ':');
        if (value && strncmp(line, "model name", 10) == 0) {
            snprintf(facts->model, sizeof facts->model, "%.*s", (int)strcspn(value + 2, "\n"), value + 2);
            break;
        }
    }
    if (file)
        fclose(file);
}

static bool is_oversubscribed(const bench_facts *facts)
{
    return facts->node_ranks * facts->threads > facts->cores;
}

static double fraction_of(const bench_result *r)
{
    return r->seconds > 0 ? r->limit / r->seconds : 0;
}

static double ratio_of(double a, double b)
{
    return b > 0 ? a / b : 0;
}

/* One condition of a bar: adds it to text and says whether it is met. */
static bool meets(char *text, bool high, const char *what, double value, double bar)
{
    const size_t used = strlen(text);
    snprintf(text + used, BENCH_TEXT - used, "%s%s %s %.4g", used ? ", " : "", what, high ? ">=" : "<=", bar);
    return high ? value >= bar : value <= bar;
}

/* -1: there is no bar, or it cannot be judged here; 0: missed; 1: met. text: the bar in words, "" if none. */
static int judge(const bench_facts *facts, const bench_result *r, char text[BENCH_TEXT])
{
    const bench_bar *bar = &r->row->bar;
    bool met = true;
    text[0] = '\0';
    if (r->status != BMF_OK)
        return -1;
    if (bar->fraction > 0)
        met &= meets(text, true, "fraction_of_limit", fraction_of(r), bar->fraction);
    if (bar->rival > 0)
        met &= meets(text, false, "seconds / free_seconds", ratio_of(r->seconds, r->rival), bar->rival);
    if (bar->ratio > 0)
        met &= meets(text, false, "ratio", ratio_of(r->seconds, r->reference), bar->ratio);
    if (bar->seconds > 0)
        met &= meets(text, false, "seconds", r->seconds, bar->seconds);
    if (text[0] == '\0' || (bar->fraction > 0 && r->min_bytes < LARGE_BYTES) ||
        (bar->seconds == 0 && is_oversubscribed(facts)))
        return -1;
    return met;
}

/* Seconds as milliseconds, or a dash. */
static const char *milliseconds(double seconds, char text[32])
{
    if (seconds > 0)
        snprintf(text, 32, seconds < 1e-3 ? "%.4g" : "%.2f", 1e3 * seconds);
    else
        snprintf(text, 32, "-");
    return text;
}

static const char *number(double value, char text[32])
{
    if (value > 0)
        snprintf(text, 32, "%.3f", value);
    else
        snprintf(text, 32, "-");
    return text;
}

static void print_row(const bench_facts *facts, const bench_result *r, FILE *stream)
{
    char time[32], limit[32], fraction[32], reference[32], ratio[32], bar[BENCH_TEXT];
    if (r->status != BMF_OK) {
        fprintf(stream, "%-16s FAILED: %s\n", r->row->name, r->error);
        return;
    }
    const int met = judge(facts, r, bar);
    fprintf(stream, "%-16s %11lld %10s %10s %8s %10s %7s %9lld %12lld%s%s\n", r->row->name, (long long)r->elements,
            milliseconds(r->seconds, time), milliseconds(r->limit, limit), number(fraction_of(r), fraction),
            milliseconds(r->reference, reference), number(ratio_of(r->seconds, r->reference), ratio),
            (long long)r->messages, (long long)r->bytes, met == 0 ? "  MISSED: " : "", met == 0 ? bar : "");
}

void bench_print_table(const bench_facts *facts, int count, const bench_result *result, FILE *stream)
{
    fprintf(stream, "%s; ranks %d, threads %d, processors %lld; median of %d repeats\n", facts->model, facts->ranks,
            facts->threads, (long long)facts->processors, facts->repeats);
    fprintf(stream, "memory, all ranks: copy %.1f GB/s (read and written), read %.1f GB/s, write %.1f GB/s\n\n",
            1e-9 * facts->copy, 1e-9 * facts->read, 1e-9 * facts->write);
    fprintf(stream, "%-16s %11s %10s %10s %8s %10s %7s %9s %12s\n", "", "", "time", "limit", "of", "by hand", "time /",
            "", "");
    fprintf(stream, "%-16s %11s %10s %10s %8s %10s %7s %9s %12s\n", "skeleton", "elements", "ms", "ms", "limit", "ms",
            "by hand", "messages", "bytes");
    for (int k = 0; k < count; k++)
        print_row(facts, &result[k], stream);
    if (is_oversubscribed(facts))
        fprintf(stream,
                "\nMore threads than cores: times are not valid for comparisons, bars of bandwidth and ratios are "
                "not judged.\n");
}

static json_t *positive(double value)
{
    return value > 0 ? json_real(value) : json_null();
}

static json_t *row_of(const bench_facts *facts, const bench_result *r)
{
    char bar[BENCH_TEXT];
    const int met = judge(facts, r, bar);
    json_t *row = json_pack("{s:s, s:I, s:i, s:i}", "skeleton", r->row->name, "elements", (json_int_t)r->elements,
                            "ranks", facts->ranks, "threads", facts->threads);
    json_object_set_new(row, "seconds", positive(r->seconds));
    json_object_set_new(row, "minimum_seconds", positive(r->minimum));
    json_object_set_new(row, "limit", json_string(bench_limit_name(r->row->limit)));
    json_object_set_new(row, "moved_bytes", json_real(r->min_bytes));
    json_object_set_new(row, "limit_bytes_per_second", positive(r->limit_bandwidth));
    json_object_set_new(row, "limit_seconds", positive(r->limit));
    json_object_set_new(row, "limit_minimum_seconds", positive(r->limit_minimum));
    json_object_set_new(row, "fraction_of_limit", positive(fraction_of(r)));
    json_object_set_new(row, "reference_seconds", positive(r->reference));
    json_object_set_new(row, "reference_minimum_seconds", positive(r->reference_minimum));
    json_object_set_new(row, "ratio", positive(ratio_of(r->seconds, r->reference)));
    if (r->row->rival) {
        json_object_set_new(row, "free_seconds", positive(r->rival));
        json_object_set_new(row, "free_minimum_seconds", positive(r->rival_minimum));
    }
    json_object_set_new(row, "messages", json_integer(r->messages));
    json_object_set_new(row, "bytes", json_integer(r->bytes));
    json_object_set_new(row, "bar", bar[0] ? json_string(bar) : json_null());
    json_object_set_new(row, "meets_bar", met < 0 ? json_null() : json_boolean(met));
    json_object_set_new(row, "verified", json_boolean(r->status == BMF_OK));
    if (r->status != BMF_OK)
        json_object_set_new(row, "error", json_string(r->error));
    return row;
}

int bench_print_json(const bench_facts *facts, int count, const bench_result *result)
{
    json_t *rows = json_array();
    for (int k = 0; k < count; k++)
        json_array_append_new(rows, row_of(facts, &result[k]));
    json_t *all = json_pack("{s:s, s:s, s:i, s:i, s:I, s:i, s:i, s:o, s:o, s:o, s:o}", "benchmark", "skeletons",
                            "processor", facts->model, "ranks", facts->ranks, "threads", facts->threads, "processors",
                            (json_int_t)facts->processors, "cores", facts->cores, "repeats", facts->repeats,
                            "copy_bytes_per_second", positive(facts->copy), "read_bytes_per_second",
                            positive(facts->read), "write_bytes_per_second", positive(facts->write), "rows", rows);
    return json_print(all, BMF_JSON_INDENT);
}

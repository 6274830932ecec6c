/* The table and the JSON object of a benchmark of rows.
 *
 * A bar is judged where the measurement can tell: bandwidths when lists are far larger than the caches, and times that
 * are compared with other times when every thread has a core of its own.
 */
#include "bench/report.h"

#include <string.h>

#include "bench/machine.h"
#include "drivers/command/json.h"

static const double LARGE_BYTES = 256.0 * 1024 * 1024;

static bool is_oversubscribed(const bench_facts *facts)
{
    return facts->node_ranks * facts->threads > facts->cores;
}

static double fraction_of(const bench_result *r)
{
    return r->seconds.median > 0 ? r->limit / r->seconds.median : 0;
}

static double ratio_of(bench_spread a, bench_spread b)
{
    return b.median > 0 ? a.median / b.median : 0;
}

/* The bars of a row that can be judged here: in words, how many, and whether all are met. */
typedef struct verdict {
    char *text; /* BENCH_TEXT bytes */
    int judged;
    bool met;
} verdict;

/* Judges one condition if it is one. */
static void judge(verdict *v, bool is_judged, bool high, const char *what, double value, double bar)
{
    const size_t used = strlen(v->text);
    if (!is_judged || bar <= 0)
        return;
    snprintf(v->text + used, BENCH_TEXT - used, "%s%s %s %.4g", used ? ", " : "", what, high ? ">=" : "<=", bar);
    v->judged++;
    v->met &= high ? value >= bar : value <= bar;
}

/* -1: there is no bar, or it cannot be judged here; 0: missed; 1: met. text: the bar in words, "" if none. */
static int judge_row(const bench_facts *facts, const bench_result *r, char text[BENCH_TEXT])
{
    const bench_bar *bar = &r->row->bar;
    const bool alone = !is_oversubscribed(facts), large = alone && r->min_bytes >= LARGE_BYTES;
    verdict v = {.text = text, .met = true};
    text[0] = '\0';
    if (r->status != BMF_OK)
        return -1;
    judge(&v, large && r->limit > 0, true, "fraction_of_limit", fraction_of(r),
          facts->ranks > 1 && bar->fraction_between > 0 ? bar->fraction_between : bar->fraction);
    judge(&v, large, false, "seconds / free_seconds", ratio_of(r->seconds, r->rival), bar->rival);
    judge(&v, alone, false, "ratio", ratio_of(r->seconds, r->reference), bar->ratio);
    judge(&v, alone && r->peer.median > 0, false, "seconds / peer_seconds", ratio_of(r->seconds, r->peer), 1);
    judge(&v, true, false, "seconds", r->seconds.median, bar->seconds);
    return v.judged > 0 ? v.met : -1;
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

/* Both quartiles of ratios, or a dash. */
static const char *quartiles(bench_spread ratios, char text[32])
{
    if (ratios.lower > 0)
        snprintf(text, 32, "%.2f-%.2f", ratios.lower, ratios.upper);
    else
        snprintf(text, 32, "-");
    return text;
}

static void print_row(const bench_facts *facts, const bench_result *r, FILE *stream)
{
    char text[5][32], bar[BENCH_TEXT];
    if (r->status != BMF_OK) {
        fprintf(stream, "%-16s FAILED: %s\n", r->row->name, r->error);
        return;
    }
    const int met = judge_row(facts, r, bar);
    fprintf(stream, "%-16s %11lld %10s %10s %8s %10s %10s %7s", r->row->name, (long long)r->elements,
            milliseconds(r->seconds.median, text[0]), milliseconds(r->limit, text[1]), number(fraction_of(r), text[2]),
            quartiles(r->fractions, text[3]), milliseconds(r->reference.median, text[4]),
            number(ratio_of(r->seconds, r->reference), (char[32]){0}));
    if (facts->peer)
        fprintf(stream, " %10s %7s %10s", milliseconds(r->peer.median, text[0]),
                number(ratio_of(r->seconds, r->peer), text[1]), quartiles(r->peer_ratios, text[2]));
    fprintf(stream, " %9lld %12lld%s%s\n", (long long)r->messages, (long long)r->bytes, met == 0 ? "  MISSED: " : "",
            met == 0 ? bar : "");
}

static void print_heading(const bench_facts *facts, FILE *stream)
{
    fprintf(stream, "%-16s %11s %10s %10s %8s %10s %10s %7s", "", "", "time", "limit", "of", "", "by hand", "time /");
    if (facts->peer)
        fprintf(stream, " %10s %7s %10s", facts->peer, "time /", "");
    fprintf(stream, " %9s %12s\n%-16s %11s %10s %10s %8s %10s %10s %7s", "", "", "skeleton", "elements", "ms", "ms",
            "limit", "quartiles", "ms", "by hand");
    if (facts->peer)
        fprintf(stream, " %10s %7s %10s", "ms", facts->peer, "quartiles");
    fprintf(stream, " %9s %12s\n", "messages", "bytes");
}

void bench_print_table(const bench_facts *facts, int count, const bench_result *result, FILE *stream)
{
    bench_machine_print(stream);
    fprintf(stream, "ranks %d, threads %d, processors %lld; %s, median of", facts->ranks, facts->threads,
            (long long)facts->processors, count > 0 && result[0].type == BENCH_INT ? "ints" : "reals");
    int least = count > 0 ? result[0].repeats : facts->repeats, most = least;
    for (int k = 0; k < count; k++) {
        least = result[k].repeats < least ? result[k].repeats : least;
        most = result[k].repeats > most ? result[k].repeats : most;
    }
    fprintf(stream, least < most ? " %d to %d repeats\n" : " %d repeats\n", least, most);
    fprintf(stream, "memory, all ranks: copy %.1f GB/s (read and written), read %.1f GB/s, write %.1f GB/s\n\n",
            1e-9 * facts->copy, 1e-9 * facts->read, 1e-9 * facts->write);
    print_heading(facts, stream);
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

static json_t *quartiles_of(bench_spread spread)
{
    return spread.lower > 0 ? json_pack("[f, f]", spread.lower, spread.upper) : json_null();
}

/* Adds NAMEseconds, NAMEminimum_seconds and NAMEquartile_seconds. */
static void add_spread(json_t *row, const char *name, bench_spread spread)
{
    char key[64];
    snprintf(key, sizeof key, "%sseconds", name);
    json_object_set_new(row, key, positive(spread.median));
    snprintf(key, sizeof key, "%sminimum_seconds", name);
    json_object_set_new(row, key, positive(spread.minimum));
    snprintf(key, sizeof key, "%squartile_seconds", name);
    json_object_set_new(row, key, quartiles_of(spread));
}

static void add_limit(json_t *row, const bench_result *r)
{
    json_object_set_new(row, "limit", json_string(bench_limit_name(r->row->limit)));
    json_object_set_new(row, "moved_bytes", json_real(r->min_bytes));
    json_object_set_new(row, "limit_bytes_per_second", positive(r->limit_bandwidth));
    json_object_set_new(row, "limit_seconds", positive(r->limit));
    json_object_set_new(row, "limit_minimum_seconds", positive(r->limit_minimum));
    json_object_set_new(row, "fraction_of_limit", positive(fraction_of(r)));
    json_object_set_new(row, "fraction_quartiles", quartiles_of(r->fractions));
}

static json_t *row_of(const bench_facts *facts, const bench_result *r)
{
    char bar[BENCH_TEXT];
    const int met = judge_row(facts, r, bar);
    json_t *row = json_pack("{s:s, s:s, s:I, s:i, s:i, s:i}", "skeleton", r->row->name, "type",
                            r->type == BENCH_INT ? "int" : "real", "elements", (json_int_t)r->elements, "ranks",
                            facts->ranks, "threads", facts->threads, "repeats", r->repeats);
    add_spread(row, "", r->seconds);
    add_limit(row, r);
    add_spread(row, "reference_", r->reference);
    json_object_set_new(row, "ratio", positive(ratio_of(r->seconds, r->reference)));
    if (r->row->rival)
        add_spread(row, "free_", r->rival);
    if (r->peer.median > 0) {
        add_spread(row, "peer_", r->peer);
        json_object_set_new(row, "peer_ratio", positive(ratio_of(r->seconds, r->peer)));
        json_object_set_new(row, "peer_ratio_quartiles", quartiles_of(r->peer_ratios));
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
    json_t *machine = bench_machine_json();
    json_t *all =
        json_pack("{s:s, s:O, s:o, s:i, s:i, s:I, s:i, s:i, s:o, s:o, s:o, s:o, s:o}", "benchmark", "skeletons",
                  "processor", json_object_get(machine, "model"), "machine", machine, "ranks", facts->ranks, "threads",
                  facts->threads, "processors", (json_int_t)facts->processors, "cores", facts->cores, "repeats",
                  facts->repeats, "copy_bytes_per_second", positive(facts->copy), "read_bytes_per_second",
                  positive(facts->read), "write_bytes_per_second", positive(facts->write), "peer",
                  facts->peer ? json_string(facts->peer) : json_null(), "rows", rows);
    return json_print(all, BMF_JSON_INDENT);
}

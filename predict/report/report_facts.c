/* What a report says in numbers and names, as one JSON object.
 *
 * Method: written piece by piece, since names and links may be many. Texts are valid UTF-8 without control characters,
 * and < > & are written as escapes, so that no text can end the element it stands in. What is not known is null.
 * Source of the format: RFC 8259. Cost: linear in names, nodes, intervals, links.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/report/answer.h"
#include "predict/report/report_private.h"
#include "runtime/base/allocate.h"
#include "runtime/trace/receive_costs.h"

/* At most so many links are in a file: the busiest. */
enum { MAX_LINKS = 20000 };

/* ---- values ---- */

void report_put_piece(bmf_output *out, const char *text)
{
    char *clean = style_text(text ? text : "", BMF_STYLE_JSON), *at = clean;
    while (at && *at) {
        size_t plain = strcspn(at, "<>&");
        output_print(out, "%.*s", (int)plain, at);
        at += plain;
        if (*at)
            output_print(out, "\\u%04x", (unsigned)*at++);
    }
    free(clean);
}

void report_put_text(bmf_output *out, const char *text)
{
    output_text(out, "\"");
    report_put_piece(out, text);
    output_text(out, "\"");
}

static void put_number(bmf_output *out, double value)
{
    if (isfinite(value))
        output_print(out, "%.9g", value);
    else
        output_text(out, "null");
}

static void put_count(bmf_output *out, int64_t value)
{
    output_end(out, put_integer(output_begin(out), value));
}

/* Between the values of an array or object. */
static void put_comma(bmf_output *out, bool first)
{
    output_text(out, first ? "" : ",");
}

static void put_key(bmf_output *out, const char *key)
{
    output_print(out, ",\"%s\":", key);
}

/* ---- intervals ---- */

/* Fields of bmf_characteristics by their names in the file, in any order; those with a place for every kind of
 * communication are arrays. */
typedef struct field {
    const char *name;
    size_t offset;
} field;
#define FIELD(name)                                                                                                    \
    {                                                                                                                  \
#name, offsetof(bmf_characteristics, name)                                                                     \
    }
static const field field_of_all[] = {FIELD(execution),
                                     FIELD(total),
                                     FIELD(productive),
                                     FIELD(compute),
                                     FIELD(file),
                                     FIELD(insufficient),
                                     FIELD(repeated),
                                     FIELD(communication),
                                     FIELD(idle),
                                     FIELD(lost),
                                     FIELD(synchronisation),
                                     FIELD(variation),
                                     FIELD(imbalance),
                                     FIELD(overlap),
                                     FIELD(messages),
                                     FIELD(bytes),
                                     FIELD(receive_waiting),
                                     FIELD(receive_transport),
                                     FIELD(receive_overhead)};
static const field field_of_kinds[] = {FIELD(kind),
                                       {"kindSynchronisation", offsetof(bmf_characteristics, kind_synchronisation)},
                                       {"kindOverlap", offsetof(bmf_characteristics, kind_overlap)},
                                       {"kindRounds", offsetof(bmf_characteristics, kind_rounds)}};
enum {
    FIELDS_OF_ALL = sizeof field_of_all / sizeof *field_of_all,
    FIELDS_OF_KINDS = sizeof field_of_kinds / sizeof *field_of_kinds
};

static const int64_t *field_at(const bmf_characteristics *c, const field *f)
{
    return (const int64_t *)(const void *)((const char *)c + f->offset);
}

/* The numbers that have a name in "columns", and no others. */
static void put_totals(bmf_output *out, const char *key, const bmf_characteristics *c)
{
    put_key(out, key);
    output_text(out, "[");
    for (int k = 0; k < FIELDS_OF_ALL; k++) {
        put_comma(out, k == 0);
        put_count(out, *field_at(c, &field_of_all[k]));
    }
    output_text(out, "]");
}

static void put_kinds(bmf_output *out, const bmf_characteristics *c)
{
    for (int k = 0; k < FIELDS_OF_KINDS; k++) {
        put_key(out, field_of_kinds[k].name);
        output_text(out, "[");
        for (int kind = 0; kind < BMF_COMMUNICATIONS; kind++) {
            put_comma(out, kind == 0);
            put_count(out, field_at(c, &field_of_kinds[k])[kind]);
        }
        output_text(out, "]");
    }
}

static void put_interval(bmf_output *out, const bmf_interval *interval, const uint32_t *place)
{
    const bmf_efficiencies *e = &interval->efficiency;
    const double share[] = {e->efficiency,    e->parallel, e->load_balance, e->communication,
                            e->serialisation, e->transfer, e->replication};
    output_print(out, "{\"type\":\"%s\",", interval_type_name(interval->type));
    output_print(out, "\"node\":%u,\"level\":%d,\"instances\":%lld,\"parent\":%lld", interval->node, interval->level,
                 (long long)interval->instances, (long long)interval->parent);
    put_totals(out, "all", &interval->all);
    put_totals(out, "least", &interval->min);
    put_totals(out, "most", &interval->max);
    put_kinds(out, &interval->all);
    put_key(out, "places");
    output_text(out, "[");
    for (int64_t k = 0; k < interval->places; k++)
        output_print(out, "%s%u", k ? "," : "", place[interval->first_place + k]);
    output_text(out, "]");
    put_key(out, "efficiency");
    output_text(out, "[");
    for (size_t k = 0; k < sizeof share / sizeof *share; k++) {
        put_comma(out, k == 0);
        put_number(out, share[k]);
    }
    output_text(out, "]}\n");
}

static void put_intervals(bmf_output *out, const bmf_intervals *intervals)
{
    put_key(out, "detailed");
    put_count(out, report_detailed(intervals));
    put_key(out, "intervals");
    output_text(out, "[");
    for (int64_t k = 0; intervals && k < intervals->count; k++) {
        put_comma(out, k == 0);
        put_interval(out, &intervals->interval[k], intervals->place);
    }
    output_text(out, "]");
}

/* What the numbers of an interval mean, in their order. */
static void put_columns(bmf_output *out)
{
    static const char *const kind[BMF_COMMUNICATIONS] = {
        [BMF_COMMUNICATION_SPLIT] = "split",     [BMF_COMMUNICATION_GATHER] = "gather",
        [BMF_COMMUNICATION_REDUCE] = "reduce",   [BMF_COMMUNICATION_SCAN] = "scan",
        [BMF_COMMUNICATION_DISTL] = "distl",     [BMF_COMMUNICATION_PROJECT] = "project",
        [BMF_COMMUNICATION_PERMUTE] = "permute", [BMF_COMMUNICATION_OTHER] = "other"};
    put_key(out, "columns");
    output_text(out, "[");
    for (int k = 0; k < FIELDS_OF_ALL; k++)
        output_print(out, "%s\"%s\"", k ? "," : "", field_of_all[k].name);
    output_text(out, "],\"efficiencies\":[\"efficiency\",\"parallel\",\"loadBalance\",\"communication\","
                     "\"serialisation\",\"transfer\",\"replication\"]");
    put_key(out, "kinds");
    output_text(out, "[");
    for (int k = 0; k < BMF_COMMUNICATIONS; k++)
        output_print(out, "%s\"%s\"", k ? "," : "", kind[k]);
    output_text(out, "]");
}

/* ---- links ---- */

static int compare_links(const void *a, const void *b)
{
    const bmf_link_load *x = *(const bmf_link_load *const *)a, *y = *(const bmf_link_load *const *)b;
    if (x->busy != y->busy)
        return x->busy > y->busy ? -1 : 1;
    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    return x < y ? -1 : x > y; /* the order of the network, so that the file is the same every time */
}

static void put_link(bmf_output *out, const bmf_link_load *link)
{
    output_text(out, "[");
    report_put_text(out, link->from);
    output_text(out, ",");
    report_put_text(out, link->to);
    const double place[] = {link->x0, link->y0, link->x1, link->y1};
    for (int k = 0; k < 4; k++) {
        output_text(out, ",");
        put_number(out, place[k]);
    }
    output_print(out, ",%lld,%lld,", (long long)link->messages, (long long)link->bytes);
    put_number(out, link->busy);
    output_text(out, "]");
}

/* The busiest first. */
static void put_links(bmf_output *out, const bmf_link_load *load, int64_t loads)
{
    const bmf_link_load **order = allocate_array(loads, (int64_t)sizeof *order);
    int64_t shown = loads < MAX_LINKS ? loads : MAX_LINKS;
    for (int64_t k = 0; k < loads; k++)
        order[k] = &load[k];
    qsort(order, (size_t)loads, sizeof(const bmf_link_load *), compare_links);
    put_key(out, "linkCount");
    put_count(out, loads);
    put_key(out, "links");
    output_text(out, "[");
    for (int64_t k = 0; k < shown; k++) {
        put_comma(out, k == 0);
        put_link(out, order[k]);
    }
    output_text(out, "]");
    free(order);
}

/* ---- runs ---- */

static void put_names(bmf_output *out, const bmf_trace_run *run)
{
    put_key(out, "names");
    output_text(out, "[");
    for (uint32_t k = 0; k < run->names; k++) {
        put_comma(out, k == 0);
        report_put_text(out, run->name[k]);
    }
    output_text(out, "]");
    put_key(out, "nodes");
    output_text(out, "[");
    for (uint32_t k = 0; k < run->nodes; k++)
        output_print(out, "%s[%u,%u,%u]", k ? "," : "", run->node[k].parent, run->node[k].name, run->node[k].kind);
    output_text(out, "]");
}

/* What receivers spend on a message themselves: pairs of bytes and nanoseconds, by rising bytes. */
static void put_receives(bmf_output *out, const bmf_trace_run *run)
{
    bmf_receive_costs costs;
    receive_costs_read(run, &costs);
    put_key(out, "receives");
    output_text(out, "[");
    for (int k = 0; k < costs.count; k++)
        output_print(out, "%s[%lld,%lld]", k ? "," : "", (long long)costs.bytes[k], (long long)costs.nanoseconds[k]);
    output_text(out, "]");
}

/* What a run is called. Two measured runs have no better names than their order. */
static const char *name_of(const bmf_report_contents *report, int number)
{
    if (report->runs == 2 && report->run[0]->predicted == report->run[1]->predicted)
        return number == 0 ? "first" : "second";
    return report->run[number]->predicted ? "predicted" : "measured";
}

static void put_run(bmf_output *out, const bmf_report_contents *report, const bmf_view *view, int number)
{
    const bmf_trace_run *run = report->run[number];
    const bmf_expected_length *expected = &report->expected[number];
    const bool uncertain = expected->high > expected->low;
    output_print(out, "{\"name\":\"%s\",\"predicted\":%s,\"program\":", name_of(report, number),
                 run->predicted ? "true" : "false");
    report_put_text(out, run->program);
    put_key(out, "machine");
    report_put_text(out, run->machine);
    output_print(out, ",\"processors\":%d,\"ranks\":%d,\"threads\":%d,\"events\":%lld,\"dropped\":%lld,\"end\":%lld",
                 run->lanes, run->ranks, run->threads, (long long)run->events, (long long)run->dropped,
                 (long long)view->end);
    put_key(out, "median");
    put_number(out, expected->median > 0 ? expected->median : NAN);
    put_key(out, "low");
    put_number(out, uncertain ? expected->low : NAN);
    put_key(out, "high");
    put_number(out, uncertain ? expected->high : NAN);
    put_key(out, "files");
    put_number(out, expected->files);
    put_receives(out, run);
    put_names(out, run);
    put_intervals(out, report->intervals[number]);
    put_links(out, report->load[number], report->loads[number]);
    output_text(out, "}");
}

/* ---- comparison and speed-up ---- */

static void put_ratio(bmf_output *out, const bmf_ratio *ratio)
{
    output_text(out, "[");
    put_number(out, ratio->measured);
    output_text(out, ",");
    put_number(out, ratio->predicted);
    output_print(out, ",%lld,", (long long)ratio->events);
    put_number(out, ratio->median);
    output_text(out, ",");
    put_number(out, ratio->p90);
    output_text(out, "]");
}

static void put_ratios(bmf_output *out, const char *key, const bmf_ratio *ratio, int64_t count)
{
    put_key(out, key);
    output_text(out, "[");
    for (int64_t k = 0; k < count; k++) {
        put_comma(out, k == 0);
        put_ratio(out, &ratio[k]);
    }
    output_text(out, "]");
}

static void put_comparison(bmf_output *out, const bmf_comparison *c)
{
    put_key(out, "comparison");
    if (!c) {
        output_text(out, "null");
        return;
    }
    output_print(out, "{\"sameProcessors\":%s,\"pairs\":%lld,\"onlyMeasured\":%lld,\"onlyPredicted\":%lld",
                 c->same_processors ? "true" : "false", (long long)c->pairs, (long long)c->only_measured,
                 (long long)c->only_predicted);
    output_print(out, ",\"messages\":[%lld,%lld],\"bytes\":[%lld,%lld],\"covered\":%lld,\"withInterval\":%lld",
                 (long long)c->measured_messages, (long long)c->predicted_messages, (long long)c->measured_bytes,
                 (long long)c->predicted_bytes, (long long)c->covered, (long long)c->with_interval);
    put_ratios(out, "common", &c->common, 1);
    put_ratios(out, "total", &c->total, 1);
    put_ratios(out, "state", c->state, BMF_EVENT_KINDS);
    put_ratios(out, "node", c->node, c->node ? c->nodes : 0);
    put_key(out, "nodeMatch");
    output_text(out, "[");
    for (int64_t k = 0; c->node_match && k < c->nodes; k++)
        output_print(out, "%s%lld", k ? "," : "", c->node_match[k] == UINT32_MAX ? -1LL : (long long)c->node_match[k]);
    output_text(out, "]}");
}

static void put_scaling(bmf_output *out, const bmf_scaling *scaling, int64_t points)
{
    put_key(out, "scaling");
    output_text(out, "[");
    for (int64_t k = 0; k < points; k++) {
        const double seconds[] = {scaling[k].seconds, scaling[k].low, scaling[k].high};
        output_print(out, "%s[%lld", k ? "," : "", (long long)scaling[k].processors);
        for (int j = 0; j < 3; j++) {
            output_text(out, ",");
            put_number(out, seconds[j]);
        }
        output_print(out, ",%d,%d]", scaling[k].measured, scaling[k].in_domain);
    }
    output_text(out, "]");
}

/* The lines of the paragraph that comes first. */
static void put_answer(bmf_output *out, const bmf_report_contents *report)
{
    char *answer = report_answer(report), *rest = answer, *line;
    put_key(out, "answer");
    output_text(out, "[");
    for (bool first = true; (line = strsep(&rest, "\n")); first = false) {
        put_comma(out, first);
        report_put_text(out, line);
    }
    output_text(out, "]");
    free(answer);
}

void report_put_facts(bmf_output *out, const bmf_report_contents *report, const bmf_view view[2])
{
    output_text(out, "{\"title\":");
    report_put_text(out, report->title);
    put_answer(out, report);
    put_columns(out);
    put_key(out, "runs");
    output_text(out, "[");
    for (int k = 0; k < report->runs; k++) {
        put_comma(out, k == 0);
        put_run(out, report, &view[k], k);
    }
    output_text(out, "]");
    put_comparison(out, report->comparison);
    put_scaling(out, report->scaling, report->points);
    report_put_topologies(out, report);
    report_put_sources(out, report);
    output_text(out, "}");
}

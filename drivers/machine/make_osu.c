/* Machines from what other benchmarks measured: osu_latency and osu_bw of the OSU Micro-Benchmarks, PingPong of the
 * Intel MPI Benchmarks.
 *
 * Method: the time of the smallest message is the latency; the bandwidth is the largest that osu_bw measured, or that
 * of the two largest messages of the ping-pong; what a stream of smallest messages takes for each (osu_bw) is the
 * overhead of the sender and, as nothing tells them apart, of the receiver, at most a quarter of the latency. How far
 * the times in between are from that line is written as relative_error: its largest, as protocols have steps that a
 * line has not.
 * Sources of the formats: OSU Micro-Benchmarks 5 to 7, README; Intel MPI Benchmarks User Guide, "Output Formats". */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/machine/machine.h"
#include "bmf/status.h"

enum { MAX_ROWS = 256, LINE = 512 };

typedef enum measure { MEASURE_NONE, MEASURE_LATENCY, MEASURE_BANDWIDTH, MEASURE_PING_PONG } measure;

typedef struct row {
    double bytes, value; /* microseconds, or MB/s */
} row;

typedef struct osu {
    row latency[MAX_ROWS], bandwidth[MAX_ROWS];
    int latencies, bandwidths;
} osu;

/* What the lines that follow are, if this one says it. */
static measure measure_of(const char *line, measure now)
{
    if (strstr(line, "Bandwidth Test") || strstr(line, "Bandwidth (MB/s)"))
        return strstr(line, "Bi-Directional") ? MEASURE_NONE : MEASURE_BANDWIDTH;
    if (strstr(line, "Latency Test") || strstr(line, "Latency (us)"))
        return MEASURE_LATENCY;
    if (strstr(line, "Benchmarking "))
        return strstr(line, "Benchmarking PingPong") ? MEASURE_PING_PONG : MEASURE_NONE;
    return now;
}

static int fail(const char *path, int line, const char *text)
{
    return bmf_fail(NULL, BMF_ERROR_FILE, "%s:%d: %s", path, line, text);
}

/* "bytes value", or "bytes repetitions value .." of a ping-pong. False: no row. */
static bool read_row(const char *line, measure of, row *read)
{
    char *end, *next;
    read->bytes = strtod(line, &end);
    if (end == line)
        return false;
    if (of == MEASURE_PING_PONG) {
        strtod(end, &next);
        if (next == end)
            return false;
        end = next;
    }
    read->value = strtod(end, &next);
    return next != end && isfinite(read->value) && read->value > 0.0 && read->bytes >= 0.0 && isfinite(read->bytes);
}

static int add_row(osu *to, const char *path, int line, measure of, row read)
{
    const bool bandwidth = of == MEASURE_BANDWIDTH;
    row *rows = bandwidth ? to->bandwidth : to->latency;
    int *count = bandwidth ? &to->bandwidths : &to->latencies;
    if (*count == MAX_ROWS)
        return fail(path, line, "more rows than a benchmark has");
    if (*count > 0 && read.bytes <= rows[*count - 1].bytes)
        return fail(path, line, "sizes must grow from row to row; was another file of the same benchmark given, too?");
    rows[(*count)++] = read;
    return BMF_OK;
}

static int read_file(const char *path, osu *to)
{
    char line[LINE];
    measure of = MEASURE_NONE;
    int number = 0, rows = 0, status = BMF_OK;
    FILE *file = fopen(path, "r");
    if (!file)
        return bmf_fail(NULL, BMF_ERROR_FILE, "cannot read '%s'", path);
    while (status == BMF_OK && fgets(line, sizeof line, file)) {
        const char *at = line + strspn(line, " \t\r\n");
        row read;
        number++;
        if (*at == '#') {
            of = measure_of(at, of);
        } else if (*at && of != MEASURE_NONE && isdigit((unsigned char)*at)) {
            status = read_row(at, of, &read) ? add_row(to, path, number, of, read)
                                             : fail(path, number, "this is no row of a size and a time or bandwidth");
            rows++;
        }
    }
    fclose(file);
    if (status == BMF_OK && rows == 0)
        return bmf_fail(NULL, BMF_ERROR_FILE,
                        "%s has no results of osu_latency, osu_bw or the PingPong of the Intel MPI Benchmarks", path);
    return status;
}

/* ---- the network ---- */

typedef struct line {
    double latency, overhead; /* microseconds; overhead: of each end, in latency */
    double bandwidth;         /* MB/s, that is bytes a microsecond */
    double misfit;            /* the largest relative error of the measured times */
} line;

static int find_line(const osu *measured, line *found)
{
    const int n = measured->latencies;
    const row *t = measured->latency, *b = measured->bandwidth;
    *found = (line){.latency = t[0].value};
    for (int k = 0; k < measured->bandwidths; k++)
        found->bandwidth = fmax(found->bandwidth, b[k].value);
    if (measured->bandwidths == 0 && n >= 2 && t[n - 1].value > t[n - 2].value)
        found->bandwidth = (t[n - 1].bytes - t[n - 2].bytes) / (t[n - 1].value - t[n - 2].value);
    if (!(found->bandwidth > 0.0))
        return bmf_fail(NULL, BMF_ERROR_FILE, "the times do not grow with the sizes: give osu_bw, or longer messages");
    if (measured->bandwidths > 0 && b[0].bytes > 0.0 && b[0].bytes <= 8.0)
        found->overhead = fmin(b[0].bytes / b[0].value, found->latency / 4.0);
    for (int k = 0; k < n; k++)
        found->misfit = fmax(found->misfit, fabs(log(t[k].value / (found->latency + t[k].bytes / found->bandwidth))));
    found->misfit = expm1(found->misfit);
    return BMF_OK;
}

int machine_make_osu(const bmf_machine_making *making, char **text)
{
    osu measured = {.latencies = 0};
    line found;
    size_t size;
    *text = NULL;
    for (int k = 0; k < making->osu.count; k++)
        BMF_TRY(read_file(making->osu.text[k], &measured));
    if (measured.latencies == 0)
        return bmf_fail(NULL, BMF_ERROR_FILE, "%s has bandwidths only: latencies are needed, too (osu_latency)",
                        making->osu.text[0]);
    BMF_TRY(find_line(&measured, &found));
    FILE *to = open_memstream(text, &size);
    if (!to)
        return bmf_fail(NULL, BMF_ERROR_MEMORY, "no memory for the file's text");
    fputs("# A network that other benchmarks measured. Of", to);
    for (int k = 0; k < making->osu.count; k++)
        fprintf(to, "%s %.200s", k ? "," : "", making->osu.text[k]);
    fprintf(to, ":\n# %.4g us for the smallest message, %.5g MB/s; times in between are within %.0f %% of that line.\n",
            found.latency, found.bandwidth, 100.0 * found.misfit);
    fputs("name = ", to);
    machine_put_text(to, making->name ? making->name : "measured");
    fputs(";\n", to);
    if (making->processors > 0)
        fprintf(to, "processors = %lld;\n", (long long)making->processors);
    fprintf(to, "relative_error = %.3g;\ncompute = { power = 1.0; };\n", fmin(fmax(found.misfit, 0.02), 10.0));
    fprintf(to,
            "network = { type = \"hockney\"; latency_us = %.6g; bandwidth_mb_per_s = %.6g; send_us = %.6g;\n"
            "            receive_us = %.6g; ports = \"single\"; };\n",
            found.latency - 2.0 * found.overhead, found.bandwidth, found.overhead, found.overhead);
    fclose(to);
    return BMF_OK;
}

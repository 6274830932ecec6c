/* Machines of nodes with several processors, from two data sheets: messages between nodes and inside one.
 *
 * Method: the network is of type "cluster". Of either sheet recv(d), what a receiver waits that begins with the sender,
 * gives a line: its slope is taken between the ends of the domain, the rest from its smallest size. Where messages that
 * follow each other were measured, the slope is that of gapout, the rate of a node's link. What a sender
 * (isend1, or send without it) and a receiver (recvmin) are busy for a smallest message are their overheads, the
 * smaller of both sheets', as processors have only one; what is left of the smallest message is latency. How far the
 * equations are from the lines at powers of two is relative_error: its largest, as protocols have steps that a line has
 * not. Cost: reading the sheets. */
#include <math.h>

#include "bmf/status.h"
#include "drivers/machine/machine.h"
#include "predict/sheet/sheet.h"

/* Messages of one level; seconds and bytes. */
typedef struct level {
    double smallest, send, receive; /* of the smallest message: all of it; its sender; its receiver */
    double bandwidth, misfit;
} level;

static int time_of(const bmf_sheet *sheet, const char *operation, double elements, double *seconds)
{
    bmf_estimate estimate;
    BMF_TRY(sheet_evaluate(sheet, operation, 2.0, elements, &estimate));
    *seconds = fmax(estimate.mean, 0.0);
    return BMF_OK;
}

/* Bytes a second by which the operation's times grow over its domain; 0 if they do not. */
static int find_rate(const bmf_sheet *sheet, const char *operation, double *rate)
{
    int64_t count;
    const bmf_sheet_entry *entry = sheet_find(sheet, operation, &count);
    const double low = (double)entry[0].d_low, high = (double)entry[count - 1].d_high;
    double shortest, longest;
    BMF_TRY(time_of(sheet, operation, low, &shortest));
    BMF_TRY(time_of(sheet, operation, high, &longest));
    *rate = longest > shortest ? (high - low) * entry->element_bytes / (longest - shortest) : 0.0;
    return BMF_OK;
}

static int find_level(const char *path, const bmf_sheet *sheet, level *found)
{
    int64_t count, others;
    const bmf_sheet_entry *recv = sheet_find(sheet, "recv", &count);
    if (!recv || recv->element_bytes < 1)
        return bmf_fail(NULL, BMF_ERROR_FILE, "%s does not say %s", path,
                        recv ? "how large an element of 'recv' is" : "what 'recv' takes: measure point-to-point");
    const double low = (double)recv[0].d_low, high = (double)recv[count - 1].d_high, bytes = recv->element_bytes;
    BMF_TRY(time_of(sheet, "recv", low, &found->smallest));
    BMF_TRY(time_of(sheet, sheet_find(sheet, "isend1", &others) ? "isend1" : "send", low, &found->send));
    BMF_TRY(time_of(sheet, "recvmin", low, &found->receive));
    const char *growing = sheet_find(sheet, "gapout", &others) ? "gapout" : "recv";
    BMF_TRY(find_rate(sheet, growing, &found->bandwidth));
    if (!(found->bandwidth > 0.0))
        return bmf_fail(NULL, BMF_ERROR_FILE, "%s: the times of '%s' do not grow with the sizes", path, growing);
    found->misfit = 0.0;
    for (double d = fmax(low, 1.0); d <= high; d *= 2.0) {
        double seconds;
        const double line = found->smallest + (d - low) * bytes / found->bandwidth;
        BMF_TRY(time_of(sheet, "recv", d, &seconds));
        if (seconds > 0.0 && line > 0.0)
            found->misfit = fmax(found->misfit, expm1(fabs(log(seconds / line))));
    }
    return BMF_OK;
}

static int read_level(const char *path, level *found)
{
    bmf_sheet *sheet;
    BMF_TRY(sheet_read(path, &sheet));
    const int status = find_level(path, sheet, found);
    sheet_free(sheet);
    return status;
}

int machine_find_levels(const bmf_machine_making *making, bmf_machine_levels *levels)
{
    level between, inside;
    BMF_TRY(read_level(making->sheet, &between));
    BMF_TRY(read_level(making->inside, &inside));
    levels->send = fmin(between.send, inside.send);
    levels->receive = fmin(between.receive, inside.receive);
    levels->latency = fmax(between.smallest - levels->send - levels->receive, 0.0);
    levels->node_latency = fmax(inside.smallest - levels->send - levels->receive, 0.0);
    levels->bandwidth = between.bandwidth;
    levels->node_bandwidth = inside.bandwidth;
    levels->relative_error = fmin(fmax(fmax(between.misfit, inside.misfit), 0.02), 10.0);
    return BMF_OK;
}

void machine_put_levels(FILE *to, const bmf_machine_making *making, const bmf_machine_levels *levels)
{
    fprintf(to,
            "network = { type = \"cluster\"; latency_us = %.6g; bandwidth_mb_per_s = %.6g; send_us = %.6g;\n"
            "            receive_us = %.6g; node_latency_us = %.6g; node_bandwidth_mb_per_s = %.6g;\n"
            "            processors_per_node = %lld; };\n",
            levels->latency * 1e6, levels->bandwidth * 1e-6, levels->send * 1e6, levels->receive * 1e6,
            levels->node_latency * 1e6, levels->node_bandwidth * 1e-6, (long long)making->per_node);
}

/* Intervals as tables for a terminal: where the time went, efficiencies, kinds of communication, processors. */
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/convert/view.h"
#include "drivers/runs.h"
#include "predict/report/answer.h"
#include "predict/report/peaks.h"
#include "runtime/base/allocate.h"

enum { NAME_WIDTH = 34, INDENT = 2 };

typedef char number[BMF_NUMBER_TEXT];

/* Columns of a string: its bytes that are not in the middle of a character. */
static int width_of(const char *text)
{
    int width = 0;
    for (; *text; text++)
        width += ((unsigned char)*text & 0xc0) != 0x80;
    return width;
}

/* The name of an interval, indented by its level, in NAME_WIDTH columns; too long ones end in two dots. */
static void print_name(const bmf_shown *shown, const bmf_interval *interval)
{
    const bmf_trace_run *run = shown->intervals->run;
    char *clean = style_text(run->name[run->node[interval->node].name], BMF_STYLE_PLAIN);
    const char *name = clean ? clean : "";
    int indent = (interval->level - shown->intervals->interval[shown->from].level) * INDENT;
    indent = indent < NAME_WIDTH - 8 ? indent : NAME_WIDTH - 8;
    int room = NAME_WIDTH - indent, columns = 0;
    bool cut = width_of(name) > room;
    printf("%*s", indent, "");
    for (; *name; name++) {
        bool starts = ((unsigned char)*name & 0xc0) != 0x80;
        if (cut && starts && columns == room - 2)
            break;
        columns += starts;
        putchar(*name);
    }
    fputs(cut ? ".." : "", stdout);
    printf("%*s", room - columns - (cut ? 2 : 0), "");
    free(clean);
}

static double share(int64_t part, int64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : NAN;
}

static void print_times(const bmf_shown *shown, const bmf_interval *interval)
{
    const bmf_characteristics *all = &interval->all;
    number time, productive, insufficient, communication, idle, late;
    print_name(shown, interval);
    printf(" %8lld %9s %10s %12s %13s %8s %12s\n", (long long)interval->instances, text_nanos(all->execution, time),
           text_percent(share(all->productive, all->total), productive),
           text_percent(share(all->insufficient, all->total), insufficient),
           text_percent(share(all->communication, all->total), communication),
           text_percent(share(all->idle, all->total), idle),
           text_percent(share(all->synchronisation, all->total), late));
}

static void print_efficiencies(const bmf_shown *shown, const bmf_interval *interval)
{
    const bmf_efficiencies *e = &interval->efficiency;
    number text[9];
    print_name(shown, interval);
    printf(" %8s %6s %6s %6s %6s %6s  %9s %9s %9s\n", text_ratio(e->efficiency, text[0]),
           text_ratio(e->load_balance, text[1]), text_ratio(e->communication, text[2]),
           text_ratio(e->serialisation, text[3]), text_ratio(e->transfer, text[4]), text_ratio(e->replication, text[5]),
           text_nanos(interval->min.compute, text[6]),
           text_nanos(interval->all.compute / shown->intervals->processors, text[7]),
           text_nanos(interval->max.compute, text[8]));
}

/* Where an interval is entered in the source, without directories. */
static void print_places(const bmf_shown *shown, const bmf_interval *interval)
{
    enum { SHOWN = 3 };
    const bmf_intervals *intervals = shown->intervals;
    for (int64_t k = 0; k < interval->places && k < SHOWN; k++) {
        const char *place = intervals->run->name[intervals->place[interval->first_place + k]];
        const char *directory = strrchr(place, '/');
        char *clean = style_text(directory ? directory + 1 : place, BMF_STYLE_PLAIN);
        printf("%s%s", k ? ", " : "  ", clean ? clean : "");
        free(clean);
    }
    if (interval->places > SHOWN)
        printf(" and %lld more", (long long)interval->places - SHOWN);
}

static void print_sources(const bmf_shown *shown, const bmf_interval *interval)
{
    const bmf_characteristics *all = &interval->all;
    number text[3];
    print_name(shown, interval);
    printf(" %-10s %9s %9s %9s", interval_type_name(interval->type), text_nanos(all->receive_waiting, text[0]),
           text_nanos(all->receive_transport, text[1]), text_nanos(all->receive_overhead, text[2]));
    print_places(shown, interval);
    putchar('\n');
}

static void print_rows(const bmf_shown *shown, void (*print)(const bmf_shown *, const bmf_interval *))
{
    const bmf_interval *interval = shown->intervals->interval;
    int64_t hidden = 0;
    for (int64_t i = shown->from; i < shown->until; i++)
        if (interval[i].level - interval[shown->from].level < shown->depth)
            print(shown, &interval[i]);
        else
            hidden++;
    if (hidden)
        printf("  .. and %lld interval%s below\n", (long long)hidden, hidden == 1 ? "" : "s");
}

static void print_kinds(const bmf_shown *shown)
{
    const bmf_characteristics *all = &shown->intervals->interval[shown->from].all;
    bool heading = false;
    for (int k = 0; k < BMF_COMMUNICATIONS; k++) {
        number time, late, overlap;
        if (all->kind_rounds[k] == 0)
            continue;
        if (!heading)
            printf("\n%-*s %8s %11s %13s %11s %10s\n", NAME_WIDTH, "communication", "rounds", "time", "late partner",
                   "overlapped", "operations");
        heading = true;
        printf("%-*s %8lld %11s %13s %11s %10lld\n", NAME_WIDTH, communication_name((bmf_communication)k),
               (long long)all->kind_rounds[k], text_nanos(all->kind[k], time),
               text_nanos(all->kind_synchronisation[k], late), text_nanos(all->kind_overlap[k], overlap),
               (long long)shown->intervals->interval[shown->from].operations[k]);
    }
}

static void print_processors(const bmf_shown *shown)
{
    const bmf_intervals *intervals = shown->intervals;
    bmf_characteristics *each = allocate_array(intervals->processors, (int64_t)sizeof *each);
    intervals_each(intervals, shown->from, each);
    bmf_held_peak *peak = allocate_array(intervals->processors, (int64_t)sizeof *peak);
    const bool known = held_peaks(intervals->run, peak) >= 0;
    printf("\n%9s %9s %10s %12s %13s %9s %12s %10s %10s %12s%s\n", "processor", "time", "productive", "insufficient",
           "communication", "idle", "late partner", "overlapped", "messages", "bytes", known ? " memory at most" : "");
    for (int32_t p = 0; p < intervals->processors; p++) {
        const bmf_characteristics *c = &each[p];
        number text[7];
        printf("%9d %9s %10s %12s %13s %9s %12s %10s %10lld %12lld", p, text_nanos(c->execution, text[0]),
               text_nanos(c->productive, text[1]), text_nanos(c->insufficient, text[2]),
               text_nanos(c->communication, text[3]), text_nanos(c->idle, text[4]),
               text_nanos(c->synchronisation, text[5]), text_nanos(c->overlap, text[6]), (long long)c->messages,
               (long long)c->bytes);
        if (known)
            printf(" %14lld", (long long)peak[p].bytes);
        putchar('\n');
    }
    free(peak);
    free(each);
}

static void print_summary(const bmf_shown *shown)
{
    const bmf_interval *whole = &shown->intervals->interval[shown->from];
    char *run = text_run(shown->intervals->run);
    number time, productive;
    if (shown->answer)
        answer_print(shown->answer);
    printf("%s\n", run ? run : "");
    printf("  %s, productive %s, %lld message%s, %lld byte%s\n", text_nanos(whole->all.execution, time),
           text_percent(whole->efficiency.efficiency, productive), (long long)whole->all.messages,
           whole->all.messages == 1 ? "" : "s", (long long)whole->all.bytes, whole->all.bytes == 1 ? "" : "s");
    bmf_held_peak peak;
    if (held_peak(shown->intervals->run, &peak))
        printf("  memory: at most %lld bytes of lists, on processor %d from %s on\n", (long long)peak.bytes, peak.lane,
               text_nanos(peak.time, time));
    puts("");
    free(run);
}

void report_print(const bmf_shown *shown)
{
    print_summary(shown);
    printf("%-*s %8s %9s %10s %12s %13s %8s %12s\n", NAME_WIDTH, "interval", "times", "time", "productive",
           "insufficient", "communication", "idle", "late partner");
    print_rows(shown, print_times);
    printf("\n%-*s %8s %6s %6s %6s %6s %6s  %29s\n", NAME_WIDTH, "", "effi-", "load", "commu-", "seria-", "trans-",
           "repli-", "computing of a processor");
    printf("%-*s %8s %6s %6s %6s %6s %6s  %9s %9s %9s\n", NAME_WIDTH, "interval", "ciency", "bal.", "nic.", "lis.",
           "fer", "cation", "least", "mean", "most");
    print_rows(shown, print_efficiencies);
    printf("\n%-*s %-10s %29s\n", NAME_WIDTH, "", "", "receives of all processors");
    printf("%-*s %-10s %9s %9s %9s  %s\n", NAME_WIDTH, "interval", "type", "waiting", "transport", "overhead",
           "place in the source");
    print_rows(shown, print_sources);
    print_kinds(shown);
    if (shown->processors)
        print_processors(shown);
    if (shown->why)
        printf("note: serialisation and transfer are not known: %s\n", shown->why);
    print_remarks(shown->intervals->run);
}

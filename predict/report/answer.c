/* The paragraph that a report begins with.
 *
 * Method: the first interval of a run is the whole program. The step that most of its time goes to, and the one that
 * most of a loss belongs to, are found from the program downwards: into the child that has most, as long as that is
 * nearly all of what its parent has. What limits a run is the largest of its losses (docs/intervals.md), told apart by
 * its parts. What would help is how much shorter it is replayed without messages, and with even computing.
 *
 * If all messages take s of their time, the run's length L(s) is the length of the longest of many paths, each linear
 * in s, so it is convex: L(1/2) <= (L(0) + L(1)) / 2, and what messages of half the time save is between a half and
 * all of what messages without any save. A path without messages takes L(0) at most, so computing that is twice as
 * fast saves at most half of that. */
#include "predict/report/answer.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "predict/replay/replay.h"
#include "predict/report/numbers.h"
#include "predict/report/remedies.h"
#include "runtime/base/allocate.h"
#include "runtime/base/text.h"

/* A step is named instead of its parent if it has that share of what the parent has; the longest step is said to
 * be most of the run from MOST on, and not named below SMALL; a run is limited by computing from BUSY on, its
 * computing uneven below EVEN. */
static const double NEARLY_ALL = 0.7, MOST = 0.5, SMALL = 0.05, BUSY = 0.8, EVEN = 0.9;
/* Shares below are not worth a word. */
static const double LEAST = 0.005;

typedef char number[BMF_NUMBER_TEXT];

/* ---- the paragraph ---- */

typedef struct paragraph {
    FILE *stream;
    char *text;
    size_t size;
} paragraph;

static void say(paragraph *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(paragraph *to, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vfprintf(to->stream, format, values);
    va_end(values);
}

static const char *plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

/* A text of a trace; the end of a long one is left out. */
static void say_name(paragraph *to, const char *name)
{
    enum { CHARACTERS = 60 };
    char *clean = text_copy(name ? name : "");
    int characters = 0;
    text_make_line(clean);
    for (char *at = clean; *at; at++)
        if (((unsigned char)*at & 0xc0) != 0x80 && ++characters > CHARACTERS) {
            say(to, "%.*s..", (int)(at - clean), clean);
            free(clean);
            return;
        }
    say(to, "%s", clean);
    free(clean);
}

/* How many times as long or as much. */
static void say_times_as(paragraph *to, double ratio, const char *as)
{
    say(to, ratio < 1000 ? "%.3g times %s" : "%.0f times %s", ratio, as);
}

/* ---- steps ---- */

typedef int64_t (*value_of)(const bmf_interval *);

static int64_t execution_of(const bmf_interval *i)
{
    return i->all.execution;
}

static int64_t waiting_of(const bmf_interval *i)
{
    return i->all.synchronisation;
}

static int64_t moving_of(const bmf_interval *i)
{
    return i->all.communication - i->all.synchronisation;
}

static int64_t insufficient_of(const bmf_interval *i)
{
    return i->all.insufficient;
}

static int64_t file_of(const bmf_interval *i)
{
    return i->all.file;
}

static int64_t compute_of(const bmf_interval *i)
{
    return i->all.compute;
}

/* The interval right below another one that has most, or -1. */
static int64_t largest_child(const bmf_intervals *all, int64_t parent, value_of value)
{
    int64_t best = -1;
    for (int64_t k = parent + 1; k < all->count && all->interval[k].level > all->interval[parent].level; k++)
        if (all->interval[k].parent == parent && (best < 0 || value(&all->interval[k]) > value(&all->interval[best])))
            best = k;
    return best;
}

/* The innermost step that has nearly all of what the step around it has; -1 if no step has `first` of the
 * program's. */
static int64_t find_step(const bmf_intervals *all, value_of value, double first)
{
    int64_t at = 0;
    for (;;) {
        const int64_t child = largest_child(all, at, value);
        const double wanted = (at == 0 ? first : NEARLY_ALL) * (double)value(&all->interval[at]);
        if (child < 0 || value(&all->interval[child]) <= 0 || (double)value(&all->interval[child]) < wanted)
            return at == 0 ? -1 : at;
        at = child;
    }
}

/* "P_Reduce (squares.bmf:4:60)". */
static void say_step(paragraph *to, const bmf_intervals *all, int64_t index)
{
    const bmf_interval *interval = &all->interval[index];
    say_name(to, all->run->name[all->run->node[interval->node].name]);
    if (interval->places > 0) {
        const char *place = all->run->name[all->place[interval->first_place]], *slash = strrchr(place, '/');
        say(to, " (");
        say_name(to, slash ? slash + 1 : place);
        say(to, ")");
    }
}

/* " in P_Reduce (squares.bmf:4:60)", or nothing if it is spread over the program. */
static void say_mostly(paragraph *to, const bmf_intervals *all, value_of value)
{
    const int64_t step = find_step(all, value, MOST);
    if (step < 0)
        return;
    say(to, ", mostly in ");
    say_step(to, all, step);
}

/* ---- where the time goes ---- */

typedef struct share {
    const char *name;
    int64_t nanos;
} share;

static int by_nanos(const void *a, const void *b)
{
    const share *x = a, *y = b;
    return x->nanos != y->nanos ? (x->nanos > y->nanos ? -1 : 1) : strcmp(x->name, y->name);
}

static bool has_files(const bmf_intervals *all)
{
    const bmf_characteristics *c = all && all->count > 0 ? &all->interval[0].all : NULL;
    return c && c->file > 0 && (double)c->file >= LEAST * (double)c->total;
}

static void say_where(paragraph *to, const bmf_intervals *all, const char *which)
{
    const bmf_characteristics *c = &all->interval[0].all;
    number text;
    share lost[] = {
        {"communication", c->communication}, {"insufficient parallelism", c->insufficient}, {"idling", c->idle}};
    if (c->total <= 0)
        return;
    say(to, " Of the time of %s%s%s, %s is productive", all->processors == 1 ? "its processor" : "all processors",
        *which ? " in the " : "", which, text_percent((double)c->productive / (double)c->total, text));
    if (has_files(all))
        say(to, " (%s reading and writing files)", text_percent((double)c->file / (double)c->total, text));
    qsort(lost, sizeof lost / sizeof *lost, sizeof *lost, by_nanos);
    for (size_t k = 0; k < sizeof lost / sizeof *lost; k++)
        if ((double)lost[k].nanos >= LEAST * (double)c->total)
            say(to, ", %s %s", text_percent((double)lost[k].nanos / (double)c->total, text), lost[k].name);
    say(to, ".");
    const int64_t step = find_step(all, execution_of, 0);
    if (step < 0)
        return;
    const double part = (double)all->interval[step].all.execution / (double)c->execution;
    if (part < SMALL) {
        say(to, " No step takes more than %s of the run.", text_percent(part, text));
        return;
    }
    say(to, part >= MOST ? " Most of it goes to " : " The longest step is ");
    say_step(to, all, step);
    say(to, ", %s of the run.", text_percent(part, text));
}

/* ---- what limits it ---- */

static void say_uneven(paragraph *to, const bmf_interval *whole)
{
    say(to, "computing is uneven: the busiest processor computes ");
    say_times_as(to, 1 / whole->efficiency.load_balance, "the mean");
}

static bool is_uneven(const bmf_interval *whole)
{
    return whole->efficiency.load_balance > 0 && whole->efficiency.load_balance < EVEN;
}

static void say_communication(paragraph *to, const bmf_intervals *all)
{
    const bmf_interval *whole = all->interval;
    number text;
    if (2 * whole->all.synchronisation > whole->all.communication) {
        say(to, " Waiting for processors that come later");
        say_mostly(to, all, waiting_of);
        if (is_uneven(whole)) {
            say(to, "; ");
            say_uneven(to, whole);
        }
    } else {
        say(to, " Moving data: %lld message%s, %s MB", (long long)whole->all.messages, plural(whole->all.messages),
            text_ratio((double)whole->all.bytes * 1e-6, text));
        say_mostly(to, all, moving_of);
    }
}

static void say_productive(paragraph *to, const bmf_intervals *all)
{
    const bmf_characteristics *c = &all->interval[0].all;
    const bool files = 2 * c->file > c->productive;
    say(to, " %s", files ? "Reading and writing files" : "Computing");
    say_mostly(to, all, files ? file_of : compute_of);
}

static void say_limit(paragraph *to, const bmf_intervals *all)
{
    const bmf_interval *whole = all->interval;
    const bmf_characteristics *c = &whole->all;
    if (c->total <= 0)
        return;
    if ((double)c->productive >= BUSY * (double)c->total) {
        say_productive(to, all);
    } else if (c->communication >= c->insufficient && c->communication >= c->idle) {
        say_communication(to, all);
    } else if (c->insufficient >= c->idle) {
        say(to, 2 * c->repeated > c->insufficient ? " Combining that several processors repeat"
                                                  : " What one processor computes alone");
        say_mostly(to, all, insufficient_of);
    } else if (is_uneven(whole)) {
        say(to, " The slowest processor: ");
        say_uneven(to, whole);
    } else {
        say(to, " Time in which nothing is recorded: starting, planning, work outside of kernels, "
                "agreements, or processors that have ended");
    }
    say(to, ".");
}

static void say_links(paragraph *to, const bmf_report_contents *report, int number_of_run)
{
    const bmf_link_load *load = report->load[number_of_run], *most = NULL;
    const double length = replay_length(report->run[number_of_run]);
    number text;
    for (int64_t k = 0; k < report->loads[number_of_run]; k++)
        if (!most || load[k].busy > most->busy)
            most = &load[k];
    if (!most || !(length > 0) || !(most->busy > 0))
        return;
    say(to, " The busiest link, ");
    say_name(to, most->from);
    say(to, " to ");
    say_name(to, most->to);
    say(to, ", is busy for %s of it.", text_percent(most->busy / length, text));
}

/* ---- how long ---- */

void run_expect(const bmf_trace_run *run, bmf_expected_length *expected)
{
    const bmf_event *last = NULL;
    *expected = (bmf_expected_length){0};
    if (!run->predicted || expected_length_read(run, expected))
        return;
    for (int64_t k = 0; k < run->events; k++) {
        const bmf_event *event = &run->event[k];
        if (event->node == 0 && event->kind <= BMF_EVENT_SKELETON && (!last || event->end > last->end))
            last = event;
    }
    if (last) {
        expected->low = (double)(last->begin + last->low) * 1e-9;
        expected->high = (double)(last->begin + last->high) * 1e-9;
    }
}

double run_seconds(const bmf_trace_run *run, const bmf_expected_length *expected)
{
    return expected->median > 0 ? expected->median + expected->files : replay_length(run);
}

static bool is_uncertain(const bmf_report_contents *report, int number_of_run)
{
    return report->expected[number_of_run].high > report->expected[number_of_run].low;
}

static void say_processors(paragraph *to, const bmf_trace_run *run)
{
    say(to, "%d processor%s", run->lanes, plural(run->lanes));
    if (run->predicted || run->ranks == run->lanes)
        return;
    say(to, " (%d rank%s)", run->ranks, plural(run->ranks));
}

/* The median and the interval, which are without files, and the run without noise, which has them. */
static void say_expected(paragraph *to, const bmf_report_contents *report)
{
    const bmf_expected_length *expected = &report->expected[0];
    const bool uncertain = is_uncertain(report, 0);
    number time, low, high;
    say(to, uncertain ? " a run takes %s" : " a run is predicted to take %s", text_seconds(expected->median, time));
    if (uncertain)
        say(to, ", in 95 of 100 cases %s to %s", text_seconds(expected->low, low), text_seconds(expected->high, high));
    if (expected->files > 0)
        say(to, ", after %s of reading files", text_seconds(expected->files, time));
    if (uncertain)
        say(to, "; as it is drawn, without noise%s, %s", expected->files > 0 ? " and with the files" : "",
            text_seconds(replay_length(report->run[0]), time));
    say(to, ".");
}

static void say_length(paragraph *to, const bmf_report_contents *report)
{
    const bmf_trace_run *run = report->run[0];
    const bmf_expected_length *expected = &report->expected[0];
    number time, low, high;
    text_seconds(replay_length(run), time);
    if (!run->predicted) {
        say(to, " The run took %s on ", time);
        say_processors(to, run);
        say(to, ".");
        return;
    }
    say(to, " On ");
    say_processors(to, run);
    say(to, " of ");
    say_name(to, run->machine);
    if (expected->median > 0)
        say_expected(to, report);
    else if (is_uncertain(report, 0))
        say(to, " a run takes %s to %s in 95 of 100 cases; without noise, as it is drawn, %s.",
            text_seconds(expected->low, low), text_seconds(expected->high, high), time);
    else
        say(to, " a run is predicted to take %s.", time);
}

/* ---- what would help ---- */

/* Of run 0, as parts of its length. */
static void say_help(paragraph *to, const bmf_report_contents *report)
{
    bmf_trace_run *run = report->run[0];
    const double length = replay_length(run);
    bmf_remedies remedies;
    number text, half;
    if (!(length > 0) || run_remedies(run, &remedies) != BMF_OK)
        return;
    const double saved = fmax(remedies.recorded - remedies.no_messages, 0) / length;
    const double even = (remedies.recorded - remedies.even) / length;
    const double at_most = (fmin(remedies.no_messages, remedies.recorded) + remedies.files) / 2 / length;
    const bool helps = saved >= LEAST;
    if (helps)
        say(to,
            " Messages and agreements that take no time would make it %s shorter, ones of half the time %s or more.",
            text_percent(saved, text), text_percent(saved / 2, half));
    else if (run->lanes > 1)
        say(to, " Not faster messages.");
    if (even - saved >= LEAST)
        say(to, " Computing spread evenly over the processors%s would make it %s shorter.", helps ? ", too," : "",
            text_percent(even, text));
    say(to, " Computing%s twice as fast would make it at most %s shorter.",
        has_files(report->intervals[0]) ? " and files" : "", text_percent(at_most, text));
}

/* ---- how sure ---- */

static void say_sure(paragraph *to, const bmf_report_contents *report)
{
    const bmf_trace_run *run = report->run[0];
    number text;
    if (!run->predicted) {
        say(to, " It was measured once; other runs differ.");
    } else if (is_uncertain(report, 0)) {
        const double low = report->expected[0].low, high = report->expected[0].high;
        say(to, " Within %s to either side of the middle, as far as the sizes hold that costs were measured at.",
            text_percent((high - low) / (high + low), text));
    } else {
        say(to,
            " Exact for the machine as it is described; how far a real one is from that is not known without measured "
            "errors (bmf calibrate).");
    }
}

/* What makes the numbers of a run less than they seem. */
static void say_gaps(paragraph *to, const bmf_trace_run *run, const char *which)
{
    if (run->dropped)
        say(to, " The %srun lost %lld event%s for lack of memory: its sums are too small.", which,
            (long long)run->dropped, plural(run->dropped));
    const char *incomplete = run_fact(run, "incomplete");
    if (incomplete) {
        say(to, " The %srecording is incomplete: ", which);
        say_name(to, incomplete);
        say(to, ".");
    }
    if (!run->predicted && run->lanes > run->ranks)
        say(to, " %d processors were run by %d rank%s: a processor's time includes its rank's work for others.",
            run->lanes, run->ranks, plural(run->ranks));
}

/* ---- two runs ---- */

static const char *name_of(const bmf_report_contents *report, int number_of_run)
{
    if (report->run[0]->predicted == report->run[1]->predicted)
        return number_of_run == 0 ? "first" : "second";
    return report->run[number_of_run]->predicted ? "predicted" : "measured";
}

static void say_lengths(paragraph *to, const bmf_report_contents *report)
{
    const bmf_comparison *c = report->comparison;
    number time[2], low, high;
    const bmf_expected_length *expected = &report->expected[1];
    double length[2];
    for (int k = 0; k < 2; k++)
        text_seconds(length[k] = run_seconds(report->run[k], &report->expected[k]), time[k]);
    say(to, " The %s run takes %s on ", name_of(report, 0), time[0]);
    say_processors(to, report->run[0]);
    say(to, ", the %s one %s", name_of(report, 1), time[1]);
    if (report->run[0]->lanes != report->run[1]->lanes) {
        say(to, " on ");
        say_processors(to, report->run[1]);
    }
    if (length[0] > 0) {
        say(to, ": ");
        say_times_as(to, length[1] / length[0], "as long");
    }
    say(to, ".");
    if (c && c->common.events > 0 && c->common.measured > 0) {
        say(to, " The %lld step%s that both have: %s and %s, ", (long long)c->common.events, plural(c->common.events),
            text_seconds(c->common.measured, time[0]), text_seconds(c->common.predicted, time[1]));
        say_times_as(to, c->common.predicted / c->common.measured, "as long");
        say(to, ".");
    }
    if (report->run[0]->predicted || !report->run[1]->predicted || !is_uncertain(report, 1) ||
        report->run[0]->lanes != report->run[1]->lanes)
        return;
    const double least = expected->low + expected->files, most = expected->high + expected->files;
    say(to, " The measured run lies %s the 95 %% interval of the prediction, %s to %s.",
        length[0] < least  ? "below"
        : length[0] > most ? "above"
                           : "inside",
        text_seconds(least, low), text_seconds(most, high));
}

static double difference_of(const bmf_comparison *c, uint32_t node)
{
    return fabs(c->node[node].predicted - c->node[node].measured);
}

/* The innermost step that has nearly all of the difference of the step around it; 0: none. */
static uint32_t find_difference(const bmf_trace_run *run, const bmf_comparison *c)
{
    for (uint32_t at = 0;;) {
        uint32_t best = 0;
        for (uint32_t node = 1; node < (uint32_t)c->nodes; node++)
            if (run->node[node].parent == at && node != at &&
                (c->node[node].measured > 0 || c->node[node].predicted > 0) &&
                (best == 0 || difference_of(c, node) > difference_of(c, best)))
                best = node;
        if (best == 0 || !(difference_of(c, best) > (at ? NEARLY_ALL * difference_of(c, at) : 0)))
            return at;
        at = best;
    }
}

static void say_difference(paragraph *to, const bmf_report_contents *report)
{
    const bmf_comparison *c = report->comparison;
    const bmf_trace_run *run = report->run[0];
    number time[2];
    const uint32_t node = c->node ? find_difference(run, c) : 0;
    if (node == 0)
        return;
    say(to, " They differ most in ");
    say_name(to, run->name[run->node[node].name]);
    say(to, ": %s and %s.", text_seconds(c->node[node].measured, time[0]),
        text_seconds(c->node[node].predicted, time[1]));
}

static void say_agreement(paragraph *to, const bmf_report_contents *report)
{
    const bmf_comparison *c = report->comparison;
    number text;
    if (c->same_processors)
        say(to, " Messages and bytes are %s.",
            c->measured_messages == c->predicted_messages && c->measured_bytes == c->predicted_bytes ? "equal in both"
                                                                                                     : "different");
    else
        say(to, " The runs have different numbers of processors: only steps are compared.");
    if (c->with_interval > 0)
        say(to, " Of %lld event%s with an interval %s took a time inside of it.", (long long)c->with_interval,
            plural(c->with_interval), text_percent((double)c->covered / (double)c->with_interval, text));
}

/* ---- the curve ---- */

static void say_best(paragraph *to, const bmf_report_contents *report)
{
    const bmf_scaling *best = NULL, *first = NULL;
    int64_t points = 0;
    number time;
    bool outside = false;
    for (int64_t k = 0; k < report->points; k++) {
        const bmf_scaling *p = &report->scaling[k];
        if (p->measured != report->scaling[0].measured || !isfinite(p->seconds))
            continue;
        points++;
        outside = outside || !p->in_domain;
        first = first && first->processors <= p->processors ? first : p;
        best = best && best->seconds <= p->seconds ? best : p;
    }
    if (points < 2)
        return;
    say(to, " Of %lld numbers of processors %lld %s shortest, %s", (long long)points, (long long)best->processors,
        best->measured ? "was" : "is", text_seconds(best->seconds, time));
    if (best->seconds > 0 && best != first) {
        say(to, ", ");
        say_times_as(to, first->seconds / best->seconds, "as fast as");
        say(to, " %lld", (long long)first->processors);
    }
    say(to, "%s.", outside ? "; some lie outside of what was measured" : "");
}

static void say_long(paragraph *to, const bmf_report_contents *report)
{
    if (report->runs == 2)
        say_lengths(to, report);
    else
        say_length(to, report);
    say_best(to, report);
}

static void say_all_sure(paragraph *to, const bmf_report_contents *report)
{
    if (report->runs == 1)
        say_sure(to, report);
    else if (report->comparison)
        say_agreement(to, report);
    for (int k = 0; k < report->runs; k++) {
        char which[32] = "";
        if (report->runs == 2)
            snprintf(which, sizeof which, "%s ", name_of(report, k));
        say_gaps(to, report->run[k], which);
    }
}

static void say_times(paragraph *to, const bmf_report_contents *report)
{
    const bmf_intervals *all = report->intervals[0];
    char which[32] = "";
    if (report->runs == 2)
        snprintf(which, sizeof which, "%s run", name_of(report, 0));
    if (all && all->count > 0)
        say_where(to, all, which);
    if (report->comparison)
        say_difference(to, report);
}

static void say_limits(paragraph *to, const bmf_report_contents *report)
{
    const bmf_intervals *all = report->intervals[0];
    if (all && all->count > 0)
        say_limit(to, all);
    for (int k = 0; k < report->runs; k++)
        say_links(to, report, k);
}

char *report_answer(const bmf_report_contents *report)
{
    static const struct {
        const char *name;
        void (*say)(paragraph *, const bmf_report_contents *);
    } topic[] = {{"How long", say_long},
                 {"Where the time goes", say_times},
                 {"What limits it", say_limits},
                 {"What would help", say_help},
                 {"How sure", say_all_sure}};
    paragraph to = {0};
    to.stream = open_memstream(&to.text, &to.size);
    if (!to.stream)
        return text_copy("");
    for (size_t k = 0; k < sizeof topic / sizeof *topic; k++) {
        say(&to, "%s%s:", k ? "\n" : "", topic[k].name);
        fflush(to.stream);
        const size_t before = to.size;
        topic[k].say(&to, report);
        fflush(to.stream);
        if (to.size == before)
            say(&to, " not known.");
    }
    fclose(to.stream);
    return to.text;
}

void answer_print(const char *answer)
{
    enum { COLUMNS = 100 };
    int column = 0;
    while (*answer) {
        const size_t word = strcspn(answer, " \n");
        int columns = 0;
        for (size_t k = 0; k < word; k++)
            columns += ((unsigned char)answer[k] & 0xc0) != 0x80;
        const bool fits = column == 0 || column + 1 + columns <= COLUMNS;
        printf("%s%.*s", column == 0 ? "" : fits ? " " : "\n  ", (int)word, answer);
        column = column == 0 ? columns : fits ? column + 1 + columns : 2 + columns;
        answer += word;
        if (*answer == '\n') {
            puts("");
            column = 0;
        }
        answer += *answer != '\0';
    }
    puts("\n");
}

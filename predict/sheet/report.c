/* Sheets as text, and what the reports share.
 *
 * The front page has one significant figure and Q, as sheets are read; the pages have everything.
 * Source: document 001, 3.5 and its appendix B.
 */
#include "predict/sheet/report.h"

#include <math.h>
#include <string.h>

#include "predict/sheet/text.h"

const char *const sheet_notes[] = {
    "Times are delays that the caller of a function sees, between the call and its return; of collectives and "
    "skeletons "
    "the time from the first start to the last end, all processes having been synchronised before.",
    "p is the number of processes of the group (of threads for OpenMP constructs), d the number of elements: of a "
    "message "
    "for point-to-point operations, the count argument of the call for collectives, per process for skeletons, local "
    "work and files. log is the natural logarithm.",
    "The front page rounds coefficients to one significant figure: for an estimate with a pencil. A coefficient stands "
    "for "
    "nothing but itself; only the sum is a time, and only for the p and d given as the domain.",
    "Q is the probability that points which follow the equation scatter around it as much as these do. Near 0 the "
    "equation misses its points by more than their own spread explains: the form is too simple there, the noise not "
    "independent, or the times drifted. The interval of one observation allows for that.",
    "Noise is the standard deviation of one observation around the equation in percent of the time; misfit that of the "
    "points' typical times. A fit whose Q is below 1 % and whose misfit is above 10 % is called poor. The 95 % "
    "interval "
    "of a new observation holds the noise and what is not known about the coefficients.",
    "Messages are measured between two processes that are alone on the network; allsend says what they cost when every "
    "process sends or receives at once.",
    NULL,
};

const char *family_heading(bmf_family family)
{
    static const char *const headings[BMF_FAMILIES] = {"Point-to-point messages",
                                                       "Messages that follow each other",
                                                       "Collective operations",
                                                       "Barriers",
                                                       "Skeletons and permutation rounds",
                                                       "Local work",
                                                       "OpenMP constructs",
                                                       "Files"};
    return headings[family];
}

bool sheet_fact(const bmf_sheet *sheet, int k, const char **name, char *text, size_t size)
{
    const bmf_samples_header *h = &sheet->header;
    static const char *const names[] = {"source",  "machine", "date",  "MPI",   "version of bmf", "ranks",
                                        "threads", "cores",   "timer", "start", "options"};
    const char *const texts[] = {sheet->source, h->machine, h->date, h->mpi, h->version};
    const int32_t counts[] = {h->ranks, h->threads, h->cores};
    if (k >= (int)(sizeof names / sizeof names[0]))
        return false;
    *name = names[k];
    text[0] = 0;
    if (k < 5)
        snprintf(text, size, "%s", texts[k]);
    else if (k < 8 && counts[k - 5] > 0)
        snprintf(text, size, "%d", counts[k - 5]);
    else if (k == 8 && h->tick_seconds > 0.0)
        time_text(h->tick_seconds, text, size);
    else if (k == 9 && h->clock[0])
        snprintf(text, size, "%s", h->clock);
    else if (k == 10)
        snprintf(text, size, "%s", h->options);
    return true;
}

void sheet_each(const bmf_sheet *sheet, void (*show)(bmf_output *, const bmf_sheet_entry *, int64_t), bmf_output *out)
{
    for (int64_t begin = 0, end; begin < sheet->entries; begin = end) {
        for (end = begin + 1;
             end < sheet->entries && strcmp(sheet->entry[begin].operation, sheet->entry[end].operation) == 0;)
            end++;
        show(out, &sheet->entry[begin], end - begin);
    }
}

/* ---- text ---- */

static void put_row(bmf_output *out, const bmf_sheet_entry *entry)
{
    char equation[BMF_SHEET_TEXT], domain[100], q[20], noise[20];
    output_print(out, "  %-20s %-36s %-28s %8s %7s  %s\n", entry->operation,
                 equation_text(entry, BMF_EQUATION_ROUNDED, 1e-6, equation, sizeof equation),
                 domain_text(entry, domain, sizeof domain), noise_text(entry->noise, noise, sizeof noise),
                 q_text(entry->q, q, sizeof q), remark_text(entry));
}

static void put_front(bmf_output *out, const bmf_sheet *sheet)
{
    const char *name;
    char text[BMF_SHEET_TEXT];
    output_print(out, "%s\n\n", sheet->title[0] ? sheet->title : "Data sheet");
    for (int k = 0; sheet_fact(sheet, k, &name, text, sizeof text); k++)
        if (text[0])
            output_print(out, "  %-15s %s\n", name, text);
    int family = -1;
    for (int64_t k = 0; k < sheet->entries; k++) {
        if ((int)sheet->entry[k].family != family) {
            family = (int)sheet->entry[k].family;
            output_print(out, "\n%s\n  %-20s %-36s %-28s %8s %7s\n", family_heading((bmf_family)family), "operation",
                         "time (us)", "domain", "noise", "Q");
        }
        put_row(out, &sheet->entry[k]);
    }
    if (sheet->skips > 0)
        output_text(out, "\nNot measured\n");
    for (int64_t k = 0; k < sheet->skips; k++)
        output_print(out, "  %-20s %s\n", sheet->skip[k].operation, sheet->skip[k].reason);
}

static void put_forms(bmf_output *out, const bmf_sheet_entry *entry)
{
    char form[BMF_FORM_TEXT];
    if (entry->has_runner_up)
        output_print(out, "  runner-up       %s, worse by %.3g in -2 log likelihood\n",
                     form_text(entry->runner_up, form, sizeof form), entry->runner_up_margin);
    for (int32_t k = 0; k < entry->alternatives; k++)
        output_print(out, "%s%s%s", k == 0 ? "  not told apart  " : ", ",
                     form_text(entry->alternative[k], form, sizeof form), k + 1 == entry->alternatives ? "\n" : "");
}

static void put_statistics(bmf_output *out, const bmf_sheet_entry *entry)
{
    char q[20];
    if (entry->chi_freedom > 0.0)
        output_print(out, "  fit             chi-square %.3g per degree of freedom (%g), Q %s\n",
                     entry->chi_square / entry->chi_freedom, entry->chi_freedom, q_text(entry->q, q, sizeof q));
    else if (!isnan(entry->q))
        output_print(out, "  fit             Q %s\n", q_text(entry->q, q, sizeof q));
    if (entry->points > 0)
        output_print(out, "  misfit          %.3g %%%s\n", 100.0 * entry_misfit(entry),
                     entry_is_poor(entry) ? ", poor" : "");
    if (!isnan(entry->noise))
        output_print(out, "  noise           %.3g %%\n", 100.0 * entry->noise);
    if (!isnan(entry->coverage))
        output_print(out, "  coverage        %.3g %% of the fitted observations lie inside the 95 %% interval\n",
                     100.0 * entry->coverage);
    if (!isnan(entry->condition))
        output_print(out, "  condition       %.3g\n", entry->condition);
    put_forms(out, entry);
    if (entry->note[0])
        output_print(out, "  note            %s\n", entry->note);
}

static void put_points(bmf_output *out, const bmf_sheet_entry *entry)
{
    if (entry->points == 0)
        return;
    output_print(out, "  %8s %12s %6s %12s %12s %12s %12s %7s\n", "p", "d", "times", "least", "typical", "most",
                 "equation", "ratio");
    for (int64_t k = 0; k < entry->points; k++) {
        const bmf_sheet_point *at = &entry->point[k];
        bmf_estimate estimate;
        entry_evaluate(entry, at->p, (double)at->d, &estimate);
        output_print(out, "  %8d %12lld %6d %12.4g %12.4g %12.4g %12.4g %7.3f\n", at->p, (long long)at->d, at->repeats,
                     at->min * 1e6, at->typical * 1e6, at->max * 1e6, estimate.mean * 1e6,
                     at->typical > 0.0 ? estimate.mean / at->typical : NAN);
    }
}

void sheet_put_page(bmf_output *out, const bmf_sheet_entry *entry, int64_t count)
{
    const char *text = operation_text(entry->operation);
    output_print(out, "\n%s%s%s\n", entry->operation, text[0] ? ": " : "", text);
    for (int64_t k = 0; k < count; k++) {
        char equation[BMF_SHEET_TEXT], domain[100];
        output_print(out, "\n  t = %s us\n  domain          %s",
                     equation_text(&entry[k], BMF_EQUATION_ERRORS, 1e-6, equation, sizeof equation),
                     domain_text(&entry[k], domain, sizeof domain));
        if (entry[k].element_bytes > 0)
            output_print(out, ", elements of %d bytes", entry[k].element_bytes);
        output_text(out, "\n");
        put_statistics(out, &entry[k]);
        put_points(out, &entry[k]);
    }
}

static void put_notes(bmf_output *out)
{
    output_text(out, "\nNotes for use\n");
    for (int k = 0; sheet_notes[k]; k++) {
        int column = 0;
        for (const char *word = sheet_notes[k]; *word;) {
            int length = (int)strcspn(word, " ");
            bool fits = column > 0 && column + 1 + length <= 100;
            output_print(out, "%s%.*s", fits ? " " : column > 0 ? "\n    " : "  - ", length, word);
            column = fits ? column + 1 + length : 4 + length;
            word += length + (word[length] == ' ');
        }
        output_text(out, "\n");
    }
}

void sheet_put_text(bmf_output *out, const bmf_sheet *sheet, bool pages)
{
    put_front(out, sheet);
    if (pages)
        sheet_each(sheet, sheet_put_page, out);
    put_notes(out);
}

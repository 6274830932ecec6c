/* Writing sheets: the text that read.c reads, with each equation as a comment for people. Times are microseconds
 * with 17 digits, so that what is read is what was written. */
#include <math.h>
#include <string.h>

#include "runtime/convert/output.h"
#include "predict/sheet/sheet_private.h"
#include "predict/sheet/text.h"

static const double per_second = 1e6;

/* A libconfig string. */
static void put_text(bmf_output *out, const char *indent, const char *name, const char *text)
{
    if (!text[0])
        return;
    output_print(out, "%s%s = \"", indent, name);
    for (const char *c = text; *c; c++)
        output_print(out, *c == '"' || *c == '\\' ? "\\%c" : "%c", *c);
    output_text(out, "\";\n");
}

void sheet_put_real(bmf_output *out, double value)
{
    char text[40];
    snprintf(text, sizeof text, "%.17g", value);
    output_print(out, strpbrk(text, ".en") ? "%s" : "%s.0", text);
}

/* Nothing if it is not known. */
static void put_named(bmf_output *out, const char *name, double value)
{
    if (!isfinite(value))
        return;
    output_print(out, "    %s = ", name);
    sheet_put_real(out, value);
    output_text(out, ";\n");
}

static void put_count(bmf_output *out, const char *indent, const char *name, int32_t count)
{
    if (count > 0)
        output_print(out, "%s%s = %d;\n", indent, name, count);
}

static void put_head(bmf_output *out, const bmf_sheet *sheet)
{
    const bmf_samples_header *h = &sheet->header;
    output_text(out, "# A data sheet: equations t(p, d) = c + s startup(p) + k size(p, d) with their errors.\n"
                     "format = \"bmf sheet 1\";\n");
    put_text(out, "", "title", sheet->title);
    put_text(out, "", "source", sheet->source);
    put_text(out, "", "machine", h->machine);
    put_text(out, "", "date", h->date);
    put_text(out, "", "version", h->version);
    put_text(out, "", "mpi", h->mpi);
    put_count(out, "", "ranks", h->ranks);
    put_count(out, "", "threads", h->threads);
    put_count(out, "", "cores", h->cores);
    if (h->tick_seconds > 0.0) {
        output_text(out, "tick = ");
        sheet_put_real(out, h->tick_seconds * per_second);
        output_text(out, ";\n");
    }
    put_text(out, "", "clock", h->clock);
    put_text(out, "", "options", h->options);
    output_text(out, "units = \"us\";\nlogarithm = \"natural\";\n");
}

/* What runs have in common. */
static void put_spread(bmf_output *out, const bmf_run_spread *spread)
{
    if (spread->runs == 0)
        return;
    output_text(out,
                "# standard deviations of logarithms: of all computing in a run, and in a session\nspread = { run = ");
    sheet_put_real(out, spread->run);
    output_text(out, "; session = ");
    sheet_put_real(out, spread->session);
    output_text(out, "; freedom = ");
    sheet_put_real(out, spread->freedom);
    output_print(out, "; runs = %d; sessions = %d; };\n", spread->runs, spread->sessions);
}

static void put_skips(bmf_output *out, const bmf_sheet *sheet)
{
    if (sheet->skips == 0)
        return;
    output_text(out, "skips = (\n");
    for (int64_t k = 0; k < sheet->skips; k++) {
        output_text(out, "  {\n");
        put_text(out, "    ", "operation", sheet->skip[k].operation);
        put_text(out, "    ", "reason", sheet->skip[k].reason);
        output_text(out, k + 1 < sheet->skips ? "  },\n" : "  }\n");
    }
    output_text(out, ");\n");
}

static void put_form(bmf_output *out, bmf_form form)
{
    for (int k = 1; k < BMF_TERMS; k++)
        output_print(out, "%s%s", k > 1 ? ", " : "\"", form_word(form, k));
    output_text(out, "\"");
}

static void put_equation(bmf_output *out, const bmf_sheet_entry *entry)
{
    int term[BMF_TERMS], terms = form_terms(entry->form, term);
    for (int k = 1; k < BMF_TERMS; k++)
        output_print(out, "    %s = \"%s\";\n", form_term[k].name, form_word(entry->form, k));
    for (int k = 0; k < terms; k++)
        put_named(out, form_term[term[k]].coefficient, entry->coefficient[term[k]] * per_second);
    if (!entry->has_errors)
        return;
    output_text(out, "    covariance = [");
    for (int a = 0; a < BMF_TERMS; a++)
        for (int b = a; b < BMF_TERMS; b++) {
            output_text(out, a + b > 0 ? ", " : "");
            sheet_put_real(out, entry->covariance[a][b] * per_second * per_second);
        }
    output_text(out, "];\n");
}

static void put_rivals(bmf_output *out, const bmf_sheet_entry *entry)
{
    if (entry->has_runner_up) {
        output_text(out, "    runner_up = ");
        put_form(out, entry->runner_up);
        output_text(out, ";\n");
        put_named(out, "margin", entry->runner_up_margin);
    }
    if (entry->alternatives == 0)
        return;
    output_text(out, "    alternatives = (");
    for (int32_t k = 0; k < entry->alternatives; k++) {
        output_text(out, k > 0 ? ", " : "");
        put_form(out, entry->alternative[k]);
    }
    output_text(out, ");\n");
}

static void put_points(bmf_output *out, const bmf_sheet_entry *entry)
{
    if (entry->points == 0)
        return;
    output_text(out, "    # p, d, repetitions, typical, least, most\n    points = (\n");
    for (int64_t k = 0; k < entry->points; k++) {
        const bmf_sheet_point *at = &entry->point[k];
        output_print(out, "      (%d, %lld, %d, ", at->p, (long long)at->d, at->repeats);
        sheet_put_real(out, at->typical * per_second);
        output_text(out, ", ");
        sheet_put_real(out, at->min * per_second);
        output_text(out, ", ");
        sheet_put_real(out, at->max * per_second);
        output_text(out, k + 1 < entry->points ? "),\n" : ")\n");
    }
    output_text(out, "    );\n");
}

static void put_entry(bmf_output *out, const bmf_sheet_entry *entry)
{
    char text[BMF_SHEET_TEXT];
    output_print(out, "  # %s: %s us\n  {\n", entry->operation,
                 equation_text(entry, BMF_EQUATION_ERRORS, 1e-6, text, sizeof text));
    put_text(out, "    ", "operation", entry->operation);
    put_text(out, "    ", "family", family_name(entry->family));
    put_count(out, "    ", "element_bytes", entry->element_bytes);
    put_count(out, "    ", "threads", entry->threads);
    if (entry->p_low > 0)
        output_print(out, "    p = [%d, %d];\n", entry->p_low, entry->p_high);
    output_print(out, "    d = [%lld, %lld];\n", (long long)entry->d_low, (long long)entry->d_high);
    put_equation(out, entry);
    put_named(out, "noise", entry->noise);
    if (entry->form_error > 0.0)
        put_named(out, "form_error", entry->form_error);
    if (entry->run_noise > 0.0)
        put_named(out, "run_noise", entry->run_noise);
    put_named(out, "freedom", entry->freedom);
    put_named(out, "coverage", entry->coverage);
    put_named(out, "chi_square", entry->chi_square);
    put_named(out, "chi_freedom", entry->chi_freedom);
    put_named(out, "q", entry->q);
    put_named(out, "condition", entry->condition);
    put_rivals(out, entry);
    put_text(out, "    ", "note", entry->note);
    if (entry->doubtful)
        output_text(out, "    doubtful = true;\n");
    if (entry->mechanism)
        sheet_put_mechanism(out, entry->mechanism);
    put_points(out, entry);
}

int sheet_write(const bmf_sheet *sheet, const char *path)
{
    bmf_output out;
    int status = output_open(NULL, &out, path);
    if (status == BMF_OK) {
        put_head(&out, sheet);
        put_skips(&out, sheet);
        put_spread(&out, &sheet->spread);
        sheet_put_memory(&out, &sheet->memory);
        output_text(&out, "entries = (\n");
        for (int64_t k = 0; k < sheet->entries; k++) {
            put_entry(&out, &sheet->entry[k]);
            output_text(&out, k + 1 < sheet->entries ? "  },\n" : "  }\n");
        }
        output_text(&out, ");\n");
    }
    return output_close(NULL, &out, status);
}

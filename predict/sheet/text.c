/* Numbers and equations as text; see the header. */
#include "predict/sheet/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/measure/measure_private.h"

enum { LARGEST_BUCKET = 9 };
static const double min_q = 1e-6; /* smaller ones say no more */

double round_figures(double value, int figures)
{
    if (!isfinite(value) || value == 0.0)
        return value;
    double exponent = floor(log10(fabs(value))) - (figures - 1), scaled = value / pow(10.0, exponent);
    /* Halves such as 0.15 lie next to their decimal; the nudge lets them round as they are printed. */
    char text[40];
    snprintf(text, sizeof text, "%.0fe%.0f", round(scaled + copysign(1e-9, value)), exponent);
    return strtod(text, NULL);
}

const char *figures_text(double value, int figures, char *text, size_t size)
{
    double rounded = round_figures(value, figures);
    if (rounded != 0.0 && (fabs(rounded) < 1e-4 || fabs(rounded) >= 1e7)) {
        snprintf(text, size, "%.*e", figures - 1, rounded);
        return text;
    }
    int whole = rounded == 0.0 ? 1 : (int)floor(log10(fabs(rounded)) + 1e-12) + 1;
    snprintf(text, size, "%.*f", figures > whole ? figures - whole : 0, rounded == 0.0 ? 0.0 : rounded);
    /* 2.0 with two figures is 2, as sheets print it. */
    if (strchr(text, '.')) {
        char *end = text + strlen(text);
        while (end[-1] == '0')
            *--end = 0;
        if (end[-1] == '.')
            end[-1] = 0;
    }
    return text;
}

int time_bucket(double seconds)
{
    double power = seconds > 0.0 ? round(log10(seconds * 1e6)) : 0.0;
    return power < 0.0 ? 0 : power > LARGEST_BUCKET ? LARGEST_BUCKET : (int)power;
}

const char *bucket_text(double seconds, char *text, size_t size)
{
    static const char *const units[] = {"us", "ms", "s"};
    int bucket = time_bucket(seconds), unit = bucket / 3 < 2 ? bucket / 3 : 2;
    snprintf(text, size, "%.0f %s", pow(10.0, bucket - 3 * unit), units[unit]);
    return text;
}

/* Figures so that the last digit of the coefficient is the error's second. */
static int figures_for(double coefficient, double error)
{
    if (error <= 0.0 || coefficient == 0.0)
        return 6;
    double digits = floor(log10(fabs(coefficient))) - floor(log10(error)) + 2.0;
    return digits < 2.0 ? 2 : digits > 9.0 ? 9 : (int)digits;
}

static void put_coefficient(const bmf_sheet_entry *entry, int k, bmf_equation_style style, double unit, char *text,
                            size_t size)
{
    double value = entry->coefficient[k] / unit, error = sqrt(entry->covariance[k][k]) / unit;
    char number[40], spread[40];
    if (style == BMF_EQUATION_ROUNDED) {
        snprintf(text, size, "%s", figures_text(value, 1, number, sizeof number));
    } else if (style == BMF_EQUATION_EXACT) {
        if (entry->has_errors)
            snprintf(text, size, "(%.6g +- %.6g)", value, error);
        else
            snprintf(text, size, "%.6g", value);
    } else {
        figures_text(value, entry->has_errors ? figures_for(value, error) : 6, number, sizeof number);
        if (entry->has_errors)
            snprintf(text, size, "(%s +- %s)", number, figures_text(error, 2, spread, sizeof spread));
        else
            snprintf(text, size, "%s", number);
    }
}

const char *equation_text(const bmf_sheet_entry *entry, bmf_equation_style style, double unit, char *text, size_t size)
{
    int term[BMF_TERMS], terms = form_terms(entry->form, term);
    size_t used = 0;
    text[0] = 0;
    for (int j = 0; j < terms && used < size; j++) {
        char number[100];
        put_coefficient(entry, term[j], style, unit, number, sizeof number);
        const char *name = form_word(entry->form, term[j]);
        bool minus = j > 0 && number[0] == '-';
        int put = snprintf(text + used, size - used, "%s%s%s%s",
                           j == 0  ? ""
                           : minus ? " - "
                                   : " + ",
                           number + minus, name[0] ? " " : "", name);
        used += put > 0 ? (size_t)put : 0;
    }
    return text;
}

const char *time_text(double seconds, char *text, size_t size)
{
    static const struct {
        double unit;
        const char *name;
    } units[] = {{1.0, "s"}, {1e-3, "ms"}, {1e-6, "us"}, {1e-9, "ns"}};
    size_t k = 0;
    while (k < 3 && fabs(seconds) < units[k].unit * 0.9995)
        k++;
    snprintf(text, size, "%.3g %s", seconds / units[k].unit, units[k].name);
    return text;
}

const char *domain_text(const bmf_sheet_entry *entry, char *text, size_t size)
{
    char p[40] = "any p", d[60] = "";
    if (entry->p_low > 0 && entry->p_low == entry->p_high)
        snprintf(p, sizeof p, "p %d", entry->p_low);
    else if (entry->p_low > 0)
        snprintf(p, sizeof p, "p %d..%d", entry->p_low, entry->p_high);
    if (entry->form.size != BMF_SIZE_NONE || entry->d_high > 0)
        snprintf(d, sizeof d, ", d %lld..%lld", (long long)entry->d_low, (long long)entry->d_high);
    snprintf(text, size, "%s%s", p, d);
    return text;
}

const char *q_text(double q, char *text, size_t size)
{
    if (isnan(q))
        snprintf(text, size, "-");
    else if (q < min_q)
        snprintf(text, size, "<%g", min_q);
    else
        snprintf(text, size, "%.2g", q);
    return text;
}

const char *noise_text(double noise, char *text, size_t size)
{
    char number[20];
    if (isnan(noise))
        snprintf(text, size, "-");
    else
        snprintf(text, size, "%s %%", figures_text(100.0 * noise, 2, number, sizeof number));
    return text;
}

const char *remark_text(const bmf_sheet_entry *entry)
{
    if (entry->doubtful)
        return "doubtful";
    if (entry_is_poor(entry))
        return "poor";
    return entry->note[0] ? "see note" : "";
}

const char *operation_text(const char *operation)
{
    const measure_operation *measured[MEASURE_MAX_OPERATIONS];
    int count = measure_operations(measured);
    size_t length = strcspn(operation, ":");
    for (int k = 0; k < count; k++)
        if (strlen(measured[k]->name) == length && strncmp(measured[k]->name, operation, length) == 0)
            return measured[k]->meaning;
    return "";
}

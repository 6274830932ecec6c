/* Sheets as JSON; see the header. */
#include "drivers/sheet/json.h"

#include "drivers/command/json.h"

static json_t *form_json(bmf_form form)
{
    json_t *words = json_object();
    for (int k = 1; k < BMF_TERMS; k++)
        json_object_set_new(words, form_term[k].name, json_string(form_word(form, k)));
    return words;
}

static json_t *terms_json(const double value[BMF_TERMS])
{
    json_t *array = json_array();
    for (int k = 0; k < BMF_TERMS; k++)
        json_array_append_new(array, json_finite(value[k]));
    return array;
}

static json_t *covariance_json(const bmf_sheet_entry *entry)
{
    if (!entry->has_errors)
        return json_null();
    json_t *rows = json_array();
    for (int k = 0; k < BMF_TERMS; k++)
        json_array_append_new(rows, terms_json(entry->covariance[k]));
    return rows;
}

json_t *sheet_entry_json(const bmf_sheet_entry *entry)
{
    json_t *alternatives = json_array();
    for (int32_t k = 0; k < entry->alternatives; k++)
        json_array_append_new(alternatives, form_json(entry->alternative[k]));
    return json_pack("{s:s, s:s, s:i, s:i, s:[i,i], s:[I,I], s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
                     "s:o, s:s, s:b}",
                     "operation", entry->operation, "family", family_name(entry->family), "element_bytes",
                     entry->element_bytes, "threads", entry->threads, "p", entry->p_low, entry->p_high, "d",
                     (json_int_t)entry->d_low, (json_int_t)entry->d_high, "form", form_json(entry->form),
                     "coefficients", terms_json(entry->coefficient), "covariance", covariance_json(entry), "noise",
                     json_finite(entry->noise), "freedom", json_finite(entry->freedom), "coverage",
                     json_finite(entry->coverage), "chi_square", json_finite(entry->chi_square), "chi_freedom",
                     json_finite(entry->chi_freedom), "q", json_finite(entry->q), "condition",
                     json_finite(entry->condition), "runner_up",
                     entry->has_runner_up ? form_json(entry->runner_up) : json_null(), "alternatives", alternatives,
                     "note", entry->note, "doubtful", entry->doubtful);
}

json_t *estimate_json(const bmf_estimate *e)
{
    return json_pack("{s:f, s:f, s:f, s:o, s:o, s:b, s:s}", "min", e->min, "avg", e->mean, "max", e->max, "low",
                     e->has_errors ? json_real(e->low) : json_null(), "high",
                     e->has_errors ? json_real(e->high) : json_null(), "inside", e->inside, "outside", e->outside);
}

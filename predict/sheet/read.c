/* Reading sheets: libconfig parses, this checks what it means. Every mistake names file and line.
 *
 * Names that are not known are mistakes, so that a misspelt one is not passed over. The format is described in
 * docs/sheets.md.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "predict/config/config_file.h"
#include "predict/config/config_values.h"
#include "predict/sheet/samples_private.h"
#include "predict/sheet/sheet_private.h"
#include "runtime/base/allocate.h"
#include "bmf/status.h"

typedef struct reader {
    const char *path;
    double unit; /* seconds */
    bmf_sheet *sheet;
} reader;

/* ---- values ---- */

static int copy_text(const reader *r, const config_setting_t *setting, size_t room, char *to)
{
    const char *text;
    BMF_TRY(config_text(r->path, setting, room, &text));
    strcpy(to, text);
    return BMF_OK;
}

/* Numbers of an array or list; count is exact. */
static int get_reals(const reader *r, const config_setting_t *setting, int count, double *value)
{
    if (!config_setting_is_aggregate(setting) || config_setting_is_group(setting) ||
        config_setting_length(setting) != count)
        return config_fail(r->path, setting, BMF_ERROR_FILE, "'%s' must hold %d numbers", config_name(setting), count);
    for (int k = 0; k < count; k++)
        BMF_TRY(config_number(r->path, config_setting_get_elem(setting, (unsigned)k), -INFINITY, INFINITY, &value[k]));
    return BMF_OK;
}

/* Two whole numbers, the first not above the second. */
static int get_range(const reader *r, const config_setting_t *setting, int64_t max, int64_t *low, int64_t *high)
{
    if (!config_setting_is_aggregate(setting) || config_setting_is_group(setting) ||
        config_setting_length(setting) != 2)
        return config_fail(r->path, setting, BMF_ERROR_FILE, "'%s' must be a range [LOW, HIGH]", config_name(setting));
    BMF_TRY(config_integer(r->path, config_setting_get_elem(setting, 0), 0, max, low));
    BMF_TRY(config_integer(r->path, config_setting_get_elem(setting, 1), 0, max, high));
    return *low <= *high
               ? BMF_OK
               : config_fail(r->path, setting, BMF_ERROR_FILE, "the range '%s' runs backwards", config_name(setting));
}

static int check_names(const reader *r, const config_setting_t *group, const char *const *known)
{
    const config_setting_t *strange = config_unknown(group, known);
    return strange ? config_fail(r->path, strange, BMF_ERROR_FILE, "unknown name '%s'", config_setting_name(strange))
                   : BMF_OK;
}

static int get_member(const reader *r, const config_setting_t *group, const char *name, config_setting_t **member)
{
    *member = config_setting_get_member(group, name);
    return *member ? BMF_OK : config_fail_missing(r->path, group, name);
}

/* ---- entries ---- */

/* "startup, size" as in alternatives = ( "log(p), d" ). */
static int get_form(const reader *r, const config_setting_t *setting, bmf_form *form)
{
    char text[BMF_FORM_TEXT];
    BMF_TRY(copy_text(r, setting, sizeof text, text));
    for (int term = 1, at = 0; term < BMF_TERMS; term++) {
        char *word = text + at, *end = term + 1 < BMF_TERMS ? strstr(word, ", ") : word + strlen(word);
        if (end)
            at = (int)(end - text) + (*end ? 2 : 0);
        if (end)
            *end = 0;
        if (!end || !form_find(form, term, word))
            return config_fail(r->path, setting, BMF_ERROR_FILE,
                               "'%s' is no form; write \"STARTUP, SIZE\" such as \"log(p), p*d\"", text);
    }
    return BMF_OK;
}

static int read_term(const reader *r, const config_setting_t *group, int term, bmf_form *form)
{
    const config_setting_t *setting = config_setting_get_member(group, form_term[term].name);
    const char *text = form_term[term].function[0].name;
    char words[BMF_SHEET_TEXT];
    if (setting)
        BMF_TRY(config_text(r->path, setting, BMF_FORM_TEXT, &text));
    if (form_find(form, term, text))
        return BMF_OK;
    return config_fail(r->path, setting, BMF_ERROR_FILE, "'%s' is %s, not '%s'", form_term[term].name,
                       form_words(term, 0, " or ", words, sizeof words), text);
}

static int read_equation(const reader *r, const config_setting_t *group, bmf_sheet_entry *entry)
{
    for (int k = 1; k < BMF_TERMS; k++)
        BMF_TRY(read_term(r, group, k, &entry->form));
    for (int k = 0; k < BMF_TERMS; k++) {
        const char *name = form_term[k].coefficient;
        const bool has = k == 0 || form_function(entry->form, k) > 0;
        const config_setting_t *setting = config_setting_get_member(group, name);
        if (has && !setting)
            return config_fail_missing(r->path, group, name);
        if (!has && setting)
            return config_fail(r->path, setting, BMF_ERROR_FILE, "'%s' belongs to a term that this form lacks", name);
        if (!has)
            continue;
        BMF_TRY(config_number(r->path, setting, -INFINITY, INFINITY, &entry->coefficient[k]));
        entry->coefficient[k] *= r->unit;
    }
    return BMF_OK;
}

/* Whether the matrix is one of variances, apart from rounding. */
static bool is_covariance(const double c[BMF_TERMS][BMF_TERMS])
{
    for (int a = 0; a < BMF_TERMS; a++) {
        if (c[a][a] < 0.0)
            return false;
        for (int b = 0; b < a; b++)
            if (fabs(c[a][b]) > sqrt(c[a][a]) * sqrt(c[b][b]) * (1.0 + 1e-9))
                return false;
    }
    return true;
}

static int read_errors(const reader *r, const config_setting_t *group, bmf_sheet_entry *entry)
{
    config_setting_t *full = config_setting_get_member(group, "covariance"),
                     *diagonal = config_setting_get_member(group, "errors");
    enum { UPPER = BMF_TERMS * (BMF_TERMS + 1) / 2 };
    double upper[UPPER], error[BMF_TERMS];
    if (full && diagonal)
        return config_fail(r->path, diagonal, BMF_ERROR_FILE, "either 'covariance' or 'errors', not both");
    entry->has_errors = full || diagonal;
    if (full) {
        BMF_TRY(get_reals(r, full, UPPER, upper));
        for (int a = 0, k = 0; a < BMF_TERMS; a++)
            for (int b = a; b < BMF_TERMS; b++, k++)
                entry->covariance[a][b] = entry->covariance[b][a] = upper[k] * r->unit * r->unit;
        if (!is_covariance((const double(*)[BMF_TERMS])entry->covariance))
            return config_fail(r->path, full, BMF_ERROR_FILE, "these cannot be variances and covariances");
    }
    if (diagonal) {
        BMF_TRY(get_reals(r, diagonal, BMF_TERMS, error));
        for (int a = 0; a < BMF_TERMS; a++) {
            if (error[a] < 0.0)
                return config_fail(r->path, diagonal, BMF_ERROR_FILE, "a standard error is not negative");
            entry->covariance[a][a] = error[a] * error[a] * r->unit * r->unit;
        }
    }
    return BMF_OK;
}

static int read_statistics(const reader *r, const config_setting_t *group, bmf_sheet_entry *entry)
{
    const struct {
        const char *name;
        double *value, min, max;
    } known[] = {{"noise", &entry->noise, 0.0, INFINITY},
                 {"form_error", &entry->form_error, 0.0, INFINITY},
                 {"run_noise", &entry->run_noise, 0.0, 10.0},
                 {"freedom", &entry->freedom, 0.5, INFINITY},
                 {"coverage", &entry->coverage, 0.0, 1.0},
                 {"chi_square", &entry->chi_square, 0.0, INFINITY},
                 {"chi_freedom", &entry->chi_freedom, 0.0, INFINITY},
                 {"q", &entry->q, 0.0, INFINITY},
                 {"condition", &entry->condition, 1.0 - 1e-9, INFINITY},
                 {"margin", &entry->runner_up_margin, 0.0, INFINITY}};
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        config_setting_t *setting = config_setting_get_member(group, known[k].name);
        if (!setting)
            continue;
        BMF_TRY(config_number(r->path, setting, -INFINITY, INFINITY, known[k].value));
        if (*known[k].value < known[k].min || *known[k].value > known[k].max)
            return config_fail(r->path, setting, BMF_ERROR_FILE, "'%s' is out of range", known[k].name);
    }
    /* A printed sheet has such a number; it must be marked. */
    if (entry->q > 1.0 && !entry->doubtful)
        return config_fail(r->path, group, BMF_ERROR_FILE,
                           "q is a probability; mark the entry doubtful if this was printed so");
    config_setting_t *runner_up = config_setting_get_member(group, "runner_up");
    entry->has_runner_up = runner_up;
    return runner_up ? get_form(r, runner_up, &entry->runner_up) : BMF_OK;
}

static int read_alternatives(const reader *r, const config_setting_t *list, bmf_sheet_entry *entry)
{
    if (!list)
        return BMF_OK;
    if (!config_setting_is_list(list) || config_setting_length(list) > BMF_ALTERNATIVES)
        return config_fail(r->path, list, BMF_ERROR_FILE, "'alternatives' must be a list ( .. ) of at most %d forms",
                           BMF_ALTERNATIVES);
    entry->alternatives = config_setting_length(list);
    for (int k = 0; k < entry->alternatives; k++)
        BMF_TRY(get_form(r, config_setting_get_elem(list, (unsigned)k), &entry->alternative[k]));
    return BMF_OK;
}

static int read_point(const reader *r, const config_setting_t *setting, bmf_sheet_point *point)
{
    double value[6] = {0.0};
    BMF_TRY(get_reals(r, setting, 6, value));
    bool counts = value[0] >= 1.0 && value[0] <= INT32_MAX && value[1] >= 0.0 && value[1] < 0x1p63 && value[2] >= 1.0 &&
                  value[2] <= INT32_MAX;
    if (!counts || value[4] < 0.0 || value[3] < value[4] || value[5] < value[3])
        return config_fail(r->path, setting, BMF_ERROR_FILE, "a point is (p, d, repetitions, typical, least, most)");
    *point = (bmf_sheet_point){.p = (int32_t)value[0],
                               .d = (int64_t)value[1],
                               .repeats = (int32_t)value[2],
                               .typical = value[3] * r->unit,
                               .min = value[4] * r->unit,
                               .max = value[5] * r->unit};
    return BMF_OK;
}

static int read_points(const reader *r, const config_setting_t *list, bmf_sheet_entry *entry)
{
    if (!list)
        return BMF_OK;
    if (!config_setting_is_list(list))
        return config_fail(r->path, list, BMF_ERROR_FILE, "'points' must be a list ( .. ) of points");
    int count = config_setting_length(list);
    entry->points = count;
    entry->point = allocate_clear(count, sizeof *entry->point);
    for (int k = 0; k < count; k++)
        BMF_TRY(read_point(r, config_setting_get_elem(list, (unsigned)k), &entry->point[k]));
    return BMF_OK;
}

static int read_domain(const reader *r, const config_setting_t *group, bmf_sheet_entry *entry)
{
    config_setting_t *p = config_setting_get_member(group, "p"), *d;
    int64_t low = 0, high = 0;
    if (p)
        BMF_TRY(get_range(r, p, INT32_MAX, &low, &high));
    if (!p && entry->form.startup != BMF_STARTUP_NONE)
        return config_fail_missing(r->path, group, "p");
    entry->p_low = (int32_t)low;
    entry->p_high = (int32_t)high;
    if (entry->form.size != BMF_SIZE_NONE) {
        BMF_TRY(get_member(r, group, "d", &d));
        return get_range(r, d, INT64_MAX, &entry->d_low, &entry->d_high);
    }
    d = config_setting_get_member(group, "d");
    return d ? get_range(r, d, INT64_MAX, &entry->d_low, &entry->d_high) : BMF_OK;
}

static int read_optional_count(const reader *r, const config_setting_t *group, const char *name, int32_t *count)
{
    config_setting_t *setting = config_setting_get_member(group, name);
    int64_t value = 0;
    if (setting)
        BMF_TRY(config_integer(r->path, setting, 0, INT32_MAX, &value));
    *count = (int32_t)value;
    return BMF_OK;
}

static int read_entry(const reader *r, const config_setting_t *group, bmf_sheet_entry *entry)
{
    static const char *const known[] = {"operation",  "family",     "element_bytes",
                                        "threads",    "p",          "d",
                                        "startup",    "size",       "c",
                                        "s",          "k",          "errors",
                                        "covariance", "noise",      "freedom",
                                        "coverage",   "chi_square", "chi_freedom",
                                        "q",          "condition",  "alternatives",
                                        "runner_up",  "margin",     "note",
                                        "doubtful",   "points",     "form_error",
                                        "run_noise",  "mechanism",  NULL};
    config_setting_t *setting;
    const char *text;
    if (!config_setting_is_group(group))
        return config_fail(r->path, group, BMF_ERROR_FILE, "an entry is a group { .. }");
    BMF_TRY(check_names(r, group, known));
    BMF_TRY(get_member(r, group, "operation", &setting));
    BMF_TRY(copy_text(r, setting, BMF_SHEET_NAME, entry->operation));
    if (!entry->operation[0] || strpbrk(entry->operation, " \t"))
        return config_fail(r->path, setting, BMF_ERROR_FILE, "the name of an operation is one word");
    BMF_TRY(get_member(r, group, "family", &setting));
    BMF_TRY(config_text(r->path, setting, BMF_SHEET_TEXT, &text));
    if (!family_find(text, &entry->family))
        return config_fail(r->path, setting, BMF_ERROR_FILE, "unknown family '%s'", text);
    if ((setting = config_setting_get_member(group, "note")))
        BMF_TRY(copy_text(r, setting, BMF_SHEET_TEXT, entry->note));
    if ((setting = config_setting_get_member(group, "doubtful")))
        BMF_TRY(config_flag(r->path, setting, &entry->doubtful));
    BMF_TRY(read_optional_count(r, group, "element_bytes", &entry->element_bytes));
    BMF_TRY(read_optional_count(r, group, "threads", &entry->threads));
    BMF_TRY(read_equation(r, group, entry));
    BMF_TRY(read_domain(r, group, entry));
    BMF_TRY(read_errors(r, group, entry));
    BMF_TRY(read_statistics(r, group, entry));
    BMF_TRY(read_alternatives(r, config_setting_get_member(group, "alternatives"), entry));
    if ((setting = config_setting_get_member(group, "mechanism"))) {
        entry->mechanism = allocate_clear(1, (int64_t)sizeof *entry->mechanism);
        BMF_TRY(sheet_read_mechanism(r->path, setting, r->unit, entry->mechanism));
    }
    return read_points(r, config_setting_get_member(group, "points"), entry);
}

static bool overlap(const bmf_sheet_entry *a, const bmf_sheet_entry *b)
{
    bool p = a->p_low <= b->p_high && b->p_low <= a->p_high;
    /* Both ranges of a printed sheet hold the size they meet at. */
    return p && a->d_low < b->d_high && b->d_low < a->d_high;
}

static int by_operation(const void *a, const void *b)
{
    const bmf_sheet_entry *const *x = a, *const *y = b;
    const int name = strcmp((*x)->operation, (*y)->operation);
    return name ? name : (*x > *y) - (*x < *y); /* those of an operation as in the file */
}

static int check_pair(const reader *r, const config_setting_t *list, const bmf_sheet_entry *a, const bmf_sheet_entry *b)
{
    const config_setting_t *at = config_setting_get_elem(list, (unsigned)(b - r->sheet->entry));
    if (a->family != b->family)
        return config_fail(r->path, at, BMF_ERROR_FILE, "'%s' has entries of different families", b->operation);
    if (overlap(a, b) || (a->p_low == b->p_low && a->d_low == b->d_low && a->d_high == b->d_high))
        return config_fail(r->path, at, BMF_ERROR_FILE, "'%s' has another entry for the same p and d", b->operation);
    return BMF_OK;
}

/* Only entries of one operation are compared with each other. */
static int check_overlaps(const reader *r, const config_setting_t *list)
{
    const int64_t count = r->sheet->entries;
    const bmf_sheet_entry **entry = allocate(count * (int64_t)sizeof *entry);
    int status = BMF_OK;
    for (int64_t k = 0; k < count; k++)
        entry[k] = &r->sheet->entry[k];
    qsort(entry, (size_t)count, sizeof *entry, by_operation);
    for (int64_t k = 1, first = 0; k < count && status == BMF_OK; k++) {
        if (strcmp(entry[first]->operation, entry[k]->operation) != 0)
            first = k;
        for (int64_t j = first; j < k && status == BMF_OK; j++)
            status = check_pair(r, list, entry[j], entry[k]);
    }
    free(entry);
    return status;
}

static int read_entries(const reader *r, const config_setting_t *root)
{
    config_setting_t *list;
    int64_t places = 0;
    BMF_TRY(get_member(r, root, "entries", &list));
    if (!config_setting_is_list(list) || config_setting_length(list) == 0)
        return config_fail(r->path, list, BMF_ERROR_FILE, "'entries' must be a list ( .. ) of at least one entry");
    for (int k = 0; k < config_setting_length(list); k++)
        BMF_TRY(read_entry(r, config_setting_get_elem(list, (unsigned)k), sheet_add(r->sheet, &places)));
    BMF_TRY(check_overlaps(r, list));
    sheet_order(r->sheet);
    return BMF_OK;
}

/* ---- the head ---- */

static int read_head_texts(const reader *r, const config_setting_t *root)
{
    bmf_samples_header *h = &r->sheet->header;
    const struct {
        const char *name;
        char *to;
    } known[] = {{"title", r->sheet->title}, {"source", r->sheet->source}, {"machine", h->machine},
                 {"date", h->date},          {"version", h->version},      {"mpi", h->mpi},
                 {"clock", h->clock},        {"options", h->options}};
    for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
        config_setting_t *setting = config_setting_get_member(root, known[k].name);
        if (setting)
            BMF_TRY(copy_text(r, setting, BMF_SHEET_TEXT, known[k].to));
    }
    return BMF_OK;
}

static int read_units(reader *r, const config_setting_t *root)
{
    config_setting_t *setting;
    const char *text;
    BMF_TRY(get_member(r, root, "units", &setting));
    BMF_TRY(config_text(r->path, setting, BMF_SHEET_TEXT, &text));
    if (strcmp(text, "us") != 0 && strcmp(text, "ms") != 0 && strcmp(text, "s") != 0)
        return config_fail(r->path, setting, BMF_ERROR_FILE, "'units' are us, ms or s, not '%s'", text);
    r->unit = text[0] == 'u' ? 1e-6 : text[0] == 'm' ? 1e-3 : 1.0;
    BMF_TRY(get_member(r, root, "logarithm", &setting));
    BMF_TRY(config_text(r->path, setting, BMF_SHEET_TEXT, &text));
    return strcmp(text, "natural") == 0 ? BMF_OK
                                        : config_fail(r->path, setting, BMF_ERROR_FILE, "'logarithm' must be natural");
}

static int read_skips(const reader *r, const config_setting_t *list)
{
    static const char *const known[] = {"operation", "reason", NULL};
    if (!list)
        return BMF_OK;
    if (!config_setting_is_list(list))
        return config_fail(r->path, list, BMF_ERROR_FILE, "'skips' must be a list ( .. )");
    int count = config_setting_length(list);
    r->sheet->skip = allocate_clear(count, sizeof *r->sheet->skip);
    for (int k = 0; k < count; k++) {
        config_setting_t *group = config_setting_get_elem(list, (unsigned)k), *setting;
        if (!config_setting_is_group(group))
            return config_fail(r->path, group, BMF_ERROR_FILE, "a skip is a group { operation = ..; reason = ..; }");
        BMF_TRY(check_names(r, group, known));
        BMF_TRY(get_member(r, group, "operation", &setting));
        BMF_TRY(copy_text(r, setting, BMF_SAMPLE_NAME, r->sheet->skip[k].operation));
        BMF_TRY(get_member(r, group, "reason", &setting));
        BMF_TRY(copy_text(r, setting, BMF_SAMPLE_TEXT, r->sheet->skip[k].reason));
        const char *wrong = skip_mistake(r->sheet->skip[k].operation, r->sheet->skip[k].reason);
        if (wrong)
            return config_fail(r->path, group, BMF_ERROR_FILE, "%s", wrong);
    }
    r->sheet->skips = count;
    return BMF_OK;
}

static int read_spread(const reader *r, const config_setting_t *group, bmf_run_spread *spread)
{
    static const char *const known[] = {"run", "session", "freedom", "runs", "sessions", NULL};
    config_setting_t *setting;
    const struct {
        const char *name;
        double max, *to;
    } number[] = {{"run", 10.0, &spread->run}, {"session", 10.0, &spread->session}, {"freedom", 1e9, &spread->freedom}};
    if (!config_setting_is_group(group))
        return config_fail(r->path, group, BMF_ERROR_FILE, "'spread' must be a group { run = ..; .. }");
    BMF_TRY(check_names(r, group, known));
    for (size_t k = 0; k < sizeof number / sizeof number[0]; k++) {
        BMF_TRY(get_member(r, group, number[k].name, &setting));
        BMF_TRY(config_number(r->path, setting, 0.0, number[k].max, number[k].to));
    }
    BMF_TRY(read_optional_count(r, group, "runs", &spread->runs));
    return read_optional_count(r, group, "sessions", &spread->sessions);
}

static int read_root(reader *r, const config_setting_t *root)
{
    static const char *const known[] = {"format",    "title",   "source",  "machine", "date",   "version", "mpi",
                                        "ranks",     "threads", "cores",   "tick",    "clock",  "options", "units",
                                        "logarithm", "skips",   "entries", "memory",  "spread", NULL};
    config_setting_t *setting = config_setting_get_member(root, "format");
    const char *text = setting ? config_setting_get_string(setting) : NULL;
    if (!text || strncmp(text, "bmf sheet ", 10) != 0)
        return bmf_fail(NULL, BMF_ERROR_FILE, "%s is no sheet: it lacks format = \"bmf sheet 1\"", r->path);
    if (strcmp(text, "bmf sheet 1") != 0)
        return config_fail(r->path, setting, BMF_ERROR_FILE, "this version of the format is not known: '%s'", text);
    BMF_TRY(check_names(r, root, known));
    BMF_TRY(read_units(r, root));
    BMF_TRY(read_head_texts(r, root));
    bmf_samples_header *h = &r->sheet->header;
    BMF_TRY(read_optional_count(r, root, "ranks", &h->ranks));
    BMF_TRY(read_optional_count(r, root, "threads", &h->threads));
    BMF_TRY(read_optional_count(r, root, "cores", &h->cores));
    if ((setting = config_setting_get_member(root, "tick"))) {
        BMF_TRY(config_number(r->path, setting, -INFINITY, INFINITY, &h->tick_seconds));
        h->tick_seconds *= r->unit;
    }
    BMF_TRY(read_skips(r, config_setting_get_member(root, "skips")));
    if ((setting = config_setting_get_member(root, "memory")))
        BMF_TRY(sheet_read_memory(r->path, setting, r->unit, &r->sheet->memory));
    if ((setting = config_setting_get_member(root, "spread")))
        BMF_TRY(read_spread(r, setting, &r->sheet->spread));
    BMF_TRY(read_entries(r, root));
    sheet_share_spread(r->sheet);
    return BMF_OK;
}

int sheet_read(const char *path, bmf_sheet **sheet)
{
    config_t config;
    reader r = {.path = path, .sheet = allocate_clear(1, sizeof *r.sheet)};
    char *text = NULL;
    config_init(&config);
    int status = config_load(path, "data sheet", &text);
    if (status == BMF_OK)
        status = config_parse(&config, path, text);
    free(text);
    if (status == BMF_OK)
        status = read_root(&r, config_root_setting(&config));
    config_destroy(&config);
    if (status == BMF_OK)
        *sheet = r.sheet;
    else
        sheet_free(r.sheet);
    return status;
}

/* By which costs runs choose their algorithms: measured once for a host, an MPI library and a number of ranks.
 *
 * The table is kept as HOST-MPI.costs (runtime/context/host_file.h), with the rows of all numbers of ranks that were
 * asked for; --bmf-costs host reads it. Before a table of more than ten minutes ago is used it is looked at again:
 * where its choices lose more against the best algorithms than fixed constants do, in the mean over sizes that it does
 * not have, it is measured anew. */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "drivers/calibrate/calibrate.h"
#include "runtime/backend/backend.h"
#include "runtime/base/allocate.h"
#include "runtime/base/output_file.h"
#include "runtime/context/host_file.h"

#define LOOK_SECONDS "4"

/* Whether the file has rows of exactly so many ranks. */
static int find_rows(const char *kept, int64_t ranks, bool *has)
{
    char *text, message[BMF_MESSAGE_SIZE];
    int64_t size;
    BMF_TRY(costs_load(kept, &text, &size));
    bmf_cost_table *table = cost_table_read(kept, text, size, message, sizeof message);
    free(text);
    if (!table)
        return bmf_fail(NULL, BMF_ERROR_FILE, "%s (`rm` has it measured again)", message);
    *has = cost_table_ranks(table, ranks) == ranks;
    cost_table_free(table);
    return BMF_OK;
}

static double sum_of(const json_t *points, const char *key)
{
    double sum = 0.0;
    for (size_t k = 0; k < json_array_size(points); k++)
        sum += json_number_value(json_object_get(json_array_get(points, k), key));
    return sum;
}

/* Whether the table is better than none by now. */
static int look_again(const bmf_trial *trial, const char *kept, bool *right)
{
    const char *const argument[] = {"sheet", "schedules", "--check", kept, "--seconds", LOOK_SECONDS, "--json", NULL};
    char *text;
    BMF_TRY(trial_bmf(trial, trial->ranks, argument, "costs of algorithms", &text));
    const char *object = strchr(text, '{');
    json_t *root = object ? json_loads(object, JSON_DISABLE_EOF_CHECK, NULL) : NULL;
    const json_t *points = json_object_get(root, "points");
    *right = json_array_size(points) > 0 && sum_of(points, "loss_by_costs") <= sum_of(points, "loss_by_constants");
    json_decref(root);
    free(text);
    return BMF_OK;
}

static int measure(const bmf_trial *trial, int64_t seconds, const char *kept)
{
    char planned[24], *text;
    snprintf(planned, sizeof planned, "%lld", (long long)seconds);
    const bool others = access(kept, R_OK) == 0;
    const char *const argument[] = {"sheet", "schedules", "-o", kept, "--seconds", planned, others ? "--with" : NULL,
                                    kept,    NULL};
    BMF_TRY(trial_bmf(trial, trial->ranks, argument, "costs of algorithms", &text));
    free(text);
    return BMF_OK;
}

static int copy_table(const char *from, const char *to)
{
    bmf_output_file output;
    char *text;
    int64_t size;
    BMF_TRY(costs_load(from, &text, &size));
    int failure = output_file_open(&output, to);
    if (!failure) {
        fwrite(text, 1, (size_t)size, output_file_stream(&output));
        failure = output_file_close(&output, 0);
    }
    free(text);
    return failure ? bmf_fail(NULL, BMF_ERROR_FILE, "cannot write '%.400s': %s", to, strerror(failure)) : BMF_OK;
}

int schedules_table(const bmf_trial *trial, int64_t seconds, const char *path)
{
    char kept[PATH_MAX];
    bool right = false;
    BMF_TRY(host_file_make(host_file_costs, kept));
    if (access(kept, R_OK) == 0)
        BMF_TRY(find_rows(kept, trial->ranks, &right));
    if (right && !measured_lately(kept)) {
        BMF_TRY(look_again(trial, kept, &right));
        if (!right)
            fprintf(stderr, "bmf: %s chooses no better than fixed constants by now: measuring anew\n", kept);
    }
    if (!right)
        BMF_TRY(measure(trial, seconds, kept));
    return copy_table(kept, path);
}

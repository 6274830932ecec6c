/* Powers of another machine from what bench/probe/probe.c measured here and there.
 *
 * Method: the quotients of the figures. A kernel whose work is known (sheets with the memory's curves) needs three of
 * them. Another one is somewhere between computing and moving: it takes the geometric mean of the two, and the error
 * covers both. Cost: two small files. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/command/json.h"
#include "drivers/machine/machine.h"

#define FORMAT "bmf probe 1"

enum { OPERATIONS, BYTES, READ, FIGURES };
static const char *const figure_key[FIGURES] = {"operations_per_second", "bytes_per_second", "read_seconds"};
static const double usual_error = 0.3; /* of a stated power: docs/machines.md */

static int read_figures(const char *path, const json_t *root, double figure[FIGURES])
{
    const char *format = json_string_value(json_object_get(root, "format"));
    if (!format || strcmp(format, FORMAT) != 0)
        return bmf_fail(NULL, BMF_ERROR_FILE,
                        "%s: no figures of a machine (format '%.40s', not '" FORMAT
                        "'); write them by bmf-bench machine --json",
                        path, format ? format : "");
    for (int k = 0; k < FIGURES; k++) {
        const json_t *value = json_object_get(root, figure_key[k]);
        figure[k] = json_number_value(value);
        if (!json_is_number(value) || !(figure[k] > 0.0) || !isfinite(figure[k]))
            return bmf_fail(NULL, BMF_ERROR_FILE, "%s: '%s' must be a number above 0", path, figure_key[k]);
    }
    return BMF_OK;
}

static int read_probe(const char *path, double figure[FIGURES])
{
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error);
    if (!root)
        return bmf_fail(NULL, BMF_ERROR_FILE, "%s:%d: %.200s", path, error.line > 0 ? error.line : 1, error.text);
    const int status = read_figures(path, root, figure);
    json_decref(root);
    return status;
}

int machine_read_powers(const char *here, const char *there, bool work_is_known, bmf_machine_powers *powers)
{
    double from[FIGURES], to[FIGURES];
    BMF_TRY(read_probe(here, from));
    BMF_TRY(read_probe(there, to));
    const double computing = to[OPERATIONS] / from[OPERATIONS], moving = to[BYTES] / from[BYTES];
    *powers = (bmf_machine_powers){.computing = computing, .memory = moving, .random = from[READ] / to[READ]};
    powers->relative_error = fmax(usual_error, exp(fabs(log(computing / moving)) / 2.0) - 1.0);
    if (!work_is_known)
        powers->computing = sqrt(computing * moving);
    if (!isfinite(powers->computing) || !isfinite(moving) || !isfinite(powers->random) ||
        !(powers->relative_error <= 10.0))
        return bmf_fail(NULL, BMF_ERROR_FILE, "%s: its figures cannot be compared with those of %s", there, here);
    return BMF_OK;
}

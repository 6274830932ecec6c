/* bmf machine make --dvm: the machine that a parameter file of the Predictor of DVM programs describes.
 *
 * A network is one bus, a transputer system a grid (predict/network/network_dvm.c). The document's power is the host's
 * relative to the machine, a machine file's the machine's relative to the host: its inverse. Source: document 002, 2.4.
 */
#include <stdlib.h>

#include "bmf/status.h"
#include "drivers/machine/machine.h"
#include "predict/machine/predictor_file.h"

enum { SHORT = 40 };

/* The fewest digits that are read as the same number, with a point or exponent. */
static const char *number_text(double value, char text[SHORT])
{
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, SHORT, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    return text;
}

static void put_network(FILE *to, const bmf_predictor_file *file, int64_t processors)
{
    char start[SHORT], per_byte[SHORT];
    fprintf(to, "network = {\n  type = \"dvm\";\n  levels = ( { kind = \"%s\"; start_us = %s; us_per_byte = %s; ",
            file->transputer ? "transputer" : "ethernet", number_text(file->start_us, start),
            number_text(file->us_per_byte, per_byte));
    if (file->transputer) {
        fputs("topology = [", to);
        for (int k = 0; k < file->dimensions; k++)
            fprintf(to, "%s%lld", k ? ", " : "", (long long)file->size[k]);
        fputs("]; ", to);
    } else if (processors > 0) {
        fprintf(to, "members = %lld; ", (long long)processors);
    }
    fputs("} );\n};\n", to);
}

static void put_machine(FILE *to, const bmf_machine_making *making, const bmf_predictor_file *file, int64_t processors)
{
    char power[SHORT];
    fputs("# A machine of the Predictor of DVM programs, from its parameter file. See docs/machines.md.\nname = ", to);
    machine_put_text(to, making->name ? making->name : "dvm");
    fputs(";\n", to);
    if (processors > 0)
        fprintf(to, "processors = %lld;\n", (long long)processors);
    fprintf(to, "compute = { power = %s; };\n", number_text(1.0 / file->power, power));
    put_network(to, file, processors);
}

/* Those of the topology, which --procs must agree with, or those of --procs. */
static int find_processors(const bmf_machine_making *making, const bmf_predictor_file *file, int64_t *processors)
{
    *processors = predictor_file_processors(file);
    if (file->transputer && file->dimensions == 0)
        return bmf_fail(NULL, BMF_ERROR_FILE, "%s: 'topology' is missing, which a transputer system needs",
                        making->dvm);
    if (*processors > 0 && making->processors > 0 && *processors != making->processors)
        return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "%s: its topology has %lld processors, not %lld", making->dvm,
                        (long long)*processors, (long long)making->processors);
    *processors = *processors > 0 ? *processors : making->processors;
    return BMF_OK;
}

int machine_make_dvm(const bmf_machine_making *making, char **text)
{
    bmf_predictor_file file;
    int64_t processors;
    size_t size;
    BMF_TRY(predictor_file_read(making->dvm, &file));
    BMF_TRY(find_processors(making, &file, &processors));
    *text = NULL;
    FILE *to = open_memstream(text, &size);
    if (to) {
        put_machine(to, making, &file, processors);
        fclose(to);
    }
    return *text ? BMF_OK : bmf_fail(NULL, BMF_ERROR_MEMORY, "no memory for the file's text");
}

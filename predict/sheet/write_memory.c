/* Writing what sheets say of the machine's memory, and of the work of kernels; read_memory.c reads it. Times are
 * microseconds, as everywhere in what write.c writes. */
#include <inttypes.h>

#include "predict/sheet/sheet_private.h"

static const double per_second = 1e6;

static void put_numbers(bmf_output *out, const char *name, int count, const double *value, double unit)
{
    output_print(out, "    %s = [", name);
    for (int k = 0; k < count; k++) {
        output_text(out, k > 0 ? ", " : "");
        sheet_put_real(out, value[k] * unit);
    }
    output_text(out, "];\n");
}

static void put_named(bmf_output *out, const char *name, double value)
{
    output_print(out, "    %s = ", name);
    sheet_put_real(out, value);
    output_text(out, ";\n");
}

static void put_curve(bmf_output *out, const bmf_memory_curve *curve)
{
    double level[BMF_MEMORY_STEPS + 1] = {curve->level};
    for (int k = 0; k < curve->steps; k++)
        level[k + 1] = level[k] + curve->rise[k];
    output_print(out, "  {\n    access = \"%s\"; p = %d;\n", memory_access_word(curve->access), (int)curve->p);
    put_numbers(out, "bytes", 2, (const double[]){curve->low, curve->high}, 1.0);
    put_numbers(out, "levels", curve->steps + 1, level, per_second);
    put_numbers(out, "steps", curve->steps, curve->step, 1.0);
    put_numbers(out, "widths", curve->steps, curve->width, 1.0);
    put_named(out, "error", curve->error);
    output_text(out, "  }");
}

void sheet_put_memory(bmf_output *out, const bmf_memory *memory)
{
    if (memory->curves == 0)
        return;
    output_text(out, "# seconds for a byte, by the bytes that a core has in use, with p cores at once\nmemory = (\n");
    for (int64_t k = 0; k < memory->curves; k++) {
        put_curve(out, &memory->curve[k]);
        output_text(out, k + 1 < memory->curves ? ",\n" : "\n");
    }
    output_text(out, ");\n");
}

static void put_form(bmf_output *out, const bmf_mechanism_form *form)
{
    const double value[] = {form->weight,
                            form->overlap,
                            form->share,
                            form->start * per_second,
                            form->operation * per_second,
                            form->list * per_second,
                            form->first,
                            form->fault};
    output_text(out, "      (");
    for (size_t k = 0; k < sizeof value / sizeof *value; k++) {
        output_text(out, k > 0 ? ", " : "");
        sheet_put_real(out, value[k]);
    }
    output_text(out, ")");
}

void sheet_put_mechanism(bmf_output *out, const bmf_mechanism *mechanism)
{
    output_text(out, "    mechanism = {\n");
    if (mechanism->code)
        output_print(out, "    code = \"%016" PRIx64 "\";\n", mechanism->code);
    output_print(out, "    p = [%d, %d];\n    threads = %d;\n", (int)mechanism->p_low, (int)mechanism->p_high,
                 (int)mechanism->threads);
    put_numbers(out, "bytes", 2, (const double[]){mechanism->low, mechanism->high}, 1.0);
    put_named(out, "noise", mechanism->noise);
    put_named(out, "freedom", mechanism->freedom);
    put_named(out, "misfit", mechanism->misfit);
    output_text(out, "    # weight, overlap, share, start, operation, list, first, fault\n    forms = (\n");
    for (int k = 0; k < mechanism->forms; k++) {
        put_form(out, &mechanism->form[k]);
        output_text(out, k + 1 < mechanism->forms ? ",\n" : "\n");
    }
    output_text(out, "    );\n    };\n");
}

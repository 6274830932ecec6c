/* Loading for the commands that take a program. */
#include "drivers/program_options.h"

#include <inttypes.h>
#include <stdlib.h>

#include "predict/config/installed.h"
#include "runtime/backend/backend.h"
#include "runtime/base/text.h"

static int set_processors(bmf_context *ctx, const bmf_driver_options *options, const bmf_program *program)
{
    const int64_t needed = processors_needed(program->checked);
    int64_t processors = options->processors;
    if (processors == 0 && bmf_processors(ctx) > bmf_ranks(ctx))
        processors = bmf_processors(ctx); /* --bmf-procs */
    if (processors > 0 && processors < needed)
        return bmf_fail(ctx, BMF_ERROR_ARGUMENT,
                        "the program splits over %" PRId64 " processors; --procs %" PRId64 " are too few", needed,
                        processors);
    if (needed > BMF_MAX_PROCESSORS)
        return bmf_fail(ctx, BMF_ERROR_ARGUMENT,
                        "the program splits over %" PRId64 " processors; at most %d are possible", needed,
                        BMF_MAX_PROCESSORS);
    if (processors == 0)
        processors = needed > bmf_ranks(ctx) ? needed : bmf_ranks(ctx);
    return processors == bmf_processors(ctx) ? BMF_OK : bmf_set_processors(ctx, processors);
}

char *library_path(const char *name)
{
    static const bmf_installed kind = {"library", "library", ".bmf", "BMF_LIBRARIES"};
    char *path;
    return installed_find(&kind, name, &path) == BMF_OK ? path : text_copy(name);
}

int load_program(bmf_context *ctx, const bmf_driver_options *options, const char *path, bmf_program *program)
{
    char *library[BMF_MAX_STRINGS];
    const int libraries = options->library.count;
    for (int k = 0; k < libraries; k++)
        library[k] = library_path(options->library.text[k]);
    const bmf_program_options loaded = {.path = path,
                                        .text = options->text,
                                        .library = (const char *const *)library,
                                        .libraries = libraries,
                                        .argument = options->argument.text,
                                        .arguments = options->argument.count,
                                        .only_types = options->only_types,
                                        .processors = options->processors};
    const int status = program_load(ctx, &loaded, program);
    for (int k = 0; k < libraries; k++)
        free(library[k]);
    BMF_TRY(status);
    return set_processors(ctx, options, program);
}

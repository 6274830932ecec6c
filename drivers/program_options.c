/* Loading for the commands that take a program. */
#include "drivers/program_options.h"

#include <inttypes.h>

#include "runtime/backend/backend.h"

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

int load_program(bmf_context *ctx, const bmf_driver_options *options, const char *path, bmf_program *program)
{
    const bmf_program_options loaded = {.path = path,
                                        .library = options->library.text,
                                        .libraries = options->library.count,
                                        .argument = options->argument.text,
                                        .arguments = options->argument.count,
                                        .processors = options->processors};
    BMF_TRY(program_load(ctx, &loaded, program));
    return set_processors(ctx, options, program);
}

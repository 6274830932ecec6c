/* bmf cop run: compiles a program in C with its COP text, and runs it on all nodes of the simulated mesh.
 *
 * Method: the functions of the operators go into a header in a temporary directory; the system's compiler makes a
 * shared object, of which every node loads a copy of its own, so that global variables are each node's. */
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "bmf/status.h"
#include "drivers/cop/cop.h"
#include "drivers/cop/node_output.h"
#include "drivers/cop/results.h"
#include "predict/cop/emit.h"
#include "runtime/base/allocate.h"
#include "runtime/base/output_file.h"

enum { PATH_SIZE = 4096 };
extern char **environ;

typedef struct loaded {
    int64_t nodes;
    void **object;
    int (**main)(int argc, char **argv);
    FILE **output; /* of a node, once it runs */
    int argc;
    char **argv;
} loaded;

/* ---- compiling ---- */

static int write_header(const bmf_cop_program *program, const char *directory, const char *base)
{
    char path[PATH_SIZE];
    if (snprintf(path, sizeof path, "%s/%s.cop.h", directory, base) >= PATH_SIZE)
        return bmf_fail(NULL, BMF_ERROR_FILE, "%s: the name is too long", base);
    FILE *header = fopen(path, "w");
    if (!header)
        return bmf_fail(NULL, BMF_ERROR_FILE, "%s: %s", path, strerror(errno));
    cop_emit(program, BMF_COP_FOR_MESH, header);
    return fclose(header) == 0 ? BMF_OK : bmf_fail(NULL, BMF_ERROR_FILE, "%s: %s", path, strerror(errno));
}

static int compile(const char *source, const char *directory)
{
    char include[PATH_SIZE], object[PATH_SIZE], word_cc[] = "cc", o2[] = "-O2", shared[] = "-shared", pic[] = "-fPIC",
                                                c11[] = "-std=gnu11", output[] = "-o", math[] = "-lm";
    char *text = strdup(source);
    snprintf(include, sizeof include, "-I%s", directory);
    snprintf(object, sizeof object, "%s/program.so", directory);
    char *const argv[] = {word_cc, c11, o2, shared, pic, include, text, output, object, math, NULL};
    pid_t child;
    int state = 0;
    const int failure = posix_spawnp(&child, "cc", NULL, NULL, argv, environ);
    free(text);
    if (failure)
        return bmf_fail(NULL, BMF_ERROR_FILE, "cc: %s", strerror(failure));
    while (waitpid(child, &state, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(state) && WEXITSTATUS(state) == 0
               ? BMF_OK
               : bmf_fail(NULL, BMF_ERROR_FILE, "%s: the compiler does not take it", source);
}

/* ---- loading ---- */

static int copy_object(const char *directory, int64_t node, char path[PATH_SIZE])
{
    char from[PATH_SIZE], bytes[1 << 14];
    snprintf(from, sizeof from, "%s/program.so", directory);
    snprintf(path, PATH_SIZE, "%s/node-%" PRId64 ".so", directory, node);
    FILE *in = fopen(from, "rb"), *out = fopen(path, "wb");
    bool good = in && out;
    for (size_t size = 1; good && size > 0;) {
        size = fread(bytes, 1, sizeof bytes, in);
        good = fwrite(bytes, 1, size, out) == size;
    }
    if (in)
        fclose(in);
    if (out)
        good = fclose(out) == 0 && good;
    return good ? BMF_OK : bmf_fail(NULL, BMF_ERROR_FILE, "%s: %s", path, strerror(errno));
}

static int load_node(loaded *l, const char *directory, int64_t node)
{
    char path[PATH_SIZE];
    BMF_TRY(copy_object(directory, node, path));
    l->object[node] = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!l->object[node])
        return bmf_fail(NULL, BMF_ERROR_FILE, "%s", dlerror());
    void *entry = dlsym(l->object[node], "main");
    if (!entry || !dlsym(l->object[node], "cop_service"))
        return bmf_fail(NULL, BMF_ERROR_FILE, "the program has no main, or does not include its .cop.h");
    memcpy(&l->main[node], &entry, sizeof entry);
    return BMF_OK;
}

/* Ends what nodes have printed. */
static void close_outputs(loaded *l)
{
    for (int64_t n = 0; l->output && n < l->nodes; n++)
        if (l->output[n])
            fclose(l->output[n]);
    free(l->output);
    l->output = NULL;
}

static void unload(loaded *l)
{
    close_outputs(l);
    for (int64_t n = 0; l->object && n < l->nodes; n++)
        if (l->object[n])
            dlclose(l->object[n]);
    free(l->object);
    free(l->main);
}

/* A node: its copy of the program gets its services, and prints where its lines are told apart. */
static int body(void *state, const bmf_cop_services *services)
{
    const loaded *l = state;
    const bmf_cop_services **place = dlsym(l->object[services->node], "cop_service");
    *place = services;
    l->output[services->node] = node_output_open(stdout, services->node);
    if (l->output[services->node])
        stdout = l->output[services->node];
    return l->main[services->node](l->argc, l->argv);
}

/* ---- the command ---- */

static int compile_and_load(const bmf_cop_program *program, const char *source, const char *directory, loaded *l)
{
    const char *slash = strrchr(source, '/'), *base = slash ? slash + 1 : source;
    char name[PATH_SIZE];
    snprintf(name, sizeof name, "%s", base);
    char *dot = strrchr(name, '.');
    if (dot)
        *dot = '\0';
    BMF_TRY(write_header(program, directory, name));
    BMF_TRY(compile(source, directory));
    l->nodes = program->settings.mesh.nodes;
    l->object = allocate_clear(l->nodes, sizeof *l->object);
    l->main = allocate_clear(l->nodes, sizeof *l->main);
    l->output = allocate_clear(l->nodes, sizeof *l->output);
    for (int64_t n = 0; n < l->nodes; n++)
        BMF_TRY(load_node(l, directory, n));
    return BMF_OK;
}

static int run_plan(const bmf_cop_plan *plan, const bmf_cop_routers *routers, const bmf_cop_options *o, loaded *l)
{
    bmf_cop_times times;
    int code = cop_simulate(plan, routers, false, body, l, o->trace, &times);
    close_outputs(l);
    if (code != 0)
        return code;
    fflush(stdout);
    const bmf_cop_result_options shown = {o->nodes, o->worst, o->json, routers->gigahertz};
    code = cop_print_times(&times, &shown);
    if (code == 0 && times.exit_code != 0) {
        bmf_fail(NULL, BMF_ERROR_KERNEL, "the program ended with exit code %d", times.exit_code);
        code = report_status(NULL, BMF_ERROR_KERNEL);
    }
    free(times.time);
    return code;
}

static int run(bmf_context *ctx, void *values, const bmf_operands *operands)
{
    const bmf_cop_options *o = values;
    bmf_cop_routers routers;
    bmf_cop_program *program;
    bmf_cop_plan *plan = NULL;
    (void)ctx;
    int code = cop_open_program(operands->text[0], o, &routers, &program);
    if (code != 0)
        return code;
    loaded l = {.argc = operands->count, .argv = operands->text};
    code = cop_open_runnable(program, o, &routers, &plan);
    if (code == 0) {
        char *directory = temporary_directory_create("bmf-cop");
        if (directory)
            code = report_status(NULL, compile_and_load(program, operands->text[0], directory, &l));
        else
            code = report_status(NULL, bmf_fail(NULL, BMF_ERROR_FILE, "temporary directory: %s", strerror(errno)));
        temporary_directory_remove(directory);
    }
    if (code == 0)
        code = run_plan(plan, &routers, o, &l);
    unload(&l);
    cop_plan_free(plan);
    cop_free(program);
    cop_close_routers(&routers);
    return code;
}

static const bmf_option table[] = {BMF_COP_SIZE_OPTION,  BMF_COP_ROUTER_OPTION,  BMF_COP_SET_OPTION,
                                   BMF_COP_PLAN_OPTIONS, BMF_COP_RESULT_OPTIONS, BMF_OPTION_END};

const bmf_driver cop_run_command = {
    .name = "run",
    .summary = "runs a program in C on all nodes of the simulated mesh",
    .synopsis = "bmf cop run PROGRAM.c --size XxY[xZ] [OPTION].. [-- ARGUMENT..]",
    .about =
        "PROGRAM.c begins with its COP text between `;/*` and `*/` and includes \"PROGRAM.cop.h\", which is made: for "
        "an operator b the functions `b_load`, `b_write` and `b_read`, or `b_func`; and `cop_node`, `cop_nodes`, "
        "`cop_delay`, `cop_cycle`, `cop_init` and `cop_fini`. The system's cc compiles it, every node runs a copy of "
        "its own. Prints what the program prints (before the lines of nodes other than 0 their number in brackets), "
        "then cycles by what they went into, as means over the nodes.",
    .example = "bmf cop run examples/cop/matmul.c --size 6x6 -- 60",
    .exit_code =
        "1 is also what programs do wrong at run time, with node, operator and cycle, and an exit code of theirs "
        "that is not 0; 2 a mistake in the program, or one that cannot be run.",
    .options = table,
    .min_operands = 1,
    .max_operands = BMF_ANY_NUMBER,
    .no_operand = "no program",
    .defaults = &cop_default_options,
    .size = sizeof(bmf_cop_options),
    .run = run};

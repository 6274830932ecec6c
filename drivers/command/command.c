/* Finding a command and running it. */
#include "drivers/command/command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "drivers/command/private.h"
#include "runtime/backend/backend.h"
#include "runtime/base/allocate.h"
#include "runtime/base/edit_distance.h"
#include "runtime/base/progress.h"
#include "runtime/base/launcher.h"
#include "runtime/base/message.h"
#include "runtime/base/near_names.h"
#include "runtime/base/text.h"

enum { LINE = 1024 };

/* The program, and the path of the command that runs, as typed: for messages. */
static const char *program_name = "";
static char command_path[128];

bool is_first_process(void)
{
    return launcher_rank() == 0;
}

int usage_error(const char *format, ...)
{
    if (!is_first_process())
        return 2;
    char text[LINE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    text_make_printable(text);
    message_print(stderr, program_name, text, message_in_colours());
    fprintf(stderr, " (see `%s --help`)\n", command_path);
    return 2;
}

int report_status(const bmf_context *ctx, int status)
{
    if (status != BMF_OK && (ctx ? bmf_is_root(ctx) : is_first_process()))
        message_line(program_name, bmf_error_text(ctx));
    return bmf_exit_code(status);
}

int finish_output(void)
{
    static bool told;
    errno = 0;
    if (!told && fflush(stdout) == 0 && !ferror(stdout))
        return 0;
    /* Under MPI lines are written one by one, and the reason of a failure then may be forgotten by now. */
    const int reason = errno;
    if (!told)
        fprintf(stderr, "%s: cannot write to standard output%s%s\n", program_name, reason ? ": " : "",
                reason ? strerror(reason) : "");
    told = true;
    return 1;
}

static int help(const bmf_driver *command)
{
    if (!is_first_process())
        return 0;
    print_help(command, command_path);
    return finish_output();
}

/* ---- a leaf ---- */

/* On standard error, which is a terminal. */
static void show_progress(const char *what, double done, double seconds_left)
{
    fputs("\r\033[K", stderr);
    if (!what)
        return;
    fputs(what, stderr);
    if (done >= 0.0)
        fprintf(stderr, ": %.0f %%", 100.0 * done);
    if (seconds_left >= 0.0 && seconds_left < 90.0)
        fprintf(stderr, ", %.0f s left", seconds_left);
    else if (seconds_left >= 0.0)
        fprintf(stderr, ", %.0f min left", seconds_left / 60.0);
}

static int read_and_run(const bmf_driver *command, int argc, char **argv, bmf_context *ctx)
{
    void *values = allocate_clear(1, (int64_t)command->size + 1);
    bmf_operands operands;
    int code = 2;
    if (command->defaults)
        memcpy(values, command->defaults, command->size);
    const bmf_reading reading = read_options(command, argc, argv, values, &operands);
    if (reading == BMF_READ_HELP)
        code = help(command);
    else if (reading == BMF_READ_RUN) {
        if (isatty(STDERR_FILENO) && (!ctx || bmf_is_root(ctx)))
            progress_watch(show_progress);
        code = command->run(ctx, values, &operands);
        progress_watch(NULL);
    }
    free(values);
    return code;
}

static int run_leaf(const bmf_driver *command, int argc, char **argv)
{
    bmf_context *ctx = NULL;
    if (!command->parallel && !command->every_process && !is_first_process())
        return 0;
    if (command->parallel) {
        name_context_options(command, argc, argv);
        const int status = bmf_open(&argc, &argv, &ctx);
        if (status != BMF_OK) {
            const int code = report_status(NULL, status);
            finalise_unless_open();
            return code;
        }
    }
    int code = read_and_run(command, argc, argv, ctx);
    if (ctx) {
        const int closed = bmf_exit_code(bmf_close(ctx));
        code = code ? code : closed;
    }
    return code ? code : finish_output();
}

/* ---- a group ---- */

static int unknown_command(const bmf_driver *group, const char *name)
{
    char known[512] = "", meant[64] = "";
    near_names near = {.max = 1, .limit = 2};
    for (int k = 0; group->commands[k]; k++) {
        const size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", k ? ", " : "", group->commands[k]->name);
        near_names_offer(&near, group->commands[k]->name, name_distance(name, group->commands[k]->name));
    }
    if (near.count > 0)
        snprintf(meant, sizeof meant, "; is %s meant?", near.name[0]);
    return usage_error("unknown %s '%s'%s; known: %s", group->noun ? group->noun : "command", name, meant, known);
}

static int run_command(const bmf_driver *command, int argc, char **argv);

static int run_group(const bmf_driver *group, int argc, char **argv)
{
    if (argc < 2)
        return usage_error("%s", group->missing);
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0)
        return help(group);
    if (group->version && strcmp(argv[1], "--version") == 0) {
        if (is_first_process())
            printf("%s %s\n", group->name, group->version);
        return finish_output();
    }
    if (group->version && strcmp(argv[1], "--man") == 0 && argc == 4)
        return write_manual(group, argv[2], argv[3]);
    if (group->version && strcmp(argv[1], "--completions") == 0 && argc == 3)
        return write_completions(group, argv[2]);
    for (int k = 0; group->commands[k]; k++)
        if (strcmp(argv[1], group->commands[k]->name) == 0)
            return run_command(group->commands[k], argc - 1, argv + 1);
    return group->usual && argv[1][0] == '-' ? run_leaf(group->usual, argc, argv) : unknown_command(group, argv[1]);
}

static int run_command(const bmf_driver *command, int argc, char **argv)
{
    const size_t used = strlen(command_path);
    snprintf(command_path + used, sizeof command_path - used, "%s%s", used ? " " : "", command->name);
    return command->commands ? run_group(command, argc, argv) : run_leaf(command, argc, argv);
}

int command_main(const bmf_driver *program, int argc, char **argv)
{
    program_name = program->name;
    exact_option_names = program->exact_names;
    return run_command(program, argc, argv);
}

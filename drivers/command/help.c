/* --help from a command's tables. */
#include <stdio.h>
#include <string.h>

#include "drivers/command/private.h"

const char *const exit_codes =
    "0 success; 1 failed: a kernel or a program that was run, memory that ran out, an interruption, or standard output "
    "that cannot be written; 2 bad usage or bad input, or a file that cannot be read or written, a full disk included.";

enum { WIDTH = 110, MAX_LEFT = 26 /* columns of the names of options */ };

const char *text_behind(const char *text, char separator)
{
    const char *at = strchr(text, separator);
    return at ? at + 1 : NULL;
}

/* Prints text from column on, broken at spaces, further lines indented to it. Line feeds in the text are kept. */
static void print_wrapped(const char *text, int column)
{
    int at = column;
    for (const char *word = text; *word;) {
        const int length = (int)strcspn(word, " \n");
        if (at > column && at + 1 + length > WIDTH) {
            printf("\n%*s", column, "");
            at = column;
        } else if (at > column) {
            putchar(' ');
            at++;
        }
        printf("%.*s", length, word);
        at += length;
        word += length;
        if (*word == '\n') {
            printf(word[1] == '\n' ? "\n" : "\n%*s", column, "");
            at = column;
        }
        word += *word != '\0';
    }
    putchar('\n');
}

/* title before the first line, the others below what stands behind it. */
static void print_lines(const char *title, const char *text)
{
    const int indent = (int)strlen(title);
    for (const char *line = text; line; line = text_behind(line, '\n'))
        printf("%*s%.*s\n", indent, line == text ? title : "", (int)strcspn(line, "\n"), line);
}

static void left_of_option(const bmf_option *option, char *text, size_t size)
{
    char letter[8] = "";
    if (option->letter && option->argument)
        snprintf(letter, sizeof letter, "-%c, ", option->letter);
    snprintf(text, size, "  %s--%s%s%s", letter, option->name, option->argument ? " " : "",
             option->argument ? option->argument : "");
}

static int left_width(const bmf_driver *command)
{
    char text[80];
    int width = (int)strlen("  --help");
    for (const bmf_option *option = command->options; option && option->name; option++) {
        left_of_option(option, text, sizeof text);
        const int length = (int)strlen(text);
        if (length > width && length <= MAX_LEFT)
            width = length;
    }
    return width + 2;
}

static void print_choices(const bmf_option *option, int column)
{
    const char *name, *about = NULL;
    for (int k = 0; (name = option->value.choice(k, &about)) != NULL && about; k++)
        printf("%*s%-9s %s\n", column + 2, "", name, about);
}

static void print_option(const bmf_driver *command, const bmf_option *option, int column)
{
    char left[80], initial[64], text[1024];
    left_of_option(option, left, sizeof left);
    option_default(command, option, initial, sizeof initial);
    snprintf(text, sizeof text, initial[0] ? "%s (default: %s)" : "%s", option->help, initial);
    if ((int)strlen(left) + 2 > column)
        printf("%s\n%*s", left, column, "");
    else
        printf("%-*s", column, left);
    print_wrapped(text, column);
    if (option->value.kind == BMF_VALUE_CHOICE)
        print_choices(option, column);
}

static void print_options(const bmf_driver *command)
{
    const int column = left_width(command);
    for (const bmf_option *option = command->options; option && option->name; option++)
        print_option(command, option, column);
    print_option(command, &help_option, column);
}

static void print_commands(const bmf_driver *group, const char *path)
{
    const char *noun = group->noun ? group->noun : "command";
    int width = 0;
    char upper[32];
    copy_letters(noun, 'a', 'A', upper, sizeof upper);
    for (int k = 0; group->commands[k]; k++)
        width = (int)strlen(group->commands[k]->name) > width ? (int)strlen(group->commands[k]->name) : width;
    printf("%c%ss:\n", upper[0], noun + 1);
    for (int k = 0; group->commands[k]; k++)
        printf("  %-*s  %s\n", width, group->commands[k]->name, group->commands[k]->summary);
    printf("\n  --help     this text; `%s %s --help` explains a %s\n", path, upper, noun);
    if (group->version)
        puts("  --version  the version");
}

void print_help(const bmf_driver *command, const char *path)
{
    print_lines("usage: ", command->synopsis);
    putchar('\n');
    print_wrapped(command->about, 0);
    putchar('\n');
    if (command->commands)
        print_commands(command, path);
    else
        print_options(command);
    if (command->more) {
        putchar('\n');
        command->more(stdout);
    }
    if (command->note) {
        putchar('\n');
        print_wrapped(command->note, 0);
    }
    fputs("\nExit codes: ", stdout);
    print_wrapped(exit_codes, 12);
    if (command->exit_code) {
        printf("%*s", 12, "");
        print_wrapped(command->exit_code, 12);
    }
    putchar('\n');
    if (command->commands && strchr(command->example, '\n')) {
        puts("Example:");
        print_lines("  ", command->example);
    } else {
        print_lines("Example: ", command->example);
    }
}

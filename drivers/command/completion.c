/* Completion scripts for bash and zsh, from the tables of commands.
 *
 * Method: a script has three functions with what the tables say, by the words of the command so far ("bmf sheet fit"):
 * its commands, its options, and the values of each option: names to choose from, files, or machines. What is typed is
 * followed through them; that part is the same text for every program.
 */
#include <stdio.h>
#include <string.h>

#include "drivers/command/private.h"

enum { PATH = 128, TEXT = 64 };

static const char bash_end[] =
    "\n"
    "_bmf()\n"
    "{\n"
    "    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} path=bmf values k\n"
    "    for ((k = 1; k < COMP_CWORD; k++)); do\n"
    "        [[ ${COMP_WORDS[k]} != -- ]] || { COMPREPLY=($(compgen -c -f -- \"$current\")); return; }\n"
    "        [[ \" $(_bmf_commands \"$path\") \" != *\" ${COMP_WORDS[k]} \"* ]] || path+=\" ${COMP_WORDS[k]}\"\n"
    "    done\n"
    "    if [[ $current == = ]]; then\n"
    "        current=\n"
    "    elif [[ $before == = ]]; then\n"
    "        before=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    fi\n"
    "    values=$(_bmf_values \"$path $before\")\n"
    "    case $values in\n"
    "        :machines) COMPREPLY=($(compgen -f -W \"$(bmf machine list 2>/dev/null | cut -d ' ' -f 1)\" -- "
    "\"$current\")) ;;\n"
    "        :files) COMPREPLY=($(compgen -f -- \"$current\")) ;;\n"
    "        ?*) COMPREPLY=($(compgen -W \"$values\" -- \"$current\")) ;;\n"
    "        *)\n"
    "            values=$(_bmf_commands \"$path\")\n"
    "            [[ $current != -* ]] || values=$(_bmf_options \"$path\")\n"
    "            if [[ $values ]]; then\n"
    "                COMPREPLY=($(compgen -W \"$values\" -- \"$current\"))\n"
    "            else\n"
    "                COMPREPLY=($(compgen -f -- \"$current\"))\n"
    "            fi\n"
    "            ;;\n"
    "    esac\n"
    "}\n"
    "\n"
    "complete -o filenames -F _bmf bmf\n";

static const char zsh_end[] =
    "\n"
    "_bmf()\n"
    "{\n"
    "    local line=bmf values\n"
    "    local -a found\n"
    "    integer k\n"
    "    for ((k = 2; k < CURRENT; k++)); do\n"
    "        [[ ${words[k]} != -- ]] || { _files; _command_names; return }\n"
    "        found=(\"${(@f)$(_bmf_commands $line)}\")\n"
    "        (( ! ${found[(I)${words[k]}:*]} )) || line+=\" ${words[k]}\"\n"
    "    done\n"
    "    values=$(_bmf_values \"$line ${words[CURRENT - 1]}\")\n"
    "    case $values in\n"
    "        :machines) compadd -- $(bmf machine list 2>/dev/null | cut -d ' ' -f 1); _files ;;\n"
    "        :files) _files ;;\n"
    "        ?*) compadd -- ${=values} ;;\n"
    "        *)\n"
    "            found=(\"${(@f)$(_bmf_commands $line)}\")\n"
    "            [[ ${words[CURRENT]} != -* ]] || found=(\"${(@f)$(_bmf_options $line)}\")\n"
    "            if [[ -n $found ]]; then\n"
    "                _describe bmf found\n"
    "            else\n"
    "                _files\n"
    "            fi\n"
    "            ;;\n"
    "    esac\n"
    "}\n"
    "\n"
    "compdef _bmf bmf\n";

/* A script in the making. */
typedef struct script {
    FILE *to;
    char path[PATH]; /* the words of the command at hand */
    bool described;  /* a name and what it is on each line (zsh), instead of names in one (bash) */
} script;

typedef void put_branch(const script *s, const bmf_driver *command);

/* One name, with the beginning of what it is. */
static void put_name(const script *s, const char *hyphens, const char *name, const char *about, bool first)
{
    if (!s->described) {
        fprintf(s->to, "%s%s%s", first ? "" : " ", hyphens, name);
        return;
    }
    fprintf(s->to, "%s%s%s:", first ? "" : "\n", hyphens, name);
    const size_t length = strlen(about), shown = length <= TEXT ? length : TEXT - 3;
    for (size_t k = 0; k < shown; k++)
        fputs(about[k] == '\'' ? "'\\''" : about[k] == '\n' ? " " : (char[]){about[k], '\0'}, s->to);
    if (shown < length)
        fputs("...", s->to);
}

static void put_commands(const script *s, const bmf_driver *command)
{
    if (!command->commands)
        return;
    fprintf(s->to, "        '%s') echo '", s->path);
    for (int k = 0; command->commands[k]; k++)
        put_name(s, "", command->commands[k]->name, command->commands[k]->summary, k == 0);
    fputs("' ;;\n", s->to);
}

/* Those of a leaf, and of the leaf that a group means if options come first. */
static const bmf_option *options_of(const bmf_driver *command)
{
    return command->usual ? command->usual->options : command->options;
}

static void put_options(const script *s, const bmf_driver *command)
{
    fprintf(s->to, "        '%s') echo '", s->path);
    for (const bmf_option *option = options_of(command); option && option->name; option++)
        put_name(s, "--", option->name, option->help, option == options_of(command));
    put_name(s, "--", help_option.name, help_option.help, !options_of(command));
    if (command->version)
        put_name(s, "--", "version", "the version", false);
    fputs("' ;;\n", s->to);
}

static void put_option_values(const script *s, const bmf_option *option)
{
    const char *name, *about;
    if (option->value.kind != BMF_VALUE_CHOICE) {
        fputs(strcmp(option->name, "machine") == 0 ? ":machines" : ":files", s->to);
        return;
    }
    for (int k = 0; (name = option->value.choice(k, &about)) != NULL; k++)
        fprintf(s->to, "%s%s", k == 0 ? "" : " ", name);
}

static void put_values(const script *s, const bmf_driver *command)
{
    for (const bmf_option *option = options_of(command); option && option->name; option++)
        if (option->argument) {
            fprintf(s->to, "        '%s --%s'", s->path, option->name);
            if (option->letter)
                fprintf(s->to, " | '%s -%c'", s->path, option->letter);
            fputs(") echo '", s->to);
            put_option_values(s, option);
            fputs("' ;;\n", s->to);
        }
}

/* The branches of the command at s->path and of those below it. */
static void put_branches(script *s, const bmf_driver *command, put_branch *put)
{
    const size_t used = strlen(s->path);
    put(s, command);
    for (int k = 0; command->commands && command->commands[k]; k++) {
        snprintf(s->path + used, sizeof s->path - used, " %s", command->commands[k]->name);
        put_branches(s, command->commands[k], put);
    }
    s->path[used] = '\0';
}

static void put_function(script *s, const bmf_driver *program, const char *name, put_branch *put)
{
    fprintf(s->to, "\n_bmf_%s()\n{\n    case $1 in\n", name);
    snprintf(s->path, sizeof s->path, "%s", program->name);
    put_branches(s, program, put);
    fputs("    esac\n}\n", s->to);
}

static int write_script(const bmf_driver *program, const char *directory, bool zsh)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s%s", directory, zsh ? "_" : "", program->name);
    script s = {.to = fopen(path, "w"), .described = zsh};
    if (!s.to)
        return usage_error("cannot write '%s'", path);
    fprintf(s.to, "%s# Completion of %s for %s, made from the tables of its commands.\n", zsh ? "#compdef bmf\n" : "",
            program->name, zsh ? "zsh" : "bash");
    put_function(&s, program, "commands", put_commands);
    put_function(&s, program, "options", put_options);
    put_function(&s, program, "values", put_values);
    fputs(zsh ? zsh_end : bash_end, s.to);
    return fclose(s.to) == 0 ? 0 : usage_error("cannot write '%s'", path);
}

int write_completions(const bmf_driver *program, const char *directory)
{
    const int code = write_script(program, directory, false);
    return code ? code : write_script(program, directory, true);
}

/* Manual pages from the tables of commands and hand-written fragments.
 *
 * A fragment is a file NAME.roff beside the others, NAME that of the page. Its sections begin with `.SH TITLE`:
 * DESCRIPTION takes the place of the table's prose, --OPTION is added to what the table says of that option, any other
 * section stands before EXIT STATUS as it is.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/command/private.h"
#include "runtime/base/allocate.h"

/* A page in the making. */
typedef struct page {
    FILE *to;
    char *fragment; /* "" if there is none */
} page;

/* ---- fragments ---- */

static char *read_fragment(const char *directory, const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.roff", directory, name);
    FILE *from = fopen(path, "r");
    size_t size = 0;
    char *text = NULL;
    if (!from || getdelim(&text, &size, '\0', from) < 0) {
        free(text);
        text = allocate_clear(1, 1);
    }
    if (from)
        fclose(from);
    return text;
}

/* The section that begins at or behind `at`; NULL: none. */
static const char *next_section(const char *at)
{
    while (at && strncmp(at, ".SH ", 4) != 0)
        at = text_behind(at, '\n');
    return at;
}

static size_t section_length(const char *section)
{
    const char *next = next_section(section + 1);
    return next ? (size_t)(next - section) : strlen(section);
}

static bool has_title(const char *section, const char *prefix, const char *name)
{
    const size_t length = strlen(prefix);
    const char *title = section + 4;
    return strncmp(title, prefix, length) == 0 && strcspn(title + length, "\n") == strlen(name) &&
           strncmp(title + length, name, strlen(name)) == 0;
}

/* The section's text, not ended by a zero; NULL: the fragment has no such section. */
static const char *find_section(const page *p, const char *prefix, const char *name, size_t *length)
{
    for (const char *at = next_section(p->fragment); at; at = next_section(at + 1))
        if (has_title(at, prefix, name)) {
            const size_t title = strcspn(at, "\n") + 1;
            *length = section_length(at) - title;
            return at + title;
        }
    return NULL;
}

static void put_own_sections(const page *p)
{
    for (const char *at = next_section(p->fragment); at; at = next_section(at + 1))
        if (strncmp(at + 4, "--", 2) != 0 && !has_title(at, "", "DESCRIPTION"))
            fwrite(at, 1, section_length(at), p->to);
}

/* ---- texts ---- */

/* length characters as text of roff: `words` are bold, empty lines part paragraphs. */
static void put_text(const page *p, const char *text, size_t length)
{
    bool bold = false, line_begins = true;
    for (const char *c = text; c < text + length; c++) {
        if (line_begins && (*c == '.' || *c == '\''))
            fputs("\\&", p->to);
        line_begins = *c == '\n';
        if (*c == '`')
            fputs((bold = !bold) ? "\\fB" : "\\fR", p->to);
        else if (*c == '\n')
            fputs(c + 1 < text + length && c[1] == '\n' ? "\n.PP" : "\n", p->to);
        else
            fputs(*c == '-' ? "\\-" : *c == '\\' ? "\\e" : (char[]){*c, '\0'}, p->to);
    }
}

static void put(const page *p, const char *text)
{
    put_text(p, text, strlen(text));
}

/* A sentence: begins with a capital letter and ends with a full stop. */
static void put_sentence(const page *p, const char *text)
{
    const size_t length = strlen(text);
    fputc(toupper((unsigned char)text[0]), p->to);
    put(p, text + 1);
    fputs(length > 0 && strchr(".:", text[length - 1]) ? "\n" : ".\n", p->to);
}

/* One line of a synopsis: words in capitals are to be replaced. */
static void put_form(const page *p, const char *line)
{
    for (const char *word = line; *word && *word != '\n';) {
        const size_t length = strcspn(word, " \n"), bracket = strspn(word, "[(");
        fprintf(p->to, "\\f%c", isupper((unsigned char)word[bracket]) ? 'I' : 'B');
        put_text(p, word, length);
        fputs("\\fR", p->to);
        word += length;
        if (*word == ' ')
            fputc(*word++, p->to);
    }
    fputs("\n.br\n", p->to);
}

static void put_forms(const page *p, const bmf_driver *command)
{
    for (const char *line = command->synopsis; line; line = text_behind(line, '\n'))
        put_form(p, line);
}

/* ---- tables ---- */

static void put_choices(const page *p, const bmf_option *option)
{
    const char *name, *about = NULL;
    fputs(".RS\n", p->to);
    for (int k = 0; (name = option->value.choice(k, &about)) != NULL && about; k++) {
        fprintf(p->to, ".TP\n.B %s\n", name);
        put_sentence(p, about);
    }
    fputs(".RE\n", p->to);
}

static void put_option(const page *p, const bmf_driver *command, const bmf_option *option)
{
    char initial[64];
    size_t length;
    const char *more = find_section(p, "--", option->name, &length);
    fputs(".TP\n", p->to);
    if (option->letter && option->argument)
        fprintf(p->to, "\\fB\\-%c\\fR \\fI%s\\fR, ", option->letter, option->argument);
    fputs("\\fB\\-\\-", p->to);
    put(p, option->name);
    fputs("\\fR", p->to);
    if (option->argument) {
        fputs(" \\fI", p->to);
        put(p, option->argument);
        fputs("\\fR", p->to);
    }
    fputc('\n', p->to);
    put_sentence(p, option->help);
    option_default(command, option, initial, sizeof initial);
    if (initial[0]) {
        fputs("Default: ", p->to);
        put_sentence(p, initial);
    }
    if (more)
        fwrite(more, 1, length, p->to);
    else if (option->value.kind == BMF_VALUE_CHOICE)
        put_choices(p, option);
}

static void put_options(const page *p, const bmf_driver *command)
{
    for (const bmf_option *option = command->options; option && option->name; option++)
        put_option(p, command, option);
    put_option(p, command, &help_option);
}

static void put_notes(const page *p, const bmf_driver *command)
{
    if (command->more) {
        fputs(".PP\n.nf\n", p->to);
        command->more(p->to);
        fputs(".fi\n", p->to);
    }
    if (command->note) {
        fputs(".PP\n", p->to);
        put(p, command->note);
        fputc('\n', p->to);
    }
}

/* The leaves of a group, each with its options. */
static void put_commands(const page *p, const bmf_driver *group)
{
    fputs(".SH COMMANDS\n", p->to);
    for (int k = 0; group->commands[k]; k++) {
        const bmf_driver *command = group->commands[k];
        fprintf(p->to, ".SS %s\n", command->name);
        put(p, command->about);
        fputc('\n', p->to);
        put_options(p, command);
        put_notes(p, command);
    }
    put_notes(p, group);
}

/* The commands of the program, which have pages of their own. */
static void put_pages(const page *p, const bmf_driver *program)
{
    fputs(".SH COMMANDS\n", p->to);
    for (int k = 0; program->commands[k]; k++) {
        const bmf_driver *command = program->commands[k];
        fprintf(p->to, ".TP\n.B %s\n", command->name);
        put_sentence(p, command->summary);
        fprintf(p->to, "See\n.BR %s\\-%s (1).\n", program->name, command->name);
    }
    fputs(".SH OPTIONS\n.TP\n.B \\-\\-help\nPrints the list of commands.\n.TP\n.B \\-\\-version\nPrints the version.\n",
          p->to);
    put_notes(p, program);
}

static void put_examples(const page *p, const bmf_driver *command)
{
    put(p, command->example);
    fputc('\n', p->to);
    for (int k = 0; command->commands && command->commands[k] && !command->version; k++)
        put_examples(p, command->commands[k]);
}

static void put_see(const page *p, const bmf_driver *command)
{
    fputs(".SH SEE ALSO\n", p->to);
    if (!command->version)
        fputs(".BR bmf (1)", p->to);
    for (const char *name = command->see; name; name = text_behind(name, ' ')) {
        fputs(name == command->see && command->version ? ".BR " : ",\n.BR ", p->to);
        put_text(p, name, strcspn(name, ","));
        fputs(" (1)", p->to);
    }
    fputc('\n', p->to);
}

/* ---- pages ---- */

static void put_head(const page *p, const bmf_driver *command, const char *name)
{
    char title[64];
    size_t length;
    copy_letters(name, 'a', 'A', title, sizeof title);
    fputs(".TH ", p->to);
    put(p, title);
    fputs(" 1 \"\" \"bmf\" \"User commands\"\n.SH NAME\n", p->to);
    put(p, name);
    fputs(" \\- ", p->to);
    put(p, command->summary);
    fputs("\n.SH SYNOPSIS\n", p->to);
    if (!command->commands || command->version)
        put_forms(p, command);
    for (int k = 0; !command->version && command->commands && command->commands[k]; k++)
        put_forms(p, command->commands[k]);
    fputs(".SH DESCRIPTION\n", p->to);
    const char *text = find_section(p, "", "DESCRIPTION", &length);
    if (text)
        fwrite(text, 1, length, p->to);
    else
        put_sentence(p, command->about);
}

static void put_page(const page *p, const bmf_driver *command, const char *name)
{
    put_head(p, command, name);
    if (command->version) {
        put_pages(p, command);
    } else if (command->commands) {
        put_commands(p, command);
    } else {
        fputs(".SH OPTIONS\n", p->to);
        put_options(p, command);
        put_notes(p, command);
    }
    put_own_sections(p);
    fputs(".SH EXIT STATUS\n", p->to);
    put(p, exit_codes);
    if (command->exit_code) {
        fputc('\n', p->to);
        put(p, command->exit_code);
    }
    fputs("\n.SH EXAMPLE\n.nf\n", p->to);
    put_examples(p, command);
    fputs(".fi\n", p->to);
    put_see(p, command);
}

static int write_page(const bmf_driver *command, const char *name, const char *fragments, const char *directory)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.1", directory, name);
    page p = {.to = fopen(path, "w")};
    if (!p.to)
        return usage_error("cannot write '%s'", path);
    p.fragment = read_fragment(fragments, name);
    put_page(&p, command, name);
    free(p.fragment);
    return fclose(p.to) == 0 ? 0 : usage_error("cannot write '%s'", path);
}

int write_manual(const bmf_driver *program, const char *fragments, const char *directory)
{
    char name[64];
    int code = write_page(program, program->name, fragments, directory);
    for (int k = 0; !code && program->commands[k]; k++) {
        snprintf(name, sizeof name, "%s-%s", program->name, program->commands[k]->name);
        code = write_page(program->commands[k], name, fragments, directory);
    }
    return code;
}

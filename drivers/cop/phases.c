/* --phases LIST: the phases that a program is to have. */
#include "drivers/cop/cop.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"

enum { TEXT = 2000 };
static const char between[] = "{}, \t";

static int64_t find_label(const bmf_cop_program *program, const char *label, size_t length)
{
    for (int64_t k = 0; k < program->operators; k++)
        if (strlen(program->op[k]->label) == length && strncmp(program->op[k]->label, label, length) == 0)
            return k;
    return -1;
}

int cop_read_phases(const bmf_cop_program *program, const char *text, bmf_cop_break **breaks)
{
    int64_t next = 0;
    bool is_open = false, is_first = false;
    *breaks = allocate_array(program->operators + 1, (int64_t)sizeof **breaks);
    for (const char *at = text; *at;) {
        if (*at == '{' || *at == '}') {
            if (is_open == (*at == '{'))
                return usage_error("--phases %s: braces around the operators of every phase are wanted: {a,b} {c}",
                                   text);
            is_first = is_open = *at == '{';
        }
        const size_t length = strcspn(at, between);
        if (length == 0) {
            at++;
            continue;
        }
        const int64_t op = find_label(program, at, length);
        if (op < 0)
            return usage_error("--phases %s: there is no operator '%.*s'", text, (int)length, at);
        if (!is_open || op > next)
            return usage_error("--phases %s: '%.*s' is not in a phase, or not in the order of the program", text,
                               (int)length, at);
        if (op == next) { /* others go on */
            (*breaks)[next++] = is_first ? BMF_COP_NEXT_PHASE : BMF_COP_SAME_PHASE;
            is_first = false;
        }
        at += length;
    }
    if (next < program->operators || is_open)
        return usage_error("--phases %s: '%s' is in none of them", text,
                           next < program->operators ? program->op[next]->label : "");
    return 0;
}

static void drop_spaces(const char *from, char *to, size_t size)
{
    size_t length = 0;
    for (; *from && length + 1 < size; from++)
        if (*from != ' ' && *from != '\t')
            to[length++] = *from;
    to[length] = '\0';
}

int cop_check_phases(const bmf_cop_plan *plan, const char *text)
{
    char found[TEXT], bare[TEXT], wanted[TEXT];
    drop_spaces(cop_phases_text(plan->phases, found, sizeof found), bare, sizeof bare);
    drop_spaces(text, wanted, sizeof wanted);
    if (strcmp(bare, wanted) == 0)
        return 0;
    return usage_error("--phases %s: the program cannot have them, but %s", text, found);
}

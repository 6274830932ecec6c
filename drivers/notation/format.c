/* bmf format: texts in the notation with the usual spaces and indentation. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/commands.h"
#include "drivers/notation/document.h"
#include "runtime/backend/backend.h"
#include "runtime/base/output_file.h"
#include "skeletons/language/notation/format.h"

typedef struct values {
    bool check, in_place;
} values;

/* As a whole or not at all. */
static int write_file(const char *path, const char *text)
{
    bmf_output_file output;
    int error = output_file_open(&output, path);
    if (error == 0) {
        FILE *stream = output_file_stream(&output);
        error = output_file_close(&output, stream && fputs(text, stream) >= 0 ? 0 : errno);
    }
    return error == 0 ? BMF_OK : bmf_fail(NULL, BMF_ERROR_FILE, "%s: cannot write: %s", path, strerror(error));
}

/* *differs: the file is not formatted. */
static int format_file(const values *v, const char *path, bool *differs)
{
    bmf_texts texts = {0};
    int text, status = texts_read(&texts, NULL, path, &text);
    if (status == BMF_OK)
        status = document_syntax(&texts, text);
    if (status == BMF_OK) {
        char *formatted = notation_format(&texts.text[text]);
        const bool same = strcmp(formatted, texts.text[text].bytes) == 0;
        if (v->check && !same)
            printf("%s\n", path);
        else if (v->in_place && !same)
            status = write_file(path, formatted);
        else if (!v->check && !v->in_place)
            fputs(formatted, stdout);
        *differs = *differs || !same;
        free(formatted);
    }
    texts_free(&texts);
    return status;
}

static int run(bmf_context *ctx, void *given, const bmf_operands *operands)
{
    const values *v = given;
    bool differs = false;
    if (v->check && v->in_place)
        return usage_error("give --check or --in-place, not both");
    for (int k = 0; k < operands->count; k++) {
        const int status = format_file(v, operands->text[k], &differs);
        if (status != BMF_OK)
            return report_status(ctx, status);
    }
    const int code = finish_output();
    return code == 0 && v->check && differs ? 1 : code;
}

static const bmf_option options[] = {
    BMF_OPTION("check", NULL, BMF_FLAG(values, check),
               "print the names of files that formatting would change, and nothing else"),
    BMF_OPTION("in-place", NULL, BMF_FLAG(values, in_place), "write the files instead of standard output",
               .letter = 'i'),
    BMF_OPTION_END};

const bmf_driver format_command = {
    .name = "format",
    .summary = "format programs in the notation",
    .synopsis = "bmf format FILE.. [OPTION]..",
    .about = "Prints programs and libraries in the notation with the usual spaces, indentation and blank lines. Lines "
             "break where they did, remarks stay, and formatting again changes nothing. A file that does not parse is "
             "left alone.",
    .example = "echo 'main( xs )=reduce( +,xs)' > sum.bmf && bmf format sum.bmf\nbmf format --check examples/*.bmf",
    .exit_code = "1 is also a file that is not formatted, with --check; 2 one that does not parse.",
    .see = "bmf-notation, bmf-check",
    .options = options,
    .min_operands = 1,
    .max_operands = BMF_ANY_NUMBER,
    .no_operand = "which program? give a .bmf file",
    .size = sizeof(values),
    .run = run};

/* Texts of both kinds.
 *
 * Method: all texts are parsed before those in the notation are translated, so that the definitions of all are known
 * whatever their order is. */
#include "skeletons/language/notation/source.h"

#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "runtime/backend/backend.h"
#include "skeletons/language/notation/lexer.h"

bool source_is_notation(bmf_texts *texts, int text)
{
    if (!notation_begins(&texts->text[text]))
        return false;
    texts->text[text].words = notation_words;
    return true;
}

static int parse_all(bmf_context *ctx, bmf_texts *texts, int count, bmf_expressions *arena, bmf_library *library,
                     bmf_parsed *parsed, notation_text *text)
{
    for (int k = 0; k < count; k++) {
        if (source_is_notation(texts, k))
            BMF_TRY(notation_parse(ctx, texts, k, k == count - 1, arena, library, &text[k]));
        else if (k < count - 1)
            BMF_TRY(parse_library(ctx, texts, k, arena, library));
        else
            BMF_TRY(parse_program(ctx, texts, k, arena, library, parsed));
    }
    for (int k = 0; k < count; k++)
        BMF_TRY(notation_translate(ctx, texts, arena, library, &text[k], parsed));
    return BMF_OK;
}

int source_parse(bmf_context *ctx, bmf_texts *texts, int count, bmf_expressions *arena, bmf_library *library,
                 bmf_parsed *parsed)
{
    notation_text *text = allocate_clear(count, sizeof *text);
    *parsed = (bmf_parsed){0};
    const int status = parse_all(ctx, texts, count, arena, library, parsed, text);
    for (int k = 0; k < count; k++)
        notation_text_free(&text[k]);
    free(text);
    return status;
}

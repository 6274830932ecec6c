/* All places of a name, and giving it another.
 *
 * Method of renaming: the new text is inspected as any other. If a place means something else there than before, or the
 * text has an error that it had not, the new name is refused.
 * Source: Language Server Protocol 3.17, "Find References Request", "Document Highlights Request", "Rename Request". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drivers/language_server/features.h"
#include "drivers/language_server/occurrences.h"
#include "drivers/language_server/position.h"
#include "runtime/base/allocate.h"
#include "skeletons/language/front/fields.h"
#include "skeletons/language/notation/builtins.h"

json_t *feature_references(const inspection *of, const char *uri, int64_t at, bool declaration)
{
    occurrences found;
    json_t *all = json_array();
    occurrences_find(of, at, &found);
    for (int k = 0; k < found.count; k++)
        if (declaration || k != found.declaration)
            json_array_append_new(
                all, json_pack("{s:s, s:o}", "uri", uri, "range", position_range(inspection_text(of), found.at[k])));
    occurrences_free(&found);
    return all;
}

json_t *feature_highlights(const inspection *of, int64_t at)
{
    enum { READ = 2, WRITE = 3 };
    occurrences found;
    json_t *all = json_array();
    occurrences_find(of, at, &found);
    for (int k = 0; k < found.count; k++)
        json_array_append_new(all, json_pack("{s:o, s:i}", "range", position_range(inspection_text(of), found.at[k]),
                                             "kind", k == found.declaration ? WRITE : READ));
    occurrences_free(&found);
    return all;
}

/* ---- renaming ---- */

/* Why the name cannot have another; NULL: it can. */
static const char *fixed(const occurrences *found)
{
    if (!found->name)
        return "there is no name of the program's here";
    return found->declaration < 0 ? "the name is defined in a library" : NULL;
}

json_t *feature_rename_range(const inspection *of, int64_t at)
{
    occurrences found;
    occurrences_find(of, at, &found);
    json_t *made = fixed(&found) ? json_null()
                                 : json_pack("{s:o, s:s}", "range", position_range(inspection_text(of), found.span),
                                             "placeholder", found.name);
    occurrences_free(&found);
    return made;
}

/* The text with the new name at all places. The caller frees it. */
static char *renamed(const bmf_text *text, const occurrences *found, const char *name, size_t *size)
{
    char *bytes = NULL;
    int64_t at = 0;
    FILE *to = open_memstream(&bytes, size);
    if (!to)
        out_of_memory(text->size, "a text");
    for (int k = 0; k < found->count; k++) {
        fwrite(text->bytes + at, 1, (size_t)(found->at[k].begin - at), to);
        fputs(name, to);
        at = found->at[k].end;
    }
    fwrite(text->bytes + at, 1, (size_t)(text->size - at), to);
    fclose(to);
    return bytes;
}

static bool same_places(const occurrences *before, const occurrences *after, int64_t longer)
{
    bool same = before->count == after->count && before->declaration == after->declaration;
    for (int k = 0; k < before->count && same; k++)
        same = after->at[k].begin == before->at[k].begin + k * longer;
    return same;
}

/* Whether names mean in the new text what they meant: those with the new name, and all others as far as errors tell. */
static bool keeps_meaning(const inspection *of, const occurrences *found, const char *name,
                          const bmf_strings *libraries)
{
    const bmf_text *text = inspection_text(of);
    const int64_t longer = (int64_t)strlen(name) - (int64_t)strlen(found->name);
    size_t size;
    char *bytes = renamed(text, found, name, &size);
    inspection *after = inspection_create(text->name, bytes, (int64_t)size, libraries);
    occurrences there;
    occurrences_find(after, found->at[found->declaration].begin + found->declaration * longer, &there);
    const bool keeps = same_places(found, &there, longer) && after->failures.count == of->failures.count;
    occurrences_free(&there);
    inspection_free(after);
    free(bytes);
    return keeps;
}

json_t *feature_rename(const inspection *of, const char *uri, int64_t at, const char *name,
                       const bmf_strings *libraries, char *why, size_t size)
{
    occurrences found;
    json_t *edits = json_array();
    occurrences_find(of, at, &found);
    const int64_t length = (int64_t)strlen(name);
    const char *fault = fixed(&found);
    if (fault || length == 0)
        snprintf(why, size, "%s", fault ? fault : "newName is not there");
    else if ((fault = field_fault(name, length)))
        snprintf(why, size, "%.60s %s", name, fault);
    else if (inspection_syntax(of) && builtin_find(name, length))
        snprintf(why, size, "%.60s is built in", name);
    else if (!keeps_meaning(of, &found, name, libraries))
        snprintf(why, size, "%.60s means something else in some place where %.60s stands", name, found.name);
    for (int k = 0; k < found.count && *why == '\0'; k++)
        json_array_append_new(
            edits, json_pack("{s:o, s:s}", "range", position_range(inspection_text(of), found.at[k]), "newText", name));
    occurrences_free(&found);
    return json_pack("{s:{s:o}}", "changes", uri, edits);
}

/* Names of fields: which there can be, and lists of them. */
#include "skeletons/language/front/fields.h"

#include <ctype.h>
#include <string.h>

#include "skeletons/language/notation/builtins.h"

const char *field_fault(const char *name, int64_t size)
{
    if (size < 1 || size >= FIELD_BYTES)
        return "has more than 39 letters";
    for (int64_t k = 0; k < size; k++)
        if (name[k] != '_' && !(isascii((unsigned char)name[k]) && isalnum((unsigned char)name[k])))
            return "is no name of letters, digits and _";
    if (isdigit((unsigned char)name[0]))
        return "begins with a digit";
    if (notation_is_reserved(name, size))
        return "is a word of the notation";
    return size > 2 && strchr("BbPp", name[0]) && name[1] == '_' ? "is a word of the core language" : NULL;
}

const char *fields_add(char fields[FIELDS_BYTES], const char *name, int64_t size)
{
    const char *fault = field_fault(name, size);
    const size_t used = strlen(fields);
    if (fault)
        return fault;
    if (used > 0 && field_find(fields, name, size) >= 0)
        return "stands twice in the record";
    if (used > 0 && fields_count(fields) == BMF_MAX_LEAVES)
        return "is one too many: a record has at most 32 fields";
    char *at = fields + used;
    if (used > 0)
        *at++ = ',';
    memcpy(at, name, (size_t)size);
    at[size] = '\0';
    return NULL;
}

int fields_count(const char *fields)
{
    int count = 1;
    for (; *fields; fields++)
        count += *fields == ',';
    return count;
}

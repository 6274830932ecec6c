/* Types of elements.
 *
 * Method: interned types stand in one hash table of the process, behind a lock, by their kind and the addresses of
 * their components, which are interned themselves. Scalars never take the lock. Interned types are never freed, so
 * their pointers can be compared and kept.
 * Cost: O(size of the type) expected.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/base/hash.h"
#include "runtime/base/table.h"
#include "runtime/data/type.h"

const bmf_type bmf_type_int = {BMF_INT, sizeof(int64_t), NULL, 0, NULL};
const bmf_type bmf_type_real = {BMF_REAL, sizeof(double), NULL, 0, NULL};
const bmf_type bmf_type_bool = {BMF_BOOL, sizeof(uint8_t), NULL, 0, NULL};
const bmf_type bmf_type_int32 = {BMF_INT32, sizeof(int32_t), NULL, 0, NULL};
const bmf_type bmf_type_float = {BMF_FLOAT, sizeof(float), NULL, 0, NULL};
const bmf_type bmf_type_complex = {BMF_COMPLEX, sizeof(double _Complex), NULL, 0, NULL};
const bmf_type bmf_type_nothing = {BMF_NOTHING, 0, NULL, 0, NULL};

_Static_assert(BMF_MAX_LEAVES == 32, "the message of bmf_type_tuple says 32");

static pthread_mutex_t interned_lock = PTHREAD_MUTEX_INITIALIZER;
static bmf_table interned_numbers;
static bmf_type **interned;
static int64_t interned_count, interned_capacity;

/* A type that breaks the contract is the programmer's error, and there is no status to return. */
static _Noreturn void refuse(const char *what)
{
    fprintf(stderr, "bmf: %s\n", what);
    abort();
}

static const char *copy_name(const char *name)
{
    if (!name)
        return NULL;
    size_t size = strlen(name) + 1;
    return memcpy(allocate((int64_t)size), name, size);
}

static bool same_name(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* A struct's name, the fields of a record, the grid of a distributed list. */
static bool has_name(const bmf_type *type)
{
    return type->kind == BMF_STRUCT || type->kind == BMF_TUPLE || type->kind == BMF_DISTRIBUTED;
}

/* Everything but the components. */
static bool same_head(const bmf_type *a, const bmf_type *b)
{
    if (a->kind != b->kind || a->components != b->components)
        return false;
    if (!has_name(a))
        return true;
    return same_name(a->name, b->name) && (a->kind != BMF_STRUCT || a->size == b->size);
}

bool bmf_type_equal(const bmf_type *a, const bmf_type *b)
{
    if (a == b)
        return true;
    if (!same_head(a, b))
        return false;
    for (int k = 0; k < a->components; k++)
        if (!bmf_type_equal(a->component[k], b->component[k]))
            return false;
    return true;
}

/* Of types whose components are interned, so that nobody has to look into them. */
static bool same_interned(const bmf_type *a, const bmf_type *b)
{
    if (!same_head(a, b))
        return false;
    for (int k = 0; k < a->components; k++)
        if (a->component[k] != b->component[k])
            return false;
    return true;
}

static uint64_t hash_type(const bmf_type *type)
{
    uint64_t hash = hash_add((uint64_t)type->kind, (uint64_t)type->components);
    for (int k = 0; k < type->components; k++)
        hash = hash_add(hash, (uint64_t)(uintptr_t)type->component[k]);
    if (has_name(type))
        hash = hash_add(hash_add(hash, (uint64_t)type->size), type->name ? hash_text(type->name) : 0);
    return hash;
}

static bool is_interned_as(const void *wanted, uint32_t number)
{
    return same_interned(wanted, interned[number]);
}

static bmf_type *copy_type(const bmf_type *type)
{
    bmf_type *copy = allocate(sizeof *copy);
    *copy = *type;
    copy->name = copy_name(type->name);
    if (type->components > 0) {
        const bmf_type **component = allocate_array(type->components, sizeof *component);
        memcpy(component, type->component, (size_t)type->components * sizeof *component);
        copy->component = component;
    }
    return copy;
}

/* The interned type equal to one whose components are interned already. The lock is held. */
static const bmf_type *find_or_add(const bmf_type *type)
{
    table_make_room(&interned_numbers, interned_count + 1);
    const uint32_t number =
        table_find_or_add(&interned_numbers, hash_type(type), is_interned_as, type, (uint32_t)interned_count);
    if (number == interned_count)
        *ARRAY_APPEND(interned, interned_count, interned_capacity) = copy_type(type);
    return interned[number];
}

const bmf_type *type_of_kind(bmf_type_kind kind)
{
    static const bmf_type *const only[BMF_DISTRIBUTED + 1] = {
        [BMF_INT] = &bmf_type_int,        [BMF_REAL] = &bmf_type_real,   [BMF_BOOL] = &bmf_type_bool,
        [BMF_INT32] = &bmf_type_int32,    [BMF_FLOAT] = &bmf_type_float, [BMF_COMPLEX] = &bmf_type_complex,
        [BMF_NOTHING] = &bmf_type_nothing};
    return only[kind];
}

static const bmf_type *intern_locked(const bmf_type *type)
{
    const bmf_type *component[BMF_MAX_LEAVES];
    if (type->components > BMF_MAX_LEAVES || (type->kind == BMF_TUPLE && type->components < 1))
        refuse("a tuple must have 1 to 32 components");
    const bmf_type *only = type_of_kind(type->kind);
    if (only)
        return only;
    for (int k = 0; k < type->components; k++)
        component[k] = intern_locked(type->component[k]);
    bmf_type made = *type;
    made.component = type->components > 0 ? component : NULL;
    return find_or_add(&made);
}

const bmf_type *bmf_type_intern(const bmf_type *type)
{
    const bmf_type *only = type_of_kind(type->kind);
    if (only)
        return only;
    pthread_mutex_lock(&interned_lock);
    const bmf_type *result = intern_locked(type);
    pthread_mutex_unlock(&interned_lock);
    return result;
}

const bmf_type *bmf_type_tuple(int components, const bmf_type *const *component)
{
    return bmf_type_intern(&(bmf_type){BMF_TUPLE, 0, NULL, components, component});
}

const bmf_type *bmf_type_pair(const bmf_type *first, const bmf_type *second)
{
    return bmf_type_tuple(2, (const bmf_type *const[]){first, second});
}

const bmf_type *bmf_type_list(const bmf_type *element)
{
    return bmf_type_intern(&(bmf_type){BMF_LIST, 0, NULL, 1, &element});
}

const bmf_type *bmf_type_distributed(const bmf_type *element)
{
    return bmf_type_intern(&(bmf_type){BMF_DISTRIBUTED, 0, NULL, 1, &element});
}

const bmf_type *bmf_type_struct(int64_t size, const char *name)
{
    if (size < 1)
        refuse("a struct type must have a positive size");
    return bmf_type_intern(&(bmf_type){BMF_STRUCT, size, name, 0, NULL});
}

bool bmf_type_is_fixed(const bmf_type *type)
{
    if (type->kind == BMF_LIST || type->kind >= BMF_NOTHING)
        return false;
    for (int k = 0; k < type->components; k++)
        if (!bmf_type_is_fixed(type->component[k]))
            return false;
    return true;
}

/* Adds the leaves of type behind the first `count`; -1 if it cannot. */
static int add_leaves(const bmf_type *type, const bmf_type **leaf, int count)
{
    if (type->kind == BMF_LIST || type->kind >= BMF_NOTHING)
        return -1;
    if (type->kind != BMF_TUPLE) {
        if (count == BMF_MAX_LEAVES)
            return -1;
        leaf[count] = type;
        return count + 1;
    }
    for (int k = 0; k < type->components && count >= 0; k++)
        count = add_leaves(type->component[k], leaf, count);
    return count;
}

int bmf_type_leaves(const bmf_type *type, const bmf_type *leaf[BMF_MAX_LEAVES])
{
    return add_leaves(type, leaf, 0);
}

/* Scalars are aligned to their size, a complex number as the reals that it is made of. An opaque struct does not tell;
 * its size is a multiple of its alignment, so the largest power of two up to 8 that divides the size is a safe choice
 * for all structs of ordinary members. */
static int64_t alignment(const bmf_type *leaf)
{
    int64_t divisor = leaf->size & -leaf->size;
    return divisor > 8 ? 8 : divisor;
}

static int64_t round_up(int64_t value, int64_t multiple)
{
    return (value + multiple - 1) / multiple * multiple;
}

int64_t bmf_type_record(const bmf_type *type, int64_t offset[BMF_MAX_LEAVES])
{
    const bmf_type *leaf[BMF_MAX_LEAVES];
    int leaves = bmf_type_leaves(type, leaf);
    int64_t end = 0, largest = 1;
    for (int k = 0; k < leaves; k++) {
        int64_t align = alignment(leaf[k]);
        offset[k] = round_up(end, align);
        end = offset[k] + leaf[k]->size;
        largest = align > largest ? align : largest;
    }
    return end > 0 ? round_up(end, largest) : 1;
}

/* ---- fields ---- */

const bmf_type *type_with_fields(const bmf_type *tuple, const char *fields)
{
    bmf_type record = *tuple;
    record.name = fields;
    return bmf_type_intern(&record);
}

const bmf_type *type_without_fields(const bmf_type *type)
{
    const bmf_type *component[BMF_MAX_LEAVES];
    bool same = !type->name;
    if (type->components == 0)
        return type;
    for (int k = 0; k < type->components; k++) {
        component[k] = type_without_fields(type->component[k]);
        same = same && component[k] == type->component[k];
    }
    return same ? type : bmf_type_intern(&(bmf_type){type->kind, 0, NULL, type->components, component});
}

const char *field_in(const char *fields, int k, int *size)
{
    for (; fields && k > 0; k--) {
        fields = strchr(fields, ',');
        fields = fields ? fields + 1 : NULL;
    }
    *size = fields ? (int)strcspn(fields, ",") : 0;
    return fields;
}

int field_find(const char *fields, const char *name, int64_t size)
{
    int length;
    const char *field = field_in(fields, 0, &length);
    for (int k = 0; field; field = field_in(fields, ++k, &length))
        if (length == size && memcmp(field, name, (size_t)size) == 0)
            return k;
    return -1;
}

/* ---- grids ---- */

const bmf_type *type_with_grid(const bmf_type *distributed, int dimensions, const int64_t *blocks)
{
    char name[TYPE_DIMENSIONS * 21 + 1];
    size_t used = 0;
    for (int d = 0; d < dimensions; d++)
        used += (size_t)snprintf(name + used, sizeof name - used, "%s%" PRId64, d > 0 ? "," : "", blocks[d]);
    bmf_type made = *distributed;
    made.name = name;
    return bmf_type_intern(&made);
}

int type_grid(const bmf_type *type, int64_t blocks[TYPE_DIMENSIONS])
{
    int dimensions = 0;
    if (type->kind != BMF_DISTRIBUTED)
        return 0;
    for (const char *at = type->name; at && dimensions < TYPE_DIMENSIONS; at = strchr(at, ',')) {
        at += *at == ',';
        blocks[dimensions++] = strtoll(at, NULL, 10);
    }
    return dimensions;
}

const bmf_type *type_on_grid_of(const bmf_type *distributed, const bmf_type *element)
{
    return bmf_type_intern(&(bmf_type){BMF_DISTRIBUTED, 0, distributed->name, 1, &element});
}

/* ---- words ---- */

/* Appends to text at *used, which counts on past the end of the text so that it can be cut anywhere. */
static void append(char *text, size_t size, size_t *used, const char *more)
{
    size_t length = strlen(more);
    if (*used + 1 < size) {
        size_t room = size - 1 - *used, part = length < room ? length : room;
        memcpy(text + *used, more, part);
        text[*used + part] = '\0';
    }
    *used += length;
}

/* "P{4 x _}[" */
static void print_open_distributed(const bmf_type *type, char *text, size_t size, size_t *used)
{
    char number[24];
    int64_t blocks[TYPE_DIMENSIONS];
    const int dimensions = type_grid(type, blocks);
    append(text, size, used, dimensions > 0 ? "P{" : "P");
    for (int d = 0; d < dimensions; d++) {
        snprintf(number, sizeof number, "%" PRId64, blocks[d]);
        append(text, size, used, d > 0 ? " x " : "");
        append(text, size, used, blocks[d] > 0 ? number : "_");
    }
    append(text, size, used, dimensions > 0 ? "}[" : "[");
}

static void print_type(const bmf_type *type, char *text, size_t size, size_t *used)
{
    char field[FIELD_BYTES + 3];
    const char *name;
    int length;
    static const char *const scalar[] = {
        [BMF_INT] = "int",     [BMF_REAL] = "real",   [BMF_BOOL] = "bool",      [BMF_NOTHING] = "?",
        [BMF_INT32] = "int32", [BMF_FLOAT] = "float", [BMF_COMPLEX] = "complex"};
    switch (type->kind) {
    case BMF_STRUCT:
        append(text, size, used, type->name ? type->name : "struct");
        break;
    case BMF_TUPLE:
    case BMF_LIST:
    case BMF_DISTRIBUTED:
        if (type->kind == BMF_DISTRIBUTED)
            print_open_distributed(type, text, size, used);
        else
            append(text, size, used, type->kind == BMF_TUPLE ? "{" : "[");
        for (int k = 0; k < type->components; k++) {
            append(text, size, used, k > 0 ? ", " : "");
            name = type->kind == BMF_TUPLE ? field_in(type->name, k, &length) : NULL;
            if (name) {
                snprintf(field, sizeof field, "%.*s: ", length < FIELD_BYTES ? length : FIELD_BYTES, name);
                append(text, size, used, field);
            }
            print_type(type->component[k], text, size, used);
        }
        append(text, size, used, type->kind == BMF_TUPLE ? "}" : "]");
        break;
    default:
        append(text, size, used, scalar[type->kind]);
    }
}

char *bmf_type_print(const bmf_type *type, char *text, size_t size)
{
    size_t used = 0;
    if (size > 0)
        text[0] = '\0';
    print_type(type, text, size, &used);
    return text;
}

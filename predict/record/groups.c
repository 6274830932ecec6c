/* Communicators: which ranks of MPI_COMM_WORLD are in them, and the same id for one on all its members.
 *
 * Method: a communicator that a collective call on another one makes has as its id a hash of that one's id, the call's
 * number there and the rank in MPI_COMM_WORLD of its own first member: all members know these without a message. Where
 * only the members take part (MPI_Comm_create_group), the first one broadcasts an id. Handles are found by a hash table
 * of chains.
 */
#include <stdlib.h>
#include <string.h>

#include "predict/record/record.h"
#include "runtime/base/allocate.h"
#include "runtime/base/hash.h"

enum { CHAINS = 256 };

static struct {
    bmf_communicator *chain[CHAINS];
    bmf_communicator *last; /* that was asked for */
    uint32_t groups;
    uint64_t alone; /* made by this rank as their first member */
} groups;

static bmf_communicator **chain_of(MPI_Comm comm)
{
    return &groups.chain[hash_word((uint64_t)(uint32_t)comm) % CHAINS];
}

static void define(bmf_communicator *c)
{
    int32_t *all = allocate_array(c->size, (int64_t)sizeof *all);
    for (int32_t k = 0; k < c->size; k++)
        all[k] = c->world ? c->world[k] : k;
    c->group = groups.groups++;
    part_define(
        &(part_record){.event = {.kind = PART_GROUP, .amount = c->group, .begin = (int64_t)c->id, .low = c->size}}, all,
        c->size * (int64_t)sizeof *all);
    free(all);
}

static bmf_communicator *enter(MPI_Comm comm, int32_t *world, uint64_t id)
{
    bmf_communicator *c = allocate_clear(1, (int64_t)sizeof *c);
    int rank, size;
    PMPI_Comm_rank(comm, &rank);
    PMPI_Comm_size(comm, &size);
    c->handle = comm;
    c->rank = rank;
    c->size = size;
    c->world = world;
    c->id = id;
    bmf_communicator **chain = chain_of(comm);
    c->next = *chain;
    *chain = c;
    define(c);
    return c;
}

/* By rank in the communicator: the rank in MPI_COMM_WORLD. NULL: some are not in it. To be freed. */
static int32_t *world_ranks(MPI_Comm comm)
{
    int size;
    MPI_Group of, world;
    PMPI_Comm_size(comm, &size);
    PMPI_Comm_group(comm, &of);
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    int *own = allocate_array(2 * (int64_t)size, (int64_t)sizeof *own), *found = own + size;
    for (int k = 0; k < size; k++)
        own[k] = k;
    PMPI_Group_translate_ranks(of, size, own, world, found);
    PMPI_Group_free(&of);
    PMPI_Group_free(&world);
    bool all = true;
    for (int k = 0; k < size; k++) {
        own[k] = found[k];
        all = all && found[k] != MPI_UNDEFINED;
    }
    if (all)
        return own;
    free(own);
    return NULL;
}

void groups_open(void)
{
    enter(MPI_COMM_WORLD, NULL, PART_WORLD);
    int32_t *self = world_ranks(MPI_COMM_SELF);
    enter(MPI_COMM_SELF, self, hash_word(PART_WORLD + 1 + (uint64_t)rec.rank));
}

bmf_communicator *group_of(MPI_Comm comm)
{
    if (groups.last && groups.last->handle == comm)
        return groups.last;
    bmf_communicator *c = *chain_of(comm);
    while (c && c->handle != comm)
        c = c->next;
    if (c)
        groups.last = c;
    return c;
}

static bool is_plain(MPI_Comm comm)
{
    int inter = 0;
    if (comm == MPI_COMM_NULL)
        return false;
    PMPI_Comm_test_inter(comm, &inter);
    return !inter;
}

void group_made(const bmf_communicator *parent, int64_t number, MPI_Comm made)
{
    int32_t *world = rec.open && parent && is_plain(made) ? world_ranks(made) : NULL;
    if (world)
        enter(made, world, hash_add(hash_add(parent->id, (uint64_t)number), (uint64_t)world[0]) | 1U << 16);
}

void group_made_alone(MPI_Comm made)
{
    int32_t *world = rec.open && is_plain(made) ? world_ranks(made) : NULL;
    if (!world)
        return;
    uint64_t id = hash_add((uint64_t)rec.rank << 32, ++groups.alone);
    PMPI_Bcast(&id, 1, MPI_UINT64_T, 0, made);
    enter(made, world, id);
}

void group_freed(MPI_Comm comm)
{
    bmf_communicator **at = chain_of(comm);
    while (*at && (*at)->handle != comm)
        at = &(*at)->next;
    bmf_communicator *c = *at;
    if (!c || comm == MPI_COMM_WORLD || comm == MPI_COMM_SELF)
        return;
    /* Requests may still name it: it leaves the table, not the memory. */
    *at = c->next;
    c->handle = MPI_COMM_NULL;
    if (groups.last == c)
        groups.last = NULL;
}

void group_named(MPI_Comm comm)
{
    char name[MPI_MAX_OBJECT_NAME];
    int length;
    const bmf_communicator *c = rec.open ? group_of(comm) : NULL;
    if (!c || PMPI_Comm_get_name(comm, name, &length) != MPI_SUCCESS || length == 0)
        return;
    part_add(&(part_record){.event = {.kind = PART_GROUP_NAME, .amount = c->group, .high = part_name(name)}});
}

/* Memories of scheduled routers: made, drawn, and commands to them packed into words. Cost: O(nodes). Source: document
 * 004, 7.1.1 and 7.1.5 (blocks, loader phase, VFSMs 0 and 1). */
#include "predict/mesh/scheduled.h"

#include <inttypes.h>
#include <stdlib.h>

#include "runtime/base/allocate.h"
#include "bmf/status.h"

const char *place_text(int place, char text[BMF_PLACE_TEXT])
{
    if (place_is_port(place))
        snprintf(text, BMF_PLACE_TEXT, "%s", mesh_port_name(place));
    else if (place_is_register(place))
        snprintf(text, BMF_PLACE_TEXT, "register %d", place - BMF_PLACE_REGISTER);
    else if (place_is_buffer(place))
        snprintf(text, BMF_PLACE_TEXT, "buffer %d", place - BMF_PLACE_BUFFER);
    else
        snprintf(text, BMF_PLACE_TEXT, "%s",
                 place == BMF_PLACE_MEMADR ? "MEMADR"
                 : place == BMF_PLACE_NOP  ? "NOP"
                 : place == BMF_PLACE_NULL ? "NULL"
                                           : "nothing");
    return text;
}

int scheduled_blocks(const bmf_scheduled_hardware *hardware)
{
    return scheduled_entries(hardware) / hardware->length;
}

static void clear_node(const bmf_scheduled_hardware *hardware, bmf_scheduled_node *node)
{
    for (int e = 0; e < BMF_SCHEDULED_ENTRIES; e++) {
        const int slot = e % hardware->length;
        node->entry[e].next = (uint8_t)(slot == hardware->length - 1 ? e - slot : (e + 1) % BMF_SCHEDULED_ENTRIES);
        for (int p = 0; p < BMF_SCHEDULED_PIPELINES; p++)
            node->entry[e].vfsm[p] = e < hardware->length ? BMF_VFSM_REPROGRAM : BMF_VFSM_NOP;
    }
    for (int p = 0; p < BMF_SCHEDULED_PIPELINES; p++) {
        for (int v = 0; v < BMF_SCHEDULED_VFSMS; v++)
            node->annotation[p][v] = (bmf_annotation){BMF_PLACE_NOP, BMF_PLACE_NOP, false};
        node->annotation[p][BMF_VFSM_REPROGRAM] =
            (bmf_annotation){(uint8_t)(BMF_PLACE_REGISTER + scheduled_command_register(p)), BMF_PLACE_MEMADR, false};
    }
    node->pointer = 0;
}

int scheduled_check_hardware(const bmf_scheduled_hardware *hardware)
{
    const struct {
        const char *name;
        int wanted, most;
    } limits[] = {{"entries", scheduled_entries(hardware), BMF_SCHEDULED_ENTRIES},
                  {"vfsms", scheduled_vfsms(hardware), BMF_SCHEDULED_VFSMS},
                  {"registers", scheduled_registers(hardware), BMF_SCHEDULED_REGISTERS}};
    for (size_t k = 0; k < sizeof limits / sizeof *limits; k++)
        if (limits[k].wanted > limits[k].most)
            return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "%s=%d: a scheduled router has %d", limits[k].name,
                            limits[k].wanted, limits[k].most);
    return BMF_OK;
}

int scheduled_create(const bmf_scheduled_hardware *hardware, bmf_scheduled_machine **machine)
{
    if (hardware->pipelines < 1 || hardware->pipelines > BMF_SCHEDULED_PIPELINES)
        return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "a scheduled router has 1 to %d pipelines, not %d",
                        BMF_SCHEDULED_PIPELINES, hardware->pipelines);
    if (hardware->length < 2 || 2 * hardware->length > BMF_SCHEDULED_ENTRIES)
        return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "a schedule has 2 to %d slots, not %d", BMF_SCHEDULED_ENTRIES / 2,
                        hardware->length);
    BMF_TRY(scheduled_check_hardware(hardware));
    bmf_scheduled_machine *made = allocate_clear(1, sizeof *made);
    made->hardware = *hardware;
    made->node = allocate_clear(hardware->mesh.nodes, sizeof *made->node);
    for (int64_t n = 0; n < hardware->mesh.nodes; n++)
        clear_node(hardware, &made->node[n]);
    *machine = made;
    return BMF_OK;
}

void scheduled_free(bmf_scheduled_machine *machine)
{
    if (!machine)
        return;
    free(machine->node);
    free(machine);
}

/* Whether the pipeline has a slot for commands then. */
static bool fill_pipeline(bmf_scheduled_node *node, int base, int length, int pipeline)
{
    bool found = false;
    for (int slot = 0; slot < length; slot++) {
        uint8_t *vfsm = &node->entry[base + slot].vfsm[pipeline];
        const uint8_t before = node->entry[base + (slot + length - 1) % length].vfsm[pipeline];
        if (*vfsm == BMF_VFSM_NOP && !place_is_register(node->annotation[pipeline][before].destination))
            *vfsm = BMF_VFSM_REPROGRAM;
        found |= *vfsm == BMF_VFSM_REPROGRAM;
    }
    return found;
}

int64_t scheduled_fill_reprogram(bmf_scheduled_machine *machine, int block)
{
    const int length = machine->hardware.length;
    int64_t without = -1;
    for (int64_t n = machine->hardware.mesh.nodes - 1; n >= 0; n--)
        for (int p = machine->hardware.pipelines - 1; p >= 0; p--)
            if (!fill_pipeline(&machine->node[n], block * length, length, p) && p == 0)
                without = n;
    return without;
}

/* ---- commands: kind in bits 0-1, index in 2-8, the rest from bit 9 on; an entry for 4 pipelines needs 36 bits ---- */

uint64_t command_word(const bmf_command *command)
{
    uint64_t word = (uint64_t)command->kind | (uint64_t)command->index << 2;
    switch (command->kind) {
    case BMF_COMMAND_ENTRY:
        word |= (uint64_t)command->entry.next << 9;
        for (int p = 0; p < BMF_SCHEDULED_PIPELINES; p++)
            word |= (uint64_t)command->entry.vfsm[p] << (16 + 5 * p);
        break;
    case BMF_COMMAND_ANNOTATION:
        word |= (uint64_t)command->annotation.source << 9 | (uint64_t)command->annotation.destination << 15 |
                (uint64_t)command->annotation.copy << 21;
        break;
    case BMF_COMMAND_POINTER:
    case BMF_COMMAND_DELTA:
        word |= (uint64_t)(command->value & 0xff) << 9;
        break;
    }
    return word;
}

bool command_decode(uint64_t word, bmf_command *command)
{
    *command = (bmf_command){.kind = (bmf_command_kind)(word & 3), .index = (int)(word >> 2 & 127)};
    switch (command->kind) {
    case BMF_COMMAND_ENTRY:
        command->entry.next = (uint8_t)(word >> 9 & 127);
        for (int p = 0; p < BMF_SCHEDULED_PIPELINES; p++)
            command->entry.vfsm[p] = (uint8_t)(word >> (16 + 5 * p) & 31);
        return word >> (16 + 5 * BMF_SCHEDULED_PIPELINES) == 0;
    case BMF_COMMAND_ANNOTATION:
        command->annotation = (bmf_annotation){(uint8_t)(word >> 9 & 63), (uint8_t)(word >> 15 & 63), word >> 21 & 1};
        return command->index < BMF_SCHEDULED_VFSMS && word >> 22 == 0;
    case BMF_COMMAND_POINTER:
        command->value = (int)(word >> 9 & 127);
        return word >> 16 == 0;
    case BMF_COMMAND_DELTA:
        command->value = (int)(int8_t)(word >> 9 & 0xff);
        return word >> 17 == 0;
    }
    return false;
}

/* ---- drawing ---- */

static void print_pipeline(const bmf_scheduled_machine *machine, int block, int64_t n, int pipeline, FILE *stream)
{
    const int length = machine->hardware.length;
    const bmf_scheduled_node *node = &machine->node[n];
    bool used[BMF_SCHEDULED_VFSMS] = {false};
    fprintf(stream, "  pipeline %d |", pipeline);
    for (int slot = 0; slot < length; slot++) {
        const int vfsm = node->entry[block * length + slot].vfsm[pipeline];
        used[vfsm] = true;
        if (vfsm == BMF_VFSM_NOP)
            fputs("  .", stream);
        else if (vfsm == BMF_VFSM_REPROGRAM)
            fputs("  R", stream);
        else
            fprintf(stream, " %2d", vfsm);
    }
    fputs(" |", stream);
    for (int v = BMF_VFSM_FIRST; v < BMF_SCHEDULED_VFSMS; v++) {
        char source[BMF_PLACE_TEXT], destination[BMF_PLACE_TEXT];
        if (used[v])
            fprintf(stream, "  %d: %s%s > %s", v, node->annotation[pipeline][v].copy ? "copy " : "",
                    place_text(node->annotation[pipeline][v].source, source),
                    place_text(node->annotation[pipeline][v].destination, destination));
    }
    fputc('\n', stream);
}

void scheduled_print(const bmf_scheduled_machine *machine, int block, int64_t first, int64_t last, FILE *stream)
{
    const bmf_mesh *mesh = &machine->hardware.mesh;
    for (int64_t n = first; n < last && n < mesh->nodes; n++) {
        fprintf(stream, "node %" PRId64 " (%" PRId64 ", %" PRId64, n, mesh_coordinate(mesh, n, 0),
                mesh_coordinate(mesh, n, 1));
        if (mesh->size[2] > 1)
            fprintf(stream, ", %" PRId64, mesh_coordinate(mesh, n, 2));
        fputs(")\n", stream);
        for (int p = 0; p < machine->hardware.pipelines; p++)
            print_pipeline(machine, block, n, p, stream);
    }
}

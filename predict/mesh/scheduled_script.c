/* Scripts of processors on a mesh of scheduled routers: lists of steps that grow. Cost: O(1) a step, amortised. */
#include <stdlib.h>
#include <string.h>

#include "predict/mesh/simulate_scheduled.h"
#include "runtime/base/allocate.h"

const char *const mesh_time_name[BMF_TIMES] = {"cpu", "write", "read", "psync", "router", "reprog"};

bmf_processor_script *scripts_create(const bmf_mesh *mesh)
{
    return allocate_clear(mesh->nodes, sizeof(bmf_processor_script));
}

void scripts_free(const bmf_mesh *mesh, bmf_processor_script *script)
{
    if (!script)
        return;
    for (int64_t n = 0; n < mesh->nodes; n++) {
        free(script[n].step);
        free(script[n].use);
        free(script[n].word);
    }
    free(script);
}

static void add_step(bmf_processor_script *script, simulator_resume step)
{
    step.begun = step.ended = -1;
    script->step = reallocate_array(script->step, script->steps, script->steps + 1, (int64_t)sizeof step);
    script->step[script->steps++] = step;
}

void script_wait(bmf_processor_script *script, bmf_mesh_time time, int64_t cycles)
{
    add_step(script, (simulator_resume){.kind = BMF_STEP_WAIT, .time = time, .cycles = cycles});
}

void script_until(bmf_processor_script *script, bmf_mesh_time time, int64_t cycle)
{
    add_step(script, (simulator_resume){.kind = BMF_STEP_UNTIL, .time = time, .cycles = cycle});
}

/* How many of a stream's words the processor has been told to move before, in that direction. */
static int64_t words_before(const bmf_processor_script *script, const bmf_interface_use *use)
{
    int64_t words = 0;
    for (int64_t k = 0; k < script->uses; k++)
        if (script->use[k].stream == use->stream && script->use[k].reads == use->reads)
            words += script->use[k].words;
    return words;
}

static void add_uses(bmf_processor_script *script, int64_t uses, const bmf_interface_use *use)
{
    script->use = reallocate_array(script->use, script->uses, script->uses + uses, (int64_t)sizeof *use);
    for (int64_t k = 0; k < uses; k++) {
        bmf_interface_use one = use[k];
        one.done = 0;
        one.first = one.last = -1;
        one.begin = words_before(script, &one);
        script->use[script->uses++] = one;
    }
}

void script_transfer(bmf_processor_script *script, bool in_order, int64_t uses, const bmf_interface_use *use)
{
    add_step(script,
             (simulator_resume){.kind = BMF_STEP_TRANSFER, .in_order = in_order, .first = script->uses, .count = uses});
    add_uses(script, uses, use);
}

void script_drain_beside(bmf_processor_script *script, bmf_mesh_time time, int reg, int64_t uses,
                         const bmf_interface_use *use)
{
    add_step(script, (simulator_resume){.kind = BMF_STEP_DRAIN,
                                        .time = time,
                                        .reg = reg,
                                        .first = script->uses,
                                        .count = uses,
                                        .background = uses});
    add_uses(script, uses, use);
}

void script_clear(bmf_processor_script *script)
{
    script->steps = script->uses = script->words = 0;
}

void script_commands(bmf_processor_script *script, bmf_mesh_time time, int reg, int64_t words, const uint64_t *word)
{
    add_step(script, (simulator_resume){
                         .kind = BMF_STEP_COMMANDS, .time = time, .reg = reg, .first = script->words, .count = words});
    script->word = reallocate_array(script->word, script->words, script->words + words, (int64_t)sizeof *word);
    memcpy(script->word + script->words, word, (size_t)words * sizeof *word);
    script->words += words;
}

void script_drain(bmf_processor_script *script, bmf_mesh_time time, int reg, int64_t cycles)
{
    add_step(script, (simulator_resume){.kind = BMF_STEP_DRAIN, .time = time, .reg = reg, .cycles = cycles});
}

void script_handled(bmf_processor_script *script, bmf_mesh_time time, int64_t uses, const bmf_interface_use *use)
{
    script_transfer(script, false, uses, use);
    simulator_resume *step = &script->step[script->steps - 1];
    step->kind = BMF_STEP_HANDLED;
    step->time = time;
    step->background = uses;
}

void script_change_phase(bmf_processor_script *script, const bmf_scheduled_hardware *hardware, int from_block,
                         int to_block)
{
    const uint64_t word =
        command_word(&(bmf_command){.kind = BMF_COMMAND_DELTA, .value = (to_block - from_block) * hardware->length});
    const int reg = scheduled_command_register(0);
    script_commands(script, BMF_TIME_PSYNC, reg, 1, &word);
    script_drain(script, BMF_TIME_PSYNC, reg, BMF_SCHEDULED_STAGES);
}

void script_load(bmf_processor_script *script, const bmf_scheduled_machine *machine, int64_t node, int block)
{
    const bmf_scheduled_node *memory = &machine->node[node];
    const int length = machine->hardware.length, first = block * length;
    uint64_t word[BMF_SCHEDULED_ENTRIES];
    for (int p = 0; p < machine->hardware.pipelines; p++) {
        uint32_t used = 0;
        int words = 0;
        for (int e = first; e < first + length; e++)
            used |= 1U << memory->entry[e].vfsm[p];
        for (int v = BMF_VFSM_FIRST; v < BMF_SCHEDULED_VFSMS; v++)
            if (used >> v & 1)
                word[words++] = command_word(
                    &(bmf_command){.kind = BMF_COMMAND_ANNOTATION, .index = v, .annotation = memory->annotation[p][v]});
        script_commands(script, BMF_TIME_ROUTER, scheduled_command_register(p), words, word);
    }
    for (int e = 0; e < length; e++)
        word[e] = command_word(
            &(bmf_command){.kind = BMF_COMMAND_ENTRY, .index = first + e, .entry = memory->entry[first + e]});
    script_commands(script, BMF_TIME_ROUTER, scheduled_command_register(0), length, word);
}

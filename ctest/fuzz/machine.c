/* Fuzz target of machine files, with a trial construction of every kind of network. */
#include <stdlib.h>
#include <string.h>

#include "ctest/fuzz/fuzz.h"
#include "predict/machine/machine.h"
#include "bmf/status.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    bmf_machine *machine;
    char *text = malloc(size + 1);
    demand(text, "memory");
    memcpy(text, bytes, size);
    text[size] = '\0';
    int status = machine_parse(text, "fuzz.machine", &machine);
    if (status != BMF_OK)
        demand_line(status);
    else
        machine_free(machine);
    free(text);
    return 0;
}

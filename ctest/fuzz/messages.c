/* Fuzz target of files of messages for meshes. */
#include <stdio.h>

#include "ctest/fuzz/fuzz.h"
#include "predict/mesh/pattern.h"
#include "bmf/status.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char pattern[128];
    bmf_mesh mesh;
    bmf_mesh_traffic *traffic;
    snprintf(pattern, sizeof pattern, "file:%s", file_of(bytes, size));
    demand(mesh_parse("4x4", false, &mesh) == BMF_OK, "a mesh");
    int status = mesh_traffic_make(pattern, &mesh, 1, NULL, &traffic);
    if (status != BMF_OK)
        demand_line(status);
    else
        mesh_traffic_free(traffic);
    return 0;
}

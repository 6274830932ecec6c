/* Dynamic routers as routers of a mesh (router.h): their parameters, and traffic through them. */
#ifndef BMF_MESH_DYNAMIC_RUN_H
#define BMF_MESH_DYNAMIC_RUN_H

#include "predict/mesh/dynamic.h"
#include "predict/mesh/router.h"

/* Of adaptive routers; other dynamic routers have those from BMF_DYNAMIC_COMMON on. */
enum { BMF_DYNAMIC_COMMON = 1 };
extern const bmf_mesh_parameter dynamic_parameters[];
/* What their values say. */
void dynamic_settings_of(bmf_dynamic_routing routing, const bmf_mesh *mesh, const double *value,
                         bmf_dynamic_settings *settings);
/* As bmf_mesh_router.run. A message to many goes to one after the other. */
int dynamic_run(bmf_dynamic_routing routing, const bmf_mesh *mesh, const bmf_mesh_traffic *traffic, const double *value,
                bmf_mesh_result *result);

#endif

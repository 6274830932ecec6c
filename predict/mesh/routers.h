/* Every router of the table in routers.c. */
#ifndef BMF_MESH_ROUTERS_H
#define BMF_MESH_ROUTERS_H

#include "predict/mesh/phase.h"
#include "predict/mesh/router.h"

extern const bmf_mesh_router mesh_router_scheduled; /* scheduled_run.c */
extern const bmf_mesh_router mesh_router_ecube;     /* ecube.c */
extern const bmf_mesh_router mesh_router_adaptive;  /* adaptive.c */

/* What the scheduled router's parameters say. */
void mesh_scheduled_settings(const bmf_mesh *mesh, const double *value, bmf_scheduled_hardware *hardware,
                             bmf_phase_setting *setting);

#endif

/* Every router of the table in routers.c. */
#ifndef BMF_MESH_ROUTERS_H
#define BMF_MESH_ROUTERS_H

#include "predict/mesh/router.h"

extern const bmf_mesh_router bmf_mesh_router_scheduled; /* scheduled_run.c */

#endif

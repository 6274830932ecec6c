/* The table of all routers, and their parameters by name. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "predict/mesh/routers.h"
#include "runtime/base/allocate.h"
#include "bmf/status.h"

const bmf_mesh_router *const mesh_routers[] = {&mesh_router_scheduled, &mesh_router_ecube, &mesh_router_adaptive, NULL};

const bmf_mesh_router *mesh_router_find(const char *name)
{
    for (int k = 0; mesh_routers[k]; k++)
        if (strcmp(mesh_routers[k]->name, name) == 0)
            return mesh_routers[k];
    return NULL;
}

static int parameters(const bmf_mesh_router *router)
{
    int count = 0;
    while (router->parameter[count].name)
        count++;
    return count;
}

double *mesh_router_values(const bmf_mesh_router *router)
{
    const int count = parameters(router);
    double *value = allocate((count + 1) * (int64_t)sizeof *value);
    for (int k = 0; k < count; k++)
        value[k] = router->parameter[k].otherwise;
    return value;
}

int mesh_router_set(const bmf_mesh_router *router, double *value, const char *text)
{
    const size_t length = strcspn(text, "=");
    for (int k = 0; router->parameter[k].name; k++) {
        const bmf_mesh_parameter *p = &router->parameter[k];
        if (strlen(p->name) != length || strncmp(p->name, text, length) != 0)
            continue;
        char *end = NULL;
        const double number = text[length] ? strtod(text + length + 1, &end) : 0;
        if (!end || end == text + length + 1 || *end != '\0' || !(number >= p->min && number <= p->max) ||
            (p->whole && number != floor(number)))
            return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "%s: a %snumber from %g to %g is wanted", text,
                            p->whole ? "whole " : "", p->min, p->max);
        value[k] = number;
        return BMF_OK;
    }
    return bmf_fail(NULL, BMF_ERROR_ARGUMENT, "the %s router has no parameter '%.*s'", router->name, (int)length, text);
}

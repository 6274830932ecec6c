/* Schedules of streams by what was asked for: the same hardware, streams, wishes and forbidden links get the routes
 * that were found before, by this process or another. What is read has been checked like what is made.
 *
 * Files are NUMBER.routes in a directory, text: the request, the routes, a sum. One that is damaged is made again. */
#ifndef BMF_MESH_ROUTE_CACHE_H
#define BMF_MESH_ROUTE_CACHE_H

#include "predict/mesh/streams.h"

typedef struct bmf_route_cache {
    char *directory;             /* it is made when the first file is written */
    int64_t read, made, damaged; /* counts */
} bmf_route_cache;

/* As numesh_route_streams. cache NULL, or a request with costs: nothing is kept. */
int route_cache_streams(bmf_route_cache *cache, const bmf_stream_request *request, bmf_stream_routes **routes);

#endif

/* Routes of streams as text, for files in which they are kept. Not collective; needs no MPI. */
#ifndef BMF_MESH_ROUTE_TEXT_H
#define BMF_MESH_ROUTE_TEXT_H

#include <stdio.h>

#include "predict/mesh/streams.h"

void route_text_write(FILE *stream, const bmf_stream_route *route);
/* Reads a route, all zero before, from a text of so many bytes; false: it is none of this hardware, whatever is in it.
 * The caller frees route->hop in both cases. */
bool route_text_read(FILE *stream, int64_t bytes, const bmf_scheduled_hardware *hardware, bmf_stream_route *route);

#endif

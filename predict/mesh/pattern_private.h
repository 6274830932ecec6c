/* What the files of pattern.h share. */
#ifndef BMF_MESH_PATTERN_PRIVATE_H
#define BMF_MESH_PATTERN_PRIVATE_H

#include "predict/mesh/pattern.h"

/* Reads a node, "17" or "1:2" or "1:2:0", at the beginning of text. Returns what follows, or NULL: no node of the
 * mesh. */
const char *mesh_read_node(const bmf_mesh *mesh, const char *text, int64_t *node);
/* Adds the messages of a file, in the order of their cycles. BMF_ERROR_FILE with file and line. */
int mesh_traffic_read(const char *path, const bmf_mesh *mesh, bmf_mesh_traffic *traffic);

#endif

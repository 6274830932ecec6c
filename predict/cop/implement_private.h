/* The implementations, one file for each kind of operator. */
#ifndef BMF_COP_IMPLEMENT_PRIVATE_H
#define BMF_COP_IMPLEMENT_PRIVATE_H

#include "predict/cop/implement.h"

/* implement_stream.c */
extern const bmf_cop_implementation cop_str_stream, cop_str_stream_rtdest, cop_str_stream_runtime, cop_str_stream_dense;
/* implement_broadcast.c */
extern const bmf_cop_implementation cop_str_bcast, cop_str_bcast_dense, cop_str_bcast_linear;
/* Streams between all neighbours; the links of the longest way through an instance. */
void cop_dense_streams(const bmf_mesh *mesh, const bmf_cop_operator *op, int64_t instance, bmf_cop_streams *streams);
int64_t cop_dense_diameter(const bmf_mesh *mesh, const bmf_cop_operator *op);
void cop_linear_streams(const bmf_mesh *mesh, const bmf_cop_operator *op, int64_t instance, bmf_cop_streams *streams);
void cop_linear_metric(const bmf_mesh *mesh, const bmf_cop_operator *op, const bmf_cop_streams *streams,
                       bmf_cop_metric *metric);
/* implement_shift.c */
extern const bmf_cop_implementation cop_str_shift, cop_str_eoshift, cop_str_permute;
/* implement_reduce.c */
extern const bmf_cop_implementation cop_str_reduce, cop_repl_runtime_reduce, cop_repl_allreduce, cop_str_prefix,
    cop_repl_barrier;
/* implement_joined.c */
extern const bmf_cop_implementation cop_str_collect, cop_str_barrier;
/* implement_gather.c */
extern const bmf_cop_implementation cop_str_spread, cop_str_gather;
/* implement_dynamic.c */
extern const bmf_cop_implementation cop_dyn_stream, cop_dyn_bcast, cop_dyn_bcast_dense, cop_dyn_bcast_tree,
    cop_dyn_collect, cop_dyn_spread, cop_dyn_gather, cop_dyn_reduce, cop_dyn_allreduce, cop_dyn_prefix, cop_dyn_barrier,
    cop_dyn_shift, cop_dyn_eoshift, cop_dyn_permute;
/* plug_in.c */
const char *cop_plug_in_refuses(const cop_implementation *plug_in, const bmf_mesh *mesh, const bmf_cop_operator *op);
void cop_plug_in_streams(const cop_implementation *plug_in, const bmf_mesh *mesh, const bmf_cop_operator *op,
                         int64_t instance, bmf_cop_streams *streams);
void cop_plug_in_metric(const cop_implementation *plug_in, const bmf_mesh *mesh, const bmf_cop_operator *op,
                        const bmf_cop_streams *streams, bmf_cop_metric *metric);
/* networks.c; in no table */
extern const bmf_cop_implementation cop_online_network;

#endif

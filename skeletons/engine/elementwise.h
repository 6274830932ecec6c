/* map and zip as one; private to skeletons. */
#ifndef BMF_ELEMENTWISE_H
#define BMF_ELEMENTWISE_H

#include "skeletons/engine/source.h"

/* A new list kernel(xs[i]) or kernel(xs[i], ys[i]); ys may be NULL. */
int elementwise(const bmf_skeleton_type *skeleton, const bmf_list *xs, const bmf_list *ys, const bmf_kernel *kernel,
                bmf_list **out);
int elementwise_in_place(const bmf_skeleton_type *skeleton, bmf_list *xs, const bmf_list *ys, const bmf_kernel *kernel);

/* The contents of `made` become those of xs; the old contents and the handle `made` are freed. */
void list_replace(bmf_list *xs, bmf_list *made);

#endif

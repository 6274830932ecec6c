/** @file
 * Where calls stand in the source: bmf.h gives every call that traces show its file and line.
 *
 * For each such function there is a macro of its name that notes the place before the call and forgets it behind it.
 * The functions are the same: their addresses can be taken, and declarations of the other headers have no macros, so
 * programs and libraries that include only these work, without places. A program that defines BMF_NO_PLACES before
 * it includes bmf.h has none, either. Arguments are evaluated once, and may contain such calls. Nothing here is
 * collective. */
#ifndef BMF_PLACES_H
#define BMF_PLACES_H

#include <bmf/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The next call of this thread stands in this line; calls inside of its arguments may come before it. file: a text
 * that lives as long as the call. */
BMF_API void bmf_place_enter(const char *file, int line);
/** That call is over; returns its status. */
BMF_API int bmf_place_leave(int status);

#ifdef __cplusplus
}
#endif

#ifndef BMF_NO_PLACES
/** The status of a call, whose place is here. */
#define BMF_PLACED(call) bmf_place_leave((bmf_place_enter(__FILE__, __LINE__), (call)))

/** @cond */
#define bmf_region_begin(...)       ((void)BMF_PLACED((bmf_region_begin(__VA_ARGS__), 0)))
#define bmf_region_begin_keyed(...) ((void)BMF_PLACED((bmf_region_begin_keyed(__VA_ARGS__), 0)))
#define bmf_place(...)              BMF_PLACED(bmf_place(__VA_ARGS__))
#define bmf_spread(...)             BMF_PLACED(bmf_spread(__VA_ARGS__))
#define bmf_iota(...)               BMF_PLACED(bmf_iota(__VA_ARGS__))
#define bmf_iota_real(...)          BMF_PLACED(bmf_iota_real(__VA_ARGS__))
#define bmf_tabulate(...)           BMF_PLACED(bmf_tabulate(__VA_ARGS__))
#define bmf_index(...)              BMF_PLACED(bmf_index(__VA_ARGS__))
#define bmf_to_array(...)           BMF_PLACED(bmf_to_array(__VA_ARGS__))
#define bmf_split(...)              BMF_PLACED(bmf_split(__VA_ARGS__))
#define bmf_gather(...)             BMF_PLACED(bmf_gather(__VA_ARGS__))
#define bmf_rebalance(...)          BMF_PLACED(bmf_rebalance(__VA_ARGS__))
#define bmf_redistribute(...)       BMF_PLACED(bmf_redistribute(__VA_ARGS__))
#define bmf_distl(...)              BMF_PLACED(bmf_distl(__VA_ARGS__))
#define bmf_distl_value(...)        BMF_PLACED(bmf_distl_value(__VA_ARGS__))
#define bmf_project(...)            BMF_PLACED(bmf_project(__VA_ARGS__))
#define bmf_concatenate(...)        BMF_PLACED(bmf_concatenate(__VA_ARGS__))
#define bmf_map(...)                BMF_PLACED(bmf_map(__VA_ARGS__))
#define bmf_map_in_place(...)       BMF_PLACED(bmf_map_in_place(__VA_ARGS__))
#define bmf_zip(...)                BMF_PLACED(bmf_zip(__VA_ARGS__))
#define bmf_zip_in_place(...)       BMF_PLACED(bmf_zip_in_place(__VA_ARGS__))
#define bmf_pair(...)               BMF_PLACED(bmf_pair(__VA_ARGS__))
#define bmf_component(...)          BMF_PLACED(bmf_component(__VA_ARGS__))
#define bmf_filter(...)             BMF_PLACED(bmf_filter(__VA_ARGS__))
#define bmf_reduce(...)             BMF_PLACED(bmf_reduce(__VA_ARGS__))
#define bmf_reduce_many(...)        BMF_PLACED(bmf_reduce_many(__VA_ARGS__))
#define bmf_reduce_begin(...)       BMF_PLACED(bmf_reduce_begin(__VA_ARGS__))
#define bmf_reduction_test(...)     BMF_PLACED(bmf_reduction_test(__VA_ARGS__))
#define bmf_reduction_wait(...)     BMF_PLACED(bmf_reduction_wait(__VA_ARGS__))
#define bmf_reduce_placed(...)      BMF_PLACED(bmf_reduce_placed(__VA_ARGS__))
#define bmf_map_reduce(...)         BMF_PLACED(bmf_map_reduce(__VA_ARGS__))
#define bmf_zip_map_reduce(...)     BMF_PLACED(bmf_zip_map_reduce(__VA_ARGS__))
#define bmf_scan(...)               BMF_PLACED(bmf_scan(__VA_ARGS__))
#define bmf_scan_in_place(...)      BMF_PLACED(bmf_scan_in_place(__VA_ARGS__))
#define bmf_map_scan(...)           BMF_PLACED(bmf_map_scan(__VA_ARGS__))
#define bmf_each_part(...)          BMF_PLACED(bmf_each_part(__VA_ARGS__))
#define bmf_flatten(...)            BMF_PLACED(bmf_flatten(__VA_ARGS__))
#define bmf_lengths(...)            BMF_PLACED(bmf_lengths(__VA_ARGS__))
#define bmf_nest(...)               BMF_PLACED(bmf_nest(__VA_ARGS__))
#define bmf_map_each(...)           BMF_PLACED(bmf_map_each(__VA_ARGS__))
#define bmf_reduce_each(...)        BMF_PLACED(bmf_reduce_each(__VA_ARGS__))
#define bmf_scan_each(...)          BMF_PLACED(bmf_scan_each(__VA_ARGS__))
#define bmf_grid_spread(...)        BMF_PLACED(bmf_grid_spread(__VA_ARGS__))
#define bmf_grid_collect(...)       BMF_PLACED(bmf_grid_collect(__VA_ARGS__))
#define bmf_grid_transpose(...)     BMF_PLACED(bmf_grid_transpose(__VA_ARGS__))
#define bmf_stencil(...)            BMF_PLACED(bmf_stencil(__VA_ARGS__))
#define bmf_file_read(...)          BMF_PLACED(bmf_file_read(__VA_ARGS__))
#define bmf_file_write(...)         BMF_PLACED(bmf_file_write(__VA_ARGS__))
#define bmf_npy_read(...)           BMF_PLACED(bmf_npy_read(__VA_ARGS__))
#define bmf_npy_read_parts(...)     BMF_PLACED(bmf_npy_read_parts(__VA_ARGS__))
#define bmf_npy_read_as(...)        BMF_PLACED(bmf_npy_read_as(__VA_ARGS__))
#define bmf_npy_write(...)          BMF_PLACED(bmf_npy_write(__VA_ARGS__))
#define bmf_permute_tune(...)       BMF_PLACED(bmf_permute_tune(__VA_ARGS__))
#define bmf_permute_execute(...)    BMF_PLACED(bmf_permute_execute(__VA_ARGS__))
#define bmf_argsort(...)            BMF_PLACED(bmf_argsort(__VA_ARGS__))
#define bmf_sort(...)               BMF_PLACED(bmf_sort(__VA_ARGS__))
#define bmf_reduce_by_key(...)      BMF_PLACED(bmf_reduce_by_key(__VA_ARGS__))
#define bmf_sort_by(...)            BMF_PLACED(bmf_sort_by(__VA_ARGS__))
#define bmf_unique(...)             BMF_PLACED(bmf_unique(__VA_ARGS__))
#define bmf_group_by(...)           BMF_PLACED(bmf_group_by(__VA_ARGS__))
#define bmf_shift(...)              BMF_PLACED(bmf_shift(__VA_ARGS__))
/** @endcond */
#endif

#endif

/* The functions of bmf/list.h and bmf/partition.h. */
#include "checked/checked.h"

/* clang-format off */

STATUS_FUNCTION(bmf_list_create,
                (bmf_context *ctx, const bmf_type *type, bmf_partition *partition, bmf_list **list),
                (ctx, type, partition, list),
                BMF_COLLECTIVE, CONTEXT(ctx), TYPE(type), PARTITION(partition), NEW_LIST(list))
VOID_FUNCTION(bmf_list_free, (bmf_list *list), (list),
              BMF_OWN_THREAD, LAST_LIST(list))

VALUE_FUNCTION(int64_t, bmf_length, (const bmf_list *list), (list),
               BMF_ANY_THREAD, LIST(list))
VALUE_FUNCTION(bmf_context *, bmf_list_context, (const bmf_list *list), (list),
               BMF_ANY_THREAD, LIST(list))
VALUE_FUNCTION(const bmf_type *, bmf_list_type, (const bmf_list *list), (list),
               BMF_ANY_THREAD, LIST(list))
HANDLE_FUNCTION(bmf_partition *, bmf_list_partition, (const bmf_list *list), (list),
                call_give_partition(&call, value),
                BMF_ANY_THREAD, LIST(list))
VALUE_FUNCTION(int64_t, bmf_list_local_begin, (const bmf_list *list), (list),
               BMF_ANY_THREAD, LIST(list))
VALUE_FUNCTION(int64_t, bmf_list_local_end, (const bmf_list *list), (list),
               BMF_ANY_THREAD, LIST(list))
VALUE_FUNCTION(const void *, bmf_list_data, (const bmf_list *list, int leaf, int64_t *stride), (list, leaf, stride),
               BMF_ANY_THREAD, LIST(list), INDEX(leaf, BMF_INDEX_LEAF), MEMORY(stride))
VALUE_FUNCTION(void *, bmf_list_data_writable, (bmf_list *list, int leaf), (list, leaf),
               BMF_OWN_THREAD, LIST(list), INDEX(leaf, BMF_INDEX_LEAF))
VALUE_FUNCTION(const int64_t *, bmf_list_offsets, (const bmf_list *list), (list),
               BMF_ANY_THREAD, LIST(list))
VOID_FUNCTION(bmf_list_make_writable, (bmf_list *list), (list),
              BMF_OWN_THREAD, LIST(list))
VALUE_FUNCTION(char *, bmf_list_print, (const bmf_list *list, char *text, size_t size), (list, text, size),
               BMF_ANY_THREAD, LIST(list), MEMORY(text))

STATUS_FUNCTION(bmf_partition_create,
                (bmf_context *ctx, int64_t base, int levels, const bmf_level *level, int64_t length,
                 const int64_t *start, bmf_partition **partition),
                (ctx, base, levels, level, length, start, partition),
                BMF_OWN_THREAD, CONTEXT(ctx), DATA(level, levels), NEW_PARTITION(partition))
STATUS_FUNCTION(bmf_partition_placed,
                (bmf_context *ctx, int64_t processor, int64_t length, bmf_partition **partition),
                (ctx, processor, length, partition),
                BMF_OWN_THREAD, CONTEXT(ctx), NEW_PARTITION(partition))
STATUS_FUNCTION(bmf_partition_even, (bmf_context *ctx, int64_t length, bmf_partition **partition),
                (ctx, length, partition),
                BMF_OWN_THREAD, CONTEXT(ctx), NEW_PARTITION(partition))
STATUS_FUNCTION(bmf_partition_resized,
                (bmf_context *ctx, const bmf_partition *like, const int64_t *start, bmf_partition **partition),
                (ctx, like, start, partition),
                BMF_OWN_THREAD, CONTEXT(ctx), PARTITION(like), MEMORY(start), NEW_PARTITION(partition))
VALUE_FUNCTION(bmf_partition *, bmf_partition_retain, (bmf_partition *partition), (partition),
               BMF_OWN_THREAD, PARTITION(partition))
VOID_FUNCTION(bmf_partition_release, (bmf_partition *partition), (partition),
              BMF_OWN_THREAD, LAST_PARTITION(partition))

VALUE_FUNCTION(int64_t, bmf_partition_parts, (const bmf_partition *partition), (partition),
               BMF_ANY_THREAD, PARTITION(partition))
VALUE_FUNCTION(int64_t, bmf_partition_start, (const bmf_partition *partition, int64_t k), (partition, k),
               BMF_ANY_THREAD, PARTITION(partition), INDEX(k, BMF_INDEX_PART_END))
VALUE_FUNCTION(int64_t, bmf_partition_length, (const bmf_partition *partition), (partition),
               BMF_ANY_THREAD, PARTITION(partition))
VALUE_FUNCTION(int64_t, bmf_partition_local_parts, (const bmf_partition *partition), (partition),
               BMF_ANY_THREAD, PARTITION(partition))
VALUE_FUNCTION(int64_t, bmf_partition_local_first, (const bmf_partition *partition), (partition),
               BMF_ANY_THREAD, PARTITION(partition))
VALUE_FUNCTION(int64_t, bmf_partition_local_begin, (const bmf_partition *partition), (partition),
               BMF_ANY_THREAD, PARTITION(partition))
VALUE_FUNCTION(int64_t, bmf_partition_local_end, (const bmf_partition *partition), (partition),
               BMF_ANY_THREAD, PARTITION(partition))
VALUE_FUNCTION(int64_t, bmf_partition_processor, (const bmf_partition *partition, int64_t k), (partition, k),
               BMF_ANY_THREAD, PARTITION(partition), INDEX(k, BMF_INDEX_PART))
VALUE_FUNCTION(int64_t, bmf_partition_part_from, (const bmf_partition *partition, int64_t processor),
               (partition, processor),
               BMF_ANY_THREAD, PARTITION(partition))
VALUE_FUNCTION(int64_t, bmf_partition_length_on, (const bmf_partition *partition, int64_t processor),
               (partition, processor),
               BMF_ANY_THREAD, PARTITION(partition))
VALUE_FUNCTION(int64_t, bmf_partition_part_of, (const bmf_partition *partition, int64_t i), (partition, i),
               BMF_ANY_THREAD, PARTITION(partition), INDEX(i, BMF_INDEX_ELEMENT))
VALUE_FUNCTION(bool, bmf_partition_equal, (const bmf_partition *a, const bmf_partition *b), (a, b),
               BMF_ANY_THREAD, PARTITION(a), PARTITION(b))
VALUE_FUNCTION(char *, bmf_partition_print, (const bmf_partition *partition, char *text, size_t size),
               (partition, text, size),
               BMF_ANY_THREAD, PARTITION(partition), MEMORY(text))

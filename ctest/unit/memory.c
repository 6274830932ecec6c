/* Buffers: alignment, reference counts, and what the pool gives back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/base/memory.h"

static const int64_t mebibyte = 1 << 20;

static bmf_buffer *make(int64_t size)
{
    bmf_buffer *buffer = buffer_create(size);
    assert_non_null(buffer);
    assert_true(buffer->size >= size);
    assert_int_equal(buffer->references, 1);
    return buffer;
}

static void buffers_are_aligned_and_writable(void **state)
{
    (void)state;
    const int64_t size[] = {1, 63, 64, 65, 4096, 2 * mebibyte - 1, 2 * mebibyte, 2 * mebibyte + 1, 5 * mebibyte};
    for (size_t k = 0; k < sizeof size / sizeof size[0]; k++) {
        bmf_buffer *buffer = make(size[k]);
        bool big = size[k] >= 2 * mebibyte;
        assert_int_equal((uintptr_t)buffer->data % (uintptr_t)(big ? 2 * mebibyte : 64), 0);
        assert_int_equal(buffer->mapped, big);
        memset(buffer->data, 1, (size_t)buffer->size);
        buffer_release(buffer);
    }
    buffer_trim();
}

static void nothing_has_no_data(void **state)
{
    (void)state;
    bmf_buffer *buffer = make(0);
    assert_null(buffer->data);
    buffer_release(buffer);
    buffer_release(NULL);
}

static void what_cannot_be_had_is_null(void **state)
{
    (void)state;
    assert_null(buffer_create(-1));
    assert_null(buffer_create(INT64_MAX));
    assert_null(buffer_create(INT64_MAX / 2)); /* beyond any address space */
}

static void the_last_reference_frees(void **state)
{
    (void)state;
    bmf_buffer *buffer = make(4 * mebibyte);
    assert_ptr_equal(buffer_retain(buffer), buffer);
    assert_int_equal(buffer->references, 2);
    buffer_release(buffer);
    assert_int_equal(buffer->references, 1);
    memset(buffer->data, 2, (size_t)buffer->size);
    buffer_release(buffer);
    bmf_buffer *again = make(4 * mebibyte);
    assert_int_equal(*(char *)again->data, 2); /* the same pages, from the pool */
    buffer_release(again);
    buffer_trim();
}

/* Leaves buffers of these sizes in the pool. */
static void fill_pool(int count, const int64_t *size)
{
    bmf_buffer *buffer[16];
    for (int k = 0; k < count; k++)
        buffer[k] = make(size[k]);
    for (int k = 0; k < count; k++)
        buffer_release(buffer[k]);
}

static void expect(int64_t asked, int64_t got)
{
    bmf_buffer *buffer = make(asked);
    assert_int_equal(buffer->size, got);
    buffer_release(buffer);
}

static void the_pool_gives_the_best_fit(void **state)
{
    (void)state;
    buffer_trim();
    fill_pool(4, (int64_t[]){20 * mebibyte, 16 * mebibyte, 18 * mebibyte, 40 * mebibyte});
    bmf_buffer *first = make(15 * mebibyte), *second = make(15 * mebibyte);
    assert_int_equal(first->size, 16 * mebibyte);
    assert_int_equal(second->size, 18 * mebibyte);
    expect(16 * mebibyte, 20 * mebibyte); /* a quarter more than asked for: just taken */
    expect(30 * mebibyte, 30 * mebibyte); /* more than a quarter: not */
    buffer_release(first);
    buffer_release(second);
    buffer_trim();
    expect(16 * mebibyte, 16 * mebibyte);
    buffer_trim();
}

static void many_freed_buffers_do_not_break_the_pool(void **state)
{
    (void)state;
    bmf_buffer *buffer[40];
    for (int round = 0; round < 3; round++) {
        for (int k = 0; k < 40; k++) {
            buffer[k] = make((2 + 2 * ((k * 7 + round) % 9)) * mebibyte);
            *(int *)buffer[k]->data = k;
        }
        for (int k = 0; k < 40; k++) {
            assert_int_equal(*(int *)buffer[k]->data, k);
            buffer_release(buffer[k]);
        }
    }
    buffer_trim();
}

/* Not where AddressSanitizer looks for the use of what was freed. */
#ifndef __SANITIZE_ADDRESS__
static void small_buffers_wait_for_requests_of_their_size(void **state)
{
    static const int64_t size[] = {64, 512, 4032, 4096, 60 << 10};
    (void)state;
    buffer_trim();
    for (size_t k = 0; k < sizeof size / sizeof *size; k++) {
        bmf_buffer *first = make(size[k]), *held = make(size[k]);
        void *data = first->data;
        assert_ptr_not_equal(data, held->data);
        buffer_retain(held);
        buffer_release(held); /* somebody holds it still */
        buffer_release(first);
        bmf_buffer *larger = make(2 * size[k]), *again = make(size[k] - 1), *other = make(size[k]);
        assert_ptr_equal(again->data, data);
        assert_int_equal(again->size, size[k]);
        assert_ptr_not_equal(larger->data, data);
        assert_ptr_not_equal(other->data, data);
        assert_ptr_not_equal(other->data, held->data);
        buffer_release(held);
        buffer_release(larger);
        buffer_release(again);
        buffer_release(other);
    }
    buffer_trim();
}
#endif

static void many_small_buffers_are_used_again_without_mixing(void **state)
{
    enum { MANY = 100 };
    bmf_buffer *buffer[MANY];
    (void)state;
    for (int round = 0; round < 10; round++) {
        for (int k = 0; k < MANY; k++) {
            buffer[k] = make(1 + (k * 769 + round * 64) % (70 << 10));
            memset(buffer[k]->data, k, (size_t)buffer[k]->size);
        }
        for (int k = MANY - 1; k >= 0; k--) {
            for (int64_t i = 0; i < buffer[k]->size; i += 63)
                assert_int_equal(((char *)buffer[k]->data)[i], k);
            buffer_release(buffer[k]);
        }
    }
    buffer_trim();
}

static void check_shrunk(int64_t size, int64_t used, bool smaller)
{
    bmf_buffer *buffer = make(size), *before = buffer;
    for (int64_t i = 0; i < used; i++)
        ((char *)buffer->data)[i] = (char)(i % 101);
    buffer_shrink(&buffer, used);
    if (used == 0) {
        assert_null(buffer);
        return;
    }
    assert_int_equal(buffer != before, smaller);
    assert_int_equal(buffer->references, 1);
    assert_true(buffer->size >= used);
    for (int64_t i = 0; i < used; i++)
        assert_int_equal(((char *)buffer->data)[i], (char)(i % 101));
    buffer_release(buffer);
}

static void what_lies_idle_goes_back(void **state)
{
    (void)state;
    check_shrunk(20 * mebibyte, 0, true);
    check_shrunk(20 * mebibyte, 1, true);
    check_shrunk(20 * mebibyte, 4 * mebibyte, true);
    check_shrunk(20 * mebibyte, 5 * mebibyte, false);
    check_shrunk(20 * mebibyte, 20 * mebibyte, false);
    check_shrunk(4096, 100, true);
    check_shrunk(4096, 2000, false);
    bmf_buffer *none = NULL;
    buffer_shrink(&none, 0);
    assert_null(none);
    buffer_trim();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(buffers_are_aligned_and_writable),
        cmocka_unit_test(nothing_has_no_data),
        cmocka_unit_test(what_cannot_be_had_is_null),
        cmocka_unit_test(the_last_reference_frees),
        cmocka_unit_test(the_pool_gives_the_best_fit),
        cmocka_unit_test(many_freed_buffers_do_not_break_the_pool),
        cmocka_unit_test(what_lies_idle_goes_back),
        cmocka_unit_test(many_small_buffers_are_used_again_without_mixing),
#ifndef __SANITIZE_ADDRESS__
        cmocka_unit_test(small_buffers_wait_for_requests_of_their_size),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Memory that other processes can map: what is taken, what its offsets mean to whoever maps it, and that it is given
 * back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "runtime/base/memory.h"
#include "runtime/base/random.h"
#include "runtime/base/shared_memory.h"

static const int64_t huge_page = (int64_t)2 << 20;

/* False where the system has no huge pages for such memory, and so none of it is handed out. */
static bool is_available(void)
{
    void *taken = shared_memory_take(huge_page);
    if (!taken)
        return false;
    assert_true(shared_memory_give(taken));
    return true;
}

static void nothing_is_shared_before_it_is_asked_for(void **state)
{
    (void)state;
    assert_null(shared_memory_take(huge_page));
    assert_int_equal(shared_memory_offset(state, 8), -1);
    shared_memory_key();
    assert_null(shared_memory_take(huge_page));
    shared_memory_use(16 * huge_page, 2);
}

static void a_mapping_shows_what_is_written(void **state)
{
    (void)state;
    if (!is_available())
        skip();
    const bmf_shared_memory_key key = shared_memory_key();
    unsigned char *taken = shared_memory_take(2 * huge_page);
    const int64_t offset = shared_memory_offset(taken, 2 * huge_page);
    assert_true(offset > 0);
    assert_int_equal((uintptr_t)taken % (uintptr_t)huge_page, 0);
    assert_int_equal(shared_memory_offset(taken + 100, 50), offset + 100);
    assert_int_equal(shared_memory_offset(taken + 100, 2 * huge_page), -1);
    unsigned char *there = (unsigned char *)shared_memory_of(&key, offset + 2 * huge_page) + offset;
    assert_ptr_not_equal(there, taken);
    for (int64_t i = 0; i < 2 * huge_page; i += 4093)
        taken[i] = (unsigned char)(i % 251 + 1);
    for (int64_t i = 0; i < 2 * huge_page; i++)
        assert_int_equal(there[i], i % 4093 == 0 ? i % 251 + 1 : 0);
    there[7] = 9;
    assert_int_equal(taken[7], 9);
    assert_true(shared_memory_give(taken));
    assert_int_equal(shared_memory_offset(taken, 1), -1);
    assert_int_equal(there[7], 0); /* the pages are gone */
}

static void a_wrong_key_maps_nothing(void **state)
{
    (void)state;
    bmf_shared_memory_key key = shared_memory_key();
    key.inode++;
    assert_null(shared_memory_of(&key, 1));
    key = shared_memory_key();
    key.space++;
    assert_null(shared_memory_of(&key, 1));
    assert_null(shared_memory_of(&(bmf_shared_memory_key){0}, 1));
}

static void no_more_is_taken_than_allowed(void **state)
{
    (void)state;
    if (!is_available())
        skip();
    void *taken = shared_memory_take(15 * huge_page);
    assert_non_null(taken);
    assert_null(shared_memory_take(2 * huge_page));
    assert_true(shared_memory_give(taken));
    assert_false(shared_memory_give(state));
}

/* Pieces of random sizes that come and go: none overlaps another, and each keeps what was written. */
static void pieces_do_not_overlap(void **state)
{
    enum { PIECES = 6, TURNS = 60 };
    (void)state;
    int64_t *piece[PIECES] = {NULL}, size[PIECES] = {0};
    uint64_t seed = 12;
    if (!is_available())
        skip();
    for (int turn = 0; turn < TURNS; turn++) {
        const int k = (int)(random_bits(&seed) % PIECES);
        if (piece[k]) {
            assert_int_equal(piece[k][0], k + 1);
            assert_int_equal(piece[k][size[k] / 8 - 1], k + 1);
            assert_true(shared_memory_give(piece[k]));
            piece[k] = NULL;
            continue;
        }
        size[k] = huge_page * (int64_t)(1 + random_bits(&seed) % 2);
        piece[k] = shared_memory_take(size[k]);
        assert_non_null(piece[k]);
        piece[k][0] = piece[k][size[k] / 8 - 1] = k + 1;
    }
    for (int k = 0; k < PIECES; k++)
        if (piece[k])
            shared_memory_give(piece[k]);
}

static void lines_are_cleared_and_used_again(void **state)
{
    (void)state;
    unsigned char *first = shared_memory_take_line(), *second = shared_memory_take_line();
    if (!first)
        skip();
    assert_true(second - first >= 64 || first - second >= 64);
    assert_true(shared_memory_offset(first, 64) >= 0);
    memset(first, 1, 64);
    shared_memory_give_line(first);
    assert_ptr_equal(shared_memory_take_line(), first);
    for (int i = 0; i < 64; i++)
        assert_int_equal(first[i], 0);
}

static void large_buffers_come_from_it(void **state)
{
    (void)state;
    if (!is_available())
        skip();
    bmf_buffer *large = buffer_create(3 * huge_page), *small = buffer_create(1000);
    assert_true(shared_memory_offset(large->data, large->size) >= 0);
    assert_int_equal(shared_memory_offset(small->data, small->size), -1);
    buffer_release(large);
    buffer_release(small);
    buffer_trim();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_shared_before_it_is_asked_for),
        cmocka_unit_test(a_mapping_shows_what_is_written),
        cmocka_unit_test(a_wrong_key_maps_nothing),
        cmocka_unit_test(no_more_is_taken_than_allowed),
        cmocka_unit_test(pieces_do_not_overlap),
        cmocka_unit_test(lines_are_cleared_and_used_again),
        cmocka_unit_test(large_buffers_come_from_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What is freed stays with the process: memory that was touched once has no more page faults. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "runtime/base/kept_memory.h"
#include "runtime/base/memory.h"

#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
#include <malloc.h>

/* Not where sanitizers or valgrind have put their own in its place. */
static bool is_glibc(void)
{
    return mallinfo2().arena > 0;
}
#else
static bool is_glibc(void)
{
    return false;
}
#endif

enum { BLOCKS = 8, BLOCK = 8 << 20, PAGE = 4096 };

static long faults(void)
{
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return usage.ru_minflt;
}

/* Takes large blocks, writes all of them, and frees them; returns the page faults. */
static long use_blocks(void)
{
    char *block[BLOCKS];
    const long before = faults();
    for (int k = 0; k < BLOCKS; k++) {
        block[k] = malloc(BLOCK);
        assert_non_null(block[k]);
        memset(block[k], k + 1, BLOCK);
    }
    for (int k = 0; k < BLOCKS; k++) {
        assert_int_equal(block[k][0], k + 1);
        assert_int_equal(block[k][BLOCK - 1], k + 1);
        free(block[k]);
    }
    return faults() - before;
}

enum { SIZES = 3, SOME = 3, SMALLEST = 4 << 20 };

/* Buffers of one size after the other; returns what the system gave. */
static int64_t use_buffers(void)
{
    bmf_buffer *buffer[SOME];
    const int64_t before = buffer_fresh_bytes();
    for (int64_t size = SMALLEST, sizes = 0; sizes < SIZES; size *= 2, sizes++) {
        for (int k = 0; k < SOME; k++)
            assert_non_null(buffer[k] = buffer_create(size));
        for (int k = 0; k < SOME; k++)
            buffer_release(buffer[k]);
    }
    return buffer_fresh_bytes() - before;
}

/* The smaller ones of them do not wait for larger ones to come again: together they are more than was ever in use. */
static void pools_keep_what_was_in_use(void **state)
{
    (void)state;
    use_buffers();
    assert_true(use_buffers() > 0);
}

static void pools_keep_twice_as_much(void **state)
{
    (void)state;
    assert_true(working_memory_is_kept());
    use_buffers();
    assert_int_equal(use_buffers(), 0);
}

static void nothing_changes_for_few_bytes(void **state)
{
    (void)state;
    keep_working_memory(0);
    assert_true(use_blocks() > 0);
}

static void what_is_freed_stays(void **state)
{
    (void)state;
    keep_working_memory((int64_t)BLOCKS * BLOCK);
    keep_working_memory(1); /* less than before */
    use_blocks();
    const long again = use_blocks();
    if (is_glibc())
        assert_true(again < BLOCKS * (BLOCK / PAGE) / 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_changes_for_few_bytes),
        cmocka_unit_test(pools_keep_what_was_in_use),
        cmocka_unit_test(what_is_freed_stays),
        cmocka_unit_test(pools_keep_twice_as_much),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* runtime/base: growing arrays, heaps, tables, searches, edit distances, random numbers and hashes, each against the
 * plainest way to the same answer or against published values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "bmf/random.h"
#include "runtime/base/allocate.h"
#include "runtime/base/array.h"
#include "runtime/base/edit_distance.h"
#include "runtime/base/message.h"
#include "runtime/base/near_names.h"
#include "runtime/base/hash.h"
#include "runtime/base/random.h"
#include "runtime/base/search.h"
#include "runtime/base/table.h"

static int64_t below(uint64_t *state, int64_t bound)
{
    return (int64_t)(random_bits(state) % (uint64_t)bound);
}

/* ---- memory and arrays ---- */

static void arrays_of_memory_keep_what_they_held(void **state)
{
    (void)state;
    int32_t *number = allocate_clear(3, sizeof *number);
    for (int k = 0; k < 3; k++)
        assert_int_equal(number[k], 0);
    number[2] = 7;
    number = reallocate_array(number, 3, 1000, sizeof *number);
    assert_int_equal(number[2], 7);
    assert_int_equal((uintptr_t)number % 64, 0);
    number = reallocate_array(number, 1000, 3, sizeof *number);
    assert_int_equal(number[2], 7);
    free(number);
    free(allocate_array(0, 8));
}

/* Blocks of many pages, which are moved by other means. */
static void large_arrays_keep_what_they_held(void **state)
{
    enum { FIRST = 1000, LAST = 1 << 24 };
    int64_t held = FIRST;
    (void)state;
    int32_t *number = allocate(held * (int64_t)sizeof *number);
    for (int64_t k = 0; k < held; k++)
        number[k] = (int32_t)(3 * k);
    for (int64_t room = FIRST; room < LAST; room += room / 2 + 1) {
        number = reallocate_array(number, held, room, sizeof *number);
        assert_int_equal((uintptr_t)number % 64, 0);
        for (; held < room; held++)
            number[held] = (int32_t)(3 * held);
    }
    for (int64_t k = 0; k < held; k++)
        if (number[k] != (int32_t)(3 * k))
            fail_msg("number %lld is %d", (long long)k, number[k]);
    number = reallocate_array(number, held, FIRST, sizeof *number);
    assert_int_equal(number[FIRST - 1], 3 * (FIRST - 1));
    free(number);
}

static void appended_elements_stay_in_order(void **state)
{
    (void)state;
    int64_t *number = NULL, count = 0, capacity = 0;
    for (int64_t k = 0; k < 1000; k++) {
        *ARRAY_APPEND(number, count, capacity) = 3 * k;
        assert_int_equal(count, k + 1);
        assert_true(capacity >= count && capacity <= 2 * count + 16);
    }
    for (int64_t k = 0; k < 1000; k++)
        assert_int_equal(number[k], 3 * k);
    free(number);
}

static void counts_may_be_of_any_integer_type(void **state)
{
    (void)state;
    struct odd {
        char text[3];
    } *odd = NULL;
    uint32_t odds = 0, room = 0;
    for (char c = 'a'; c <= 'z'; c++)
        memcpy(ARRAY_APPEND(odd, odds, room)->text, (const char[]){c, c, 0}, 3);
    assert_int_equal(odds, 26);
    assert_string_equal(odd[0].text, "aa");
    assert_string_equal(odd[25].text, "zz");
    free(odd);
}

static void reserved_room_is_there_at_once(void **state)
{
    (void)state;
    double *real = NULL;
    int capacity = 0;
    ARRAY_RESERVE(real, capacity, 0);
    assert_null(real);
    ARRAY_RESERVE(real, capacity, 5000);
    assert_true(capacity >= 5000);
    real[4999] = 1.5;
    const double *before = real;
    ARRAY_RESERVE(real, capacity, 5000);
    assert_ptr_equal(before, real);
    free(real);
}

static void arrays_that_may_fail_stay_as_they_are(void **state)
{
    (void)state;
    int64_t *number = NULL, capacity = 0;
    assert_true(ARRAY_TRY_RESERVE(number, capacity, 20));
    number[19] = 4;
    const int64_t *before = number, room = capacity;
    assert_false(ARRAY_TRY_RESERVE(number, capacity, INT64_MAX / 4));
    assert_ptr_equal(number, before);
    assert_int_equal(capacity, room);
    assert_true(ARRAY_TRY_RESERVE(number, capacity, 2000));
    assert_int_equal(number[19], 4);
    free(number);
}

/* ---- heaps ---- */

typedef struct task {
    int64_t time, number;
} task;

static int64_t place_of[2000];

#define HEAP(name)              two_##name
#define HEAP_ELEMENT            task
#define HEAP_BEFORE(a, b)       ((a).time < (b).time || ((a).time == (b).time && (a).number < (b).number))
#define HEAP_MOVED(heap, place) ((void)(place_of[(heap)[place].number] = (place)))
#include "runtime/base/heap.h"

#define HEAP(name)        four_##name
#define HEAP_ELEMENT      task
#define HEAP_BEFORE(a, b) ((a).time < (b).time || ((a).time == (b).time && (a).number < (b).number))
#define HEAP_CHILDREN     4
#include "runtime/base/heap.h"

static int by_time_and_number(const void *a, const void *b)
{
    const task *x = a, *y = b;
    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

static void heaps_give_what_sorting_gives(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int64_t count = 0; count < 200; count++) {
        task sorted[200], two[200], four[200];
        int64_t twos = 0, fours = 0;
        for (int64_t k = 0; k < count; k++) {
            sorted[k] = (task){below(&seed, 50), k};
            two_push(two, &twos, sorted[k]);
            four_push(four, &fours, sorted[k]);
        }
        qsort(sorted, (size_t)count, sizeof *sorted, by_time_and_number);
        for (int64_t k = 0; k < count; k++) {
            assert_int_equal(two_pop(two, &twos).number, sorted[k].number);
            assert_int_equal(four_pop(four, &fours).number, sorted[k].number);
        }
        assert_int_equal(twos, 0);
        assert_int_equal(fours, 0);
    }
}

static void first_elements_can_be_replaced(void **state)
{
    (void)state;
    task heap[3];
    int64_t count = 0;
    for (int64_t k = 0; k < 3; k++)
        four_push(heap, &count, (task){10 * k, k});
    four_replace_first(heap, count, (task){15, 7});
    assert_int_equal(four_pop(heap, &count).time, 10);
    assert_int_equal(four_pop(heap, &count).number, 7);
    assert_int_equal(four_pop(heap, &count).time, 20);
}

/* Elements whose time changes while they wait, found by the places that the heap notes. */
static void elements_find_their_place_again(void **state)
{
    (void)state;
    enum { TASKS = 300 };
    task heap[TASKS];
    int64_t count = 0, last = -1;
    uint64_t seed = 2;
    for (int64_t k = 0; k < TASKS; k++)
        two_push(heap, &count, (task){below(&seed, 1000), k});
    for (int k = 0; k < 5000; k++) {
        const int64_t place = place_of[below(&seed, TASKS)];
        heap[place].time = below(&seed, 1000);
        two_restore(heap, count, place);
    }
    for (int64_t k = 0; k < TASKS; k++)
        assert_int_equal(heap[place_of[k]].number, k);
    while (count > 0) {
        const task first = two_pop(heap, &count);
        assert_true(first.time >= last);
        last = first.time;
    }
}

/* ---- tables ---- */

typedef struct wanted {
    const int64_t *key;
    int64_t is;
} wanted;

static bool is_key(const void *state, uint32_t number)
{
    const wanted *w = state;
    return w->key[number] == w->is;
}

/* Every key has the number of its first occurrence, whatever the hash. */
static void check_table(uint64_t (*hash)(uint64_t key), int64_t count)
{
    bmf_table table = {0};
    int64_t *key = allocate_array(count, sizeof *key), keys = 0;
    uint64_t seed = 3;
    assert_int_equal(table_find(&table, hash(1), is_key, &(wanted){key, 1}), TABLE_NONE);
    for (int64_t k = 0; k < count; k++) {
        const int64_t drawn = below(&seed, count);
        int64_t first = 0;
        while (first < keys && key[first] != drawn)
            first++;
        const wanted w = {key, drawn};
        assert_int_equal(table_find(&table, hash((uint64_t)drawn), is_key, &w), first < keys ? first : TABLE_NONE);
        assert_true(table_reserve(&table, keys + 1));
        assert_int_equal(table_find_or_add(&table, hash((uint64_t)drawn), is_key, &w, (uint32_t)keys), first);
        if (first == keys)
            key[keys++] = drawn;
        assert_int_equal(table.count, keys);
    }
    table_free(&table);
    assert_null(table.slot);
    free(key);
}

static uint64_t itself(uint64_t key)
{
    return key;
}

static uint64_t always_the_same(uint64_t key)
{
    (void)key;
    return 42;
}

static void tables_find_what_was_entered(void **state)
{
    (void)state;
    check_table(hash_word, 1500);
    check_table(itself, 500);
    check_table(always_the_same, 300);
}

static void too_many_numbers_are_refused(void **state)
{
    (void)state;
    bmf_table table = {0};
    assert_false(table_reserve(&table, UINT32_MAX));
    assert_int_equal(table.slots, 0);
}

/* ---- searches ---- */

static void searches_find_what_looking_finds(void **state)
{
    (void)state;
    uint64_t seed = 4;
    for (int64_t count = 0; count < 40; count++) {
        int64_t value[40] = {0};
        for (int64_t k = 0; k < count; k++)
            value[k] = (k > 0 ? value[k - 1] : 0) + below(&seed, 3);
        for (int64_t x = -1; x < 85; x++) {
            int64_t below_x = 0, at_most_x = 0;
            for (int64_t k = 0; k < count; k++) {
                below_x += value[k] < x;
                at_most_x += value[k] <= x;
            }
            assert_int_equal(first_not_below(value, count, x), below_x);
            for (int64_t begin = 0; begin <= count; begin++)
                assert_int_equal(next_not_below(value, begin, count, x), begin > below_x ? begin : below_x);
            assert_int_equal(first_above(value, count, x), at_most_x);
            assert_int_equal(last_not_above(value, count, x), at_most_x - 1);
        }
        assert_int_equal(SEARCH_FIRST(k, 0, count, value[k] >= 5), first_not_below(value, count, 5));
    }
}

/* ---- names ---- */

static int64_t distance(const char *a, const char *b)
{
    const int64_t there = edit_distance(a, (int64_t)strlen(a), b, (int64_t)strlen(b));
    assert_int_equal(edit_distance(b, (int64_t)strlen(b), a, (int64_t)strlen(a)), there);
    return there;
}

static void distances_count_letters(void **state)
{
    (void)state;
    assert_int_equal(distance("", ""), 0);
    assert_int_equal(distance("", "abc"), 3);
    assert_int_equal(distance("kitten", "sitting"), 3);
    assert_int_equal(distance("Saturday", "Sunday"), 3);
    assert_int_equal(distance("scan", "Scan"), 1);
    assert_int_equal(edit_distance_caseless("scan", 4, "SCAM", 4), 1);
    char longer[66] = {0};
    memset(longer, 'x', 65);
    assert_int_equal(distance(longer, "x"), 65);
    assert_int_equal(distance(longer + 1, "x"), 63);
}

static void the_nearest_names_are_kept_in_order(void **state)
{
    (void)state;
    char text[32], little[8];
    near_names near = {.max = 3, .limit = 4};
    assert_string_equal(near_names_text(&near, text, sizeof text), "");
    near_names_offer(&near, "five", 5);
    assert_int_equal(near.count, 0);
    near_names_offer(&near, "four", 4);
    near_names_offer(&near, "two", 2);
    near_names_offer(&near, "also two", 2);
    assert_string_equal(near_names_text(&near, text, sizeof text), "two, also two, four");
    near_names_offer(&near, "late two", 2);
    near_names_offer(&near, "one more two", 2);
    near_names_offer(&near, "one", 1);
    assert_string_equal(near_names_text(&near, text, sizeof text), "one, two, also two");
    assert_string_equal(near_names_text(&near, little, sizeof little), "one, tw");
}

/* ---- random numbers and hashes ---- */

/* The values that the authors' program prints for the seeds 0 and 1234567. */
/* The known answers that its authors publish (Random123, kat_vectors). */
static void philox_gives_the_known_answers(void **state)
{
    static const struct {
        uint32_t counter[4], key[2], out[4];
    } known[] = {{{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
                 {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
                  {0xffffffff, 0xffffffff},
                  {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
                 {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
                  {0xa4093822, 0x299f31d0},
                  {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}};
    (void)state;
    for (int k = 0; k < 3; k++) {
        uint32_t out[4];
        bmf_philox(known[k].counter, known[k].key, out);
        assert_memory_equal(out, known[k].out, sizeof out);
    }
    assert_true(bmf_random_bits(0, 0) == UINT64_C(0xe169c58d6627e8d5));
    assert_true(bmf_random(0, 0) == (double)(UINT64_C(0xe169c58d6627e8d5) >> 11) * 0x1p-53);
    assert_true(bmf_random(-1, INT64_MIN) >= 0 && bmf_random(-1, INT64_MIN) < 1);
}

static void random_bits_are_those_of_splitmix64(void **state)
{
    (void)state;
    uint64_t zero = 0, seed = 1234567;
    assert_true(random_bits(&zero) == UINT64_C(0xe220a8397b1dcdaf));
    assert_true(random_bits(&zero) == UINT64_C(0x6e789e6aa1b965f4));
    assert_true(random_bits(&zero) == UINT64_C(0x06c45d188009454f));
    assert_true(random_bits(&seed) == UINT64_C(6457827717110365317));
    assert_true(random_bits(&seed) == UINT64_C(3203168211198807973));
    assert_true(random_bits(&seed) == UINT64_C(9817491932198370423));
}

static void random_reals_are_of_the_unit_interval(void **state)
{
    (void)state;
    uint64_t seed = 5;
    double sum = 0;
    for (int k = 0; k < 10000; k++) {
        const double real = random_unit(&seed);
        assert_true(real >= 0 && real < 1);
        sum += real;
    }
    assert_true(sum > 4800 && sum < 5200);
}

/* The values of the authors' test program. */
static void hashes_of_texts_are_those_of_fnv(void **state)
{
    (void)state;
    assert_true(hash_text("") == UINT64_C(0xcbf29ce484222325));
    assert_true(hash_text("a") == UINT64_C(0xaf63dc4c8601ec8c));
    assert_true(hash_text("foobar") == UINT64_C(0x85944171f73967e8));
    assert_true(hash_bytes(hash_bytes(HASH_START, "foo", 3), "bar", 3) == hash_text("foobar"));
    assert_true(hash_add(hash_add(0, 1), 2) != hash_add(hash_add(0, 2), 1));
}

/* ---- messages ---- */

static void assert_message(const char *text, bool colours, const char *expected)
{
    char *found = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&found, &size);
    assert_non_null(to);
    message_print(to, "bmf", text, colours);
    fclose(to);
    assert_string_equal(found, expected);
    free(found);
}

#define RED   "\033[1;31m"
#define FAINT "\033[2m"
#define PLAIN "\033[0m"

static void messages_have_colours_for_the_name_the_gutter_and_the_caret_only(void **state)
{
    (void)state;
    const char *place = "f.bmf:1:3: no\n    1 | a ^ b | c\n      |   ^~~";
    assert_message(place, false, "bmf: f.bmf:1:3: no\n    1 | a ^ b | c\n      |   ^~~");
    assert_message(place, true,
                   RED "bmf:" PLAIN " f.bmf:1:3: no\n" FAINT "    1 | " PLAIN "a ^ b | c\n" FAINT "      | " PLAIN RED
                       "  ^~~" PLAIN);
    assert_message("", true, RED "bmf:" PLAIN " ");
    assert_message("one line | and no more", true, RED "bmf:" PLAIN " one line | and no more");
    assert_message("x\n\n", true, RED "bmf:" PLAIN " x\n\n");
    assert_message("x\n  ^", true, RED "bmf:" PLAIN " x\n  ^");
    assert_message("x\n 1 | ", true, RED "bmf:" PLAIN " x\n" FAINT " 1 | " PLAIN);
    assert_message("x\n 1 | a ~^\n   | ^ a", true,
                   RED "bmf:" PLAIN " x\n" FAINT " 1 | " PLAIN "a ~^\n" FAINT "   | " PLAIN "^ a");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arrays_of_memory_keep_what_they_held),
        cmocka_unit_test(large_arrays_keep_what_they_held),
        cmocka_unit_test(appended_elements_stay_in_order),
        cmocka_unit_test(counts_may_be_of_any_integer_type),
        cmocka_unit_test(reserved_room_is_there_at_once),
        cmocka_unit_test(arrays_that_may_fail_stay_as_they_are),
        cmocka_unit_test(heaps_give_what_sorting_gives),
        cmocka_unit_test(first_elements_can_be_replaced),
        cmocka_unit_test(elements_find_their_place_again),
        cmocka_unit_test(tables_find_what_was_entered),
        cmocka_unit_test(too_many_numbers_are_refused),
        cmocka_unit_test(searches_find_what_looking_finds),
        cmocka_unit_test(distances_count_letters),
        cmocka_unit_test(the_nearest_names_are_kept_in_order),
        cmocka_unit_test(random_bits_are_those_of_splitmix64),
        cmocka_unit_test(philox_gives_the_known_answers),
        cmocka_unit_test(random_reals_are_of_the_unit_interval),
        cmocka_unit_test(hashes_of_texts_are_those_of_fnv),
        cmocka_unit_test(messages_have_colours_for_the_name_the_gutter_and_the_caret_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

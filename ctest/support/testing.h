/* The few things every test program needs: a check that counts and goes on, random numbers, an exit code.
 *
 * A failed check never ends the program: in an MPI test the other ranks would wait for ever. test_finish turns the
 * count into the exit code, and mpirun fails when any rank does.
 */
#ifndef BMF_TESTING_H
#define BMF_TESTING_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "runtime/base/random.h"

enum { TEST_SHOWN_FAILURES = 20 };

/* One of each in a program, whichever of its files include this: checks in ctest/support/ count, too. */
__attribute__((weak)) int64_t test_checks, test_failures;

/* Counts a check; shows file, line and message of the first failures. Returns whether it held. */
__attribute__((format(printf, 5, 6), unused)) static bool test_check(bool held, const char *file, int line,
                                                                     const char *condition, const char *format, ...)
{
    test_checks++;
    if (held)
        return true;
    if (test_failures++ < TEST_SHOWN_FAILURES) {
        char text[1024];
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(text, sizeof text, format, arguments);
        va_end(arguments);
        fprintf(stderr, "%s:%d: failed: %s; %s\n", file, line, condition, text);
    }
    return false;
}

/* CHECK(condition, format, ...): the format says what was being tried. */
#define CHECK(condition, ...) test_check((condition), __FILE__, __LINE__, #condition, __VA_ARGS__)

/* BMF_TEST_SEED, or 1; printed. */
__attribute__((unused)) static uint64_t test_seed(void)
{
    const char *text = getenv("BMF_TEST_SEED");
    const uint64_t seed = text ? strtoull(text, NULL, 10) : 1;
    printf("seed %llu\n", (unsigned long long)seed);
    return seed;
}

/* Of so many random cases a quarter under sanitizers, with which they take about ten times as long. */
#ifdef __has_feature
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TEST_SANITIZED 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#define TEST_SANITIZED 1
#endif
#ifndef TEST_SANITIZED
#define TEST_SANITIZED 0
#endif
__attribute__((unused)) static uint64_t test_cases(uint64_t all)
{
    return TEST_SANITIZED ? (all + 3) / 4 : all;
}

/* A whole number in [0, bound), bound > 0. */
__attribute__((unused)) static int64_t test_below(uint64_t *state, int64_t bound)
{
    return (int64_t)(random_bits(state) % (uint64_t)bound);
}

/* The exit code of the program: 0 only if checks were made and all held. */
__attribute__((unused)) static int test_finish(void)
{
    if (test_failures > 0)
        fprintf(stderr, "%lld of %lld checks failed\n", (long long)test_failures, (long long)test_checks);
    if (test_checks == 0)
        fprintf(stderr, "no check was made\n");
    return test_failures > 0 || test_checks == 0;
}

#endif

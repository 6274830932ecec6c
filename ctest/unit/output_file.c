/* Files that appear whole or not at all: links, modes, failures, writers of one target, and groups of files. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <dirent.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "runtime/base/output_file.h"

static char *folder;

/* Every test runs in an empty directory. */
static int enter(void **state)
{
    (void)state;
    folder = temporary_directory_create("unit_output_file");
    return folder && chdir(folder) == 0 ? 0 : -1;
}

static int leave(void **state)
{
    (void)state;
    int status = chdir("/");
    temporary_directory_remove(folder);
    return status;
}

static int entries(void)
{
    int count = 0;
    DIR *directory = opendir(".");
    assert_non_null(directory);
    for (const struct dirent *entry = readdir(directory); entry; entry = readdir(directory))
        count += entry->d_name[0] != '.';
    closedir(directory);
    return count;
}

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void expect(const char *path, const char *text)
{
    char found[64] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t size = fread(found, 1, sizeof found - 1, file);
    found[size] = '\0';
    fclose(file);
    assert_string_equal(found, text);
}

static int write_text(const char *path, const char *text, int failure)
{
    bmf_output_file output;
    int opened = output_file_open(&output, path);
    if (opened)
        return opened;
    fputs(text, output_file_stream(&output));
    return output_file_close(&output, failure);
}

static void a_file_appears_when_it_is_closed(void **state)
{
    (void)state;
    bmf_output_file output;
    assert_int_equal(output_file_open(&output, "new"), 0);
    assert_true(output_file_is_regular(&output));
    fputs("whole", output_file_stream(&output));
    assert_int_equal(access("new", F_OK), -1);
    assert_int_equal(entries(), 1);
    assert_int_equal(output_file_close(&output, 0), 0);
    expect("new", "whole");
    assert_int_equal(entries(), 1);
}

static void a_failure_leaves_the_old_file(void **state)
{
    (void)state;
    put("old", "before");
    assert_int_equal(write_text("old", "after", ENOSPC), ENOSPC);
    expect("old", "before");
    assert_int_equal(write_text("none", "after", EIO), EIO);
    assert_int_equal(access("none", F_OK), -1);
    assert_int_equal(entries(), 1);
}

static void what_is_not_a_file_is_refused(void **state)
{
    (void)state;
    assert_int_equal(mkdir("directory", 0777), 0);
    assert_int_equal(write_text("directory", "x", 0), EISDIR);
    assert_int_equal(write_text("missing/file", "x", 0), ENOENT);
    assert_int_equal(write_text("", "x", 0), ENOENT);
    put("file", "x");
    assert_int_equal(write_text("file/below", "x", 0), ENOTDIR);
    assert_int_equal(entries(), 2);
}

static mode_t mode_of(const char *path)
{
    struct stat about;
    assert_int_equal(stat(path, &about), 0);
    return about.st_mode & 07777;
}

static void modes_are_kept_and_new_files_follow_the_umask(void **state)
{
    (void)state;
    const mode_t modes[] = {0600, 0640, 0444, 0755, 0666};
    mode_t mask = umask(027);
    for (size_t k = 0; k < sizeof modes / sizeof modes[0]; k++) {
        put("old", "before");
        assert_int_equal(chmod("old", modes[k]), 0);
        assert_int_equal(write_text("old", "after", 0), 0);
        expect("old", "after");
        assert_int_equal(mode_of("old"), modes[k]);
        assert_int_equal(unlink("old"), 0);
    }
    assert_int_equal(write_text("new", "x", 0), 0);
    assert_int_equal(mode_of("new"), 0640);
    umask(mask);
}

static void links_stay_and_their_targets_are_replaced(void **state)
{
    (void)state;
    struct stat about;
    assert_int_equal(mkdir("there", 0777), 0);
    put("there/target", "before");
    assert_int_equal(symlink("there/middle", "link"), 0);
    assert_int_equal(symlink("target", "there/middle"), 0);
    assert_int_equal(write_text("link", "failed", EIO), EIO);
    expect("there/target", "before");
    assert_int_equal(write_text("link", "after", 0), 0);
    expect("there/target", "after");
    assert_int_equal(lstat("link", &about), 0);
    assert_true(S_ISLNK(about.st_mode));
    assert_int_equal(symlink("there/not yet", "dangling"), 0);
    assert_int_equal(write_text("dangling", "new", 0), 0);
    expect("there/not yet", "new");
    assert_int_equal(symlink("loop", "loop"), 0);
    assert_int_equal(write_text("loop", "x", 0), ELOOP);
}

/* Nothing that stands beside a target is written to, whatever its name. */
static void names_that_others_prepared_are_left_alone(void **state)
{
    (void)state;
    put("victim", "precious");
    assert_int_equal(symlink("victim", "out.part"), 0);
    assert_int_equal(write_text("out", "mine", 0), 0);
    expect("victim", "precious");
    expect("out", "mine");
}

static void devices_are_written_in_place(void **state)
{
    (void)state;
    bmf_output_file output;
    struct stat about;
    assert_int_equal(write_text("/dev/null", "x", 0), 0);
    assert_int_equal(stat("/dev/null", &about), 0);
    assert_true(S_ISCHR(about.st_mode));
    assert_int_equal(write_text("/dev/full", "x", 0), ENOSPC);
    assert_int_equal(output_file_open(&output, "/dev/null"), 0);
    assert_false(output_file_is_regular(&output));
    assert_int_equal(output_file_close(&output, 0), 0);
}

static void the_longest_names_work(void **state)
{
    (void)state;
    char name[NAME_MAX + 2];
    memset(name, 'n', sizeof name);
    name[NAME_MAX] = '\0';
    assert_int_equal(write_text(name, "long", 0), 0);
    expect(name, "long");
    name[NAME_MAX] = 'n';
    name[NAME_MAX + 1] = '\0';
    assert_int_equal(write_text(name, "long", 0), ENAMETOOLONG);
    assert_int_equal(entries(), 1);
}

/* Two at once, in every order of closing. */
static void writers_of_one_target_leave_a_whole_file(void **state)
{
    (void)state;
    for (int last = 0; last < 2; last++) {
        bmf_output_file output[2];
        for (int k = 0; k < 2; k++)
            assert_int_equal(output_file_open(&output[k], "shared"), 0);
        for (int k = 0; k < 2; k++)
            fputs(k ? "second" : "first", output_file_stream(&output[k]));
        assert_int_equal(output_file_close(&output[!last], 0), 0);
        assert_int_equal(output_file_close(&output[last], 0), 0);
        expect("shared", last ? "second" : "first");
    }
    assert_int_equal(entries(), 1);
}

static void files_of_a_group_appear_together(void **state)
{
    (void)state;
    static const char *const name[] = {"a", "b", "c"};
    bmf_output_file output[3];
    put("a", "old a");
    put("c", "old c");
    for (int fails = 1; fails >= 0; fails--) {
        for (int k = 0; k < 3; k++) {
            assert_int_equal(output_file_open(&output[k], name[k]), 0);
            fputs(name[k], output_file_stream(&output[k]));
        }
        if (fails) { /* a directory came in the way of the last one */
            assert_int_equal(unlink("c"), 0);
            assert_int_equal(mkdir("c", 0777), 0);
            assert_int_equal(output_files_close(output, 3, 0), EISDIR);
            expect("a", "old a");
            assert_int_equal(access("b", F_OK), -1);
            assert_int_equal(rmdir("c"), 0);
            assert_int_equal(entries(), 1);
        } else {
            assert_int_equal(output_files_close(output, 3, 0), 0);
            for (int k = 0; k < 3; k++)
                expect(name[k], name[k]);
            assert_int_equal(entries(), 3);
        }
    }
}

static void one_failure_in_a_group_keeps_all_back(void **state)
{
    (void)state;
    bmf_output_file output[2];
    assert_int_equal(output_file_open(&output[0], "a"), 0);
    assert_int_equal(output_file_open(&output[1], "/dev/full"), 0);
    fputs("a", output_file_stream(&output[0]));
    fputs("b", output_file_stream(&output[1]));
    assert_int_equal(output_files_close(output, 2, 0), ENOSPC);
    assert_int_equal(entries(), 0);
}

static void directories_appear_as_a_whole(void **state)
{
    (void)state;
    for (int failure = EIO; failure >= 0; failure -= EIO) {
        char path[PATH_MAX];
        bmf_output_file output;
        assert_int_equal(output_directory_open(&output, "directory"), 0);
        snprintf(path, sizeof path, "%s/inside", output.written);
        put(path, "x");
        assert_int_equal(access("directory", F_OK), -1);
        assert_int_equal(output_file_close(&output, failure), failure);
        assert_int_equal(entries(), failure ? 0 : 1);
    }
    expect("directory/inside", "x");
    bmf_output_file output;
    assert_int_equal(output_directory_open(&output, "directory"), EEXIST);
    assert_int_equal(output_directory_open(&output, "missing/directory"), ENOENT);
}

/* What a signal handler does: a child leaves nothing behind but what it closed. */
static void open_files_can_be_removed(void **state)
{
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        bmf_output_file output;
        if (write_text("closed", "x", 0) != 0 || output_file_open(&output, "open") != 0)
            _exit(1);
        output_files_remove();
        _exit(0);
    }
    int outcome;
    assert_int_equal(waitpid(child, &outcome, 0), child);
    assert_int_equal(outcome, 0);
    assert_int_equal(entries(), 1);
    expect("closed", "x");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, enter, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_file_appears_when_it_is_closed),
        TEST(a_failure_leaves_the_old_file),
        TEST(what_is_not_a_file_is_refused),
        TEST(modes_are_kept_and_new_files_follow_the_umask),
        TEST(links_stay_and_their_targets_are_replaced),
        TEST(names_that_others_prepared_are_left_alone),
        TEST(devices_are_written_in_place),
        TEST(the_longest_names_work),
        TEST(writers_of_one_target_leave_a_whole_file),
        TEST(files_of_a_group_appear_together),
        TEST(one_failure_in_a_group_keeps_all_back),
        TEST(directories_appear_as_a_whole),
        TEST(open_files_can_be_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

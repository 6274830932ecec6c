/* Programs that `bmf predict` runs, and signals that come meanwhile. */
#define _GNU_SOURCE
#include "drivers/predict/process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "drivers/commands.h"
#include "bmf/status.h"

/* The new process; only comes back if the program cannot be run, and then says why. Its output goes to standard error,
 * so that standard output has the prediction alone. */
static void become_program(const bmf_process *p, int failed)
{
    const int silence = p->silent ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;
    p->prepare(p->state);
    dup2(silence >= 0 ? silence : STDERR_FILENO, STDOUT_FILENO);
    if (silence >= 0)
        dup2(silence, STDERR_FILENO);
    execvp(p->command[0], p->command);
    const int failure = errno;
    _exit(write(failed, &failure, sizeof failure) > 0 ? 127 : 126);
}

/* ---- signals ----
 *
 * Ctrl-C reaches the program as well, which ends by it; this process goes on and cleans up. A SIGTERM or SIGHUP reaches
 * this process alone: it is passed on, and taken as meant once everything is cleaned up. One that comes again kills. */

static volatile sig_atomic_t received;
static volatile pid_t running; /* the program */

static void pass_on(int number)
{
    if (running > 0)
        kill(running, received ? SIGKILL : number);
    received = number;
}

enum { HANDLED = 3 };
static const int handled[HANDLED] = {SIGINT, SIGTERM, SIGHUP};

typedef struct signals {
    struct sigaction usual[HANDLED];
    sigset_t mask;
} signals;

/* Blocks them too, until the program is known. */
static void handle_signals(signals *before)
{
    sigset_t blocked;
    sigemptyset(&blocked);
    for (int k = 0; k < HANDLED; k++) {
        struct sigaction action = {.sa_handler = handled[k] == SIGINT ? SIG_IGN : pass_on};
        sigaddset(&blocked, handled[k]);
        sigaction(handled[k], &action, &before->usual[k]);
    }
    sigprocmask(SIG_BLOCK, &blocked, &before->mask);
}

static void restore_signals(const signals *before)
{
    for (int k = 0; k < HANDLED; k++)
        sigaction(handled[k], &before->usual[k], NULL);
    sigprocmask(SIG_SETMASK, &before->mask, NULL);
}

bool process_was_signalled(void)
{
    return received;
}

void process_obey_signal(void)
{
    if (received)
        raise(received);
}

/* Runs the program; returns the errno with which it could not be started, or 0 and its outcome. */
static int run_program(const bmf_process *p, int *outcome)
{
    int failure = 0, failed[2]; /* a pipe that starting the program closes */
    signals before;
    if (pipe2(failed, O_CLOEXEC) != 0)
        return errno;
    handle_signals(&before);
    const pid_t child = fork();
    if (child == 0) {
        restore_signals(&before);
        signal(SIGPIPE, SIG_DFL); /* which this process ignores */
        become_program(p, failed[1]);
    }
    if (child < 0)
        failure = errno;
    running = child;
    sigprocmask(SIG_SETMASK, &before.mask, NULL);
    close(failed[1]);
    while (child > 0 && read(failed[0], &failure, sizeof failure) < 0) {
        if (errno != EINTR) {
            failure = errno;
            break;
        }
    }
    close(failed[0]);
    if (child > 0 && failure == 0 && p->serve)
        p->serve(p->state, child);
    while (child > 0 && waitpid(child, outcome, 0) < 0 && errno == EINTR) {
    }
    running = 0;
    restore_signals(&before);
    return failure;
}

int process_run(const bmf_process *p)
{
    int outcome = 0;
    fflush(NULL);
    const int failure = run_program(p, &outcome);
    if (failure != 0)
        return bmf_fail(NULL, BMF_ERROR_USAGE, "cannot run '%s': %s", p->command[0], strerror(failure));
    if (WIFEXITED(outcome) && WEXITSTATUS(outcome) == 0)
        return BMF_OK;
    if (WIFSIGNALED(outcome))
        return bmf_fail(NULL, BMF_ERROR_KERNEL, "'%s' was ended by signal %d", p->name, WTERMSIG(outcome));
    int code = WEXITSTATUS(outcome);
    return bmf_fail(NULL, code == 2 ? BMF_ERROR_USAGE : BMF_ERROR_KERNEL, "'%s' ended with exit code %d", p->name,
                    code);
}

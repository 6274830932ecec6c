#include "skeletons/engine/blas.h"

#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* From the standard of CBLAS; ints of 32 bits, as Debian's libraries have them. */
enum { BY_ROWS = 101, AS_IT_IS = 111 };
typedef void multiply_function(int order, int turn_a, int turn_b, int m, int n, int k, double alpha, const double *a,
                               int row_a, const double *b, int row_b, double beta, double *c, int row_c);

static struct {
    pthread_once_t once;
    const char *name;
    char problem[300];
    multiply_function *multiply;
} library = {.once = PTHREAD_ONCE_INIT};

/* The function of that name, as *function, which is of the size of a pointer. */
static bool find(void *object, const char *name, void *function)
{
    void *found = dlsym(object, name);
    memcpy(function, &found, sizeof found);
    return found;
}

static void turn_threads_off(void *object)
{
    static const char *const setters[] = {"openblas_set_num_threads", "MKL_Set_Num_Threads"};
    void (*set_int)(int), (*set_long)(int64_t);
    for (size_t k = 0; k < sizeof setters / sizeof setters[0]; k++)
        if (find(object, setters[k], &set_int))
            set_int(1);
    if (find(object, "bli_thread_set_num_threads", &set_long))
        set_long(1);
}

static bool load(const char *name)
{
    void *object = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!object) {
        snprintf(library.problem, sizeof library.problem, "%s", dlerror());
        return false;
    }
    if (!find(object, "cblas_dgemm", &library.multiply)) {
        snprintf(library.problem, sizeof library.problem, "%.200s has no cblas_dgemm", name);
        dlclose(object);
        return false;
    }
    turn_threads_off(object);
    library.name = name;
    return true;
}

static void load_first(void)
{
    static const char *const known[] = {"libopenblas.so.0", "libblis.so.4", "libmkl_rt.so.2", "libmkl_rt.so"};
    const char *wanted = getenv("BMF_BLAS");
    if (wanted) {
        if (*wanted && strcmp(wanted, "0") != 0)
            load(wanted);
        return;
    }
    for (size_t k = 0; k < sizeof known / sizeof known[0] && !library.name; k++)
        load(known[k]);
    library.problem[0] = '\0';
}

const char *blas_library(void)
{
    pthread_once(&library.once, load_first);
    return library.name;
}

const char *blas_problem(void)
{
    pthread_once(&library.once, load_first);
    return library.problem[0] ? library.problem : NULL;
}

static bool counts(int64_t number)
{
    return number <= INT_MAX;
}

bool blas_multiply(const blas_matrix *a, const blas_matrix *b, double *out, int64_t row)
{
    if (!blas_library() || !counts(a->rows) || !counts(a->columns) || !counts(b->columns) || !counts(a->row) ||
        !counts(b->row) || !counts(row))
        return false;
    library.multiply(BY_ROWS, AS_IT_IS, AS_IT_IS, (int)a->rows, (int)b->columns, (int)a->columns, 1.0, a->data,
                     (int)a->row, b->data, (int)b->row, 0.0, out, (int)row);
    return true;
}

/* Jacobi relaxation of a rectangle whose border is held, in plain MPI: what examples/30-jacobi-plane.bmf is measured
 * against, and a program to record (bmf record).
 *
 *     mpirun.mpich -n 4 mpi/jacobi GRID.npy STEPS [OUT.npy]
 *
 * Every rank has some rows and one row more on both sides. In a step these come from its neighbours while the rows
 * inside are computed; every hundredth step all ranks find the largest change. At the end rank 0 gathers the rows. */
#include <math.h>
#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS_BETWEEN = 100, MAGIC_BYTES = 10, MAX_HEADER = 65535 };

static const char usage[] =
    "usage: mpirun.mpich -n RANKS mpi/jacobi GRID.npy STEPS [OUT.npy]\n"
    "Relaxes a grid of reals (.npy of 8-byte floats, row by row) whose border is held. Prints the largest change\n"
    "of every hundredth step and of the last one, and how long reading, steps and gathering took; OUT.npy gets\n"
    "the grid.\n"
    "Example: mpirun.mpich -n 2 mpi/jacobi plate.npy 1000 relaxed.npy\n";

/* This rank's rows [first, first + count) of the grid; above and below them stand those of the neighbours. */
typedef struct rows {
    int rank, ranks;
    int all, columns; /* of the grid */
    int first, count;
    double *now, *next; /* count + 2 rows each */
} rows;

/* All ranks call it alike; rank 0 says why. */
static _Noreturn void leave(int code, const char *what, const char *why)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        fprintf(code == 0 ? stdout : stderr, *what ? "jacobi: %s: %s\n" : "%s%s", what, why);
    MPI_Finalize();
    exit(code);
}

static double *row(double *of, const rows *r, int i)
{
    return of + (size_t)i * (size_t)r->columns;
}

/* Where the elements begin; 0: no such file, or not such a grid. */
static long read_header(const char *path, int *all, int *columns)
{
    static char text[MAX_HEADER + 1];
    unsigned char magic[MAGIC_BYTES];
    long begin = 0;
    FILE *file = fopen(path, "rb");
    if (!file)
        return 0;
    if (fread(magic, 1, MAGIC_BYTES, file) == MAGIC_BYTES && memcmp(magic, "\x93NUMPY\x01", 7) == 0) {
        const size_t length = magic[8] + 256u * magic[9];
        text[fread(text, 1, length, file)] = '\0';
        const char *const shape = strstr(text, "'shape':");
        if (shape && strstr(text, "'<f8'") && strstr(text, "'fortran_order': False") &&
            sscanf(shape, "'shape': (%d, %d)", all, columns) == 2 && *all > 0 && *columns > 0)
            begin = MAGIC_BYTES + (long)length;
    }
    fclose(file);
    return begin;
}

static int start_of(const rows *r, int rank)
{
    return (int)((long long)r->all * rank / r->ranks);
}

static void read_rows(rows *r, const char *path)
{
    MPI_File file;
    MPI_Status status;
    int got = 0;
    const long begin = read_header(path, &r->all, &r->columns);
    if (begin == 0 || MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDONLY, MPI_INFO_NULL, &file) != MPI_SUCCESS)
        leave(2, path, "not a .npy file of a grid of 8-byte floats");
    if (r->all < r->ranks)
        leave(2, path, "more ranks than rows");
    r->first = start_of(r, r->rank);
    r->count = start_of(r, r->rank + 1) - r->first;
    r->now = calloc((size_t)(r->count + 2) * (size_t)r->columns, sizeof *r->now);
    r->next = calloc((size_t)(r->count + 2) * (size_t)r->columns, sizeof *r->next);
    if (!r->now || !r->next) {
        fprintf(stderr, "jacobi: out of memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    MPI_Datatype line;
    MPI_Type_contiguous(r->columns, MPI_DOUBLE, &line);
    MPI_Type_commit(&line);
    MPI_File_read_at_all(file, begin + (MPI_Offset)r->first * r->columns * (MPI_Offset)sizeof(double),
                         row(r->now, r, 1), r->count, line, &status);
    MPI_Get_count(&status, line, &got);
    MPI_Type_free(&line);
    MPI_File_close(&file);
    int whole = got == r->count;
    MPI_Allreduce(MPI_IN_PLACE, &whole, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (!whole)
        leave(2, path, "the file ends too early");
}

/* Rows [begin, end) of this rank, counted from 1; those of the border, and ends of rows, stay as they are. */
static void relax(const rows *r, int begin, int end)
{
    for (int i = begin; i < end; i++) {
        const double *const above = row(r->now, r, i - 1), *const u = row(r->now, r, i);
        const double *const below = row(r->now, r, i + 1);
        double *const out = row(r->next, r, i);
        const int at = r->first + i - 1;
        if (at == 0 || at == r->all - 1) {
            memcpy(out, u, (size_t)r->columns * sizeof *out);
            continue;
        }
        out[0] = u[0];
        for (int k = 1; k < r->columns - 1; k++)
            out[k] = 0.25 * (above[k] + below[k] + u[k - 1] + u[k + 1]);
        out[r->columns - 1] = u[r->columns - 1];
    }
}

/* Meanwhile others may have the core, where there are more ranks than cores. */
static void wait_all(int count, MPI_Request *request, MPI_Status *status)
{
    int done = 0;
    for (;;) {
        MPI_Testall(count, request, &done, status);
        if (done)
            return;
        sched_yield();
    }
}

static void step(rows *r)
{
    const int up = r->rank > 0 ? r->rank - 1 : MPI_PROC_NULL;
    const int down = r->rank < r->ranks - 1 ? r->rank + 1 : MPI_PROC_NULL;
    MPI_Request request[4];
    MPI_Status status[4];
    MPI_Irecv(row(r->now, r, 0), r->columns, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &request[0]);
    MPI_Irecv(row(r->now, r, r->count + 1), r->columns, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &request[1]);
    MPI_Isend(row(r->now, r, 1), r->columns, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, &request[2]);
    MPI_Isend(row(r->now, r, r->count), r->columns, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, &request[3]);
    relax(r, 2, r->count);
    wait_all(4, request, status);
    relax(r, 1, 2);
    if (r->count > 1)
        relax(r, r->count, r->count + 1);
    double *const before = r->now;
    r->now = r->next;
    r->next = before;
}

/* Of the last step. */
static double largest_change(const rows *r)
{
    const double *const a = row(r->now, r, 1), *const b = row(r->next, r, 1);
    const size_t count = (size_t)r->count * (size_t)r->columns;
    double largest = 0.0;
    for (size_t k = 0; k < count; k++)
        largest = fmax(largest, fabs(a[k] - b[k]));
    MPI_Allreduce(MPI_IN_PLACE, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return largest;
}

/* The whole grid, on rank 0; NULL elsewhere. */
static double *gather(const rows *r)
{
    int *const count = calloc((size_t)r->ranks, sizeof *count), *const first = calloc((size_t)r->ranks, sizeof *first);
    double *const whole = r->rank == 0 ? malloc((size_t)r->all * (size_t)r->columns * sizeof *whole) : NULL;
    if (!count || !first || (r->rank == 0 && !whole)) {
        fprintf(stderr, "jacobi: out of memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    for (int k = 0; k < r->ranks; k++) {
        first[k] = start_of(r, k);
        count[k] = start_of(r, k + 1) - first[k];
    }
    MPI_Datatype line;
    MPI_Type_contiguous(r->columns, MPI_DOUBLE, &line);
    MPI_Type_commit(&line);
    MPI_Gatherv(row(r->now, r, 1), r->count, line, whole, count, first, line, 0, MPI_COMM_WORLD);
    MPI_Type_free(&line);
    free(count);
    free(first);
    return whole;
}

/* Rank 0 alone. */
static int write_grid(const rows *r, const double *whole, const char *path)
{
    char header[128];
    const size_t count = (size_t)r->all * (size_t)r->columns;
    const int length = snprintf(header, sizeof header, "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }",
                                r->all, r->columns);
    memset(header + length, ' ', sizeof header - (size_t)length);
    header[117] = '\n'; /* 10 bytes and 118 are a multiple of 64 */
    FILE *file = fopen(path, "wb");
    int done = file && fwrite("\x93NUMPY\x01\x00\x76\x00", 1, MAGIC_BYTES, file) == MAGIC_BYTES &&
               fwrite(header, 1, 118, file) == 118 && fwrite(whole, sizeof *whole, count, file) == count;
    if (file && fclose(file) != 0)
        done = 0;
    return done;
}

int main(int argc, char **argv)
{
    rows r = {0};
    char *end = argv[0];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &r.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &r.ranks);
    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        leave(0, "", usage);
    const long steps = argc == 3 || argc == 4 ? strtol(argv[2], &end, 10) : 0;
    if (steps < 1 || *end)
        leave(2, "", usage);

    double time[4] = {MPI_Wtime()};
    read_rows(&r, argv[1]);
    MPI_Barrier(MPI_COMM_WORLD);
    time[1] = MPI_Wtime();
    for (long k = 1; k <= steps; k++) {
        step(&r);
        if (k % STEPS_BETWEEN != 0 && k != steps)
            continue;
        const double change = largest_change(&r);
        if (r.rank == 0)
            printf("change of step %ld: %.17g\n", k, change);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    time[2] = MPI_Wtime();
    double *const whole = gather(&r);
    MPI_Barrier(MPI_COMM_WORLD);
    time[3] = MPI_Wtime();
    int done = r.rank != 0 || argc != 4 || write_grid(&r, whole, argv[3]);
    if (r.rank == 0)
        printf("%d x %d points, %ld steps, %d ranks: %.6f s: %.6f reading, %.6f steps, %.6f gathering\n", r.all,
               r.columns, steps, r.ranks, time[3] - time[0], time[1] - time[0], time[2] - time[1], time[3] - time[2]);
    free(whole);
    free(r.now);
    free(r.next);
    MPI_Bcast(&done, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (!done)
        leave(2, argv[3], "cannot be written");
    MPI_Finalize();
    return 0;
}

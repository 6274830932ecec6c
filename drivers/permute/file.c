/* bmf permute --in F.npy --out G.npy: permutes a file that need not fit into memory.
 *
 * Method: the plan of permute/external/plan.h. Passes go from the input to the result or to a second file, and then
 * from one of these to the other, so that the last one writes the result. Ranks share the tiles of a pass and wait for
 * each other between passes. With a directory for work every rank keeps a journal of the tiles that are on the disk;
 * syncing takes at most a twentieth of the time. */
#define _GNU_SOURCE
#include "drivers/permute/file.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bmf/npy.h"
#include "drivers/command/json.h"
#include "drivers/permute/data.h"
#include "drivers/permute/file_copy.h"
#include "drivers/permute/file_work.h"
#include "permute/external/pass.h"
#include "runtime/backend/backend.h"
#include "runtime/base/allocate.h"
#include "runtime/base/hash.h"
#include "runtime/base/memory.h"
#include "runtime/files/npy_part.h"

enum { LARGEST_RECORD = 4096, JOURNAL_SHARE = 20 };

typedef struct job {
    bmf_context *ctx;
    const bmf_file_permutation *wanted;
    bmf_npy_header header;
    int64_t shape[2]; /* of the result */
    int64_t record_bytes, memory;
    bmf_permutation permutation;
    bmf_external_plan plan;
    int source; /* the input */
    bmf_buffer *memory_of[2];
    bmf_work_files files;
    /* the state of the run */
    int pass;
    int64_t share_first;
    bmf_external_journal journal;
    double journal_end, journal_seconds; /* of the last one */
    int failed;                          /* to write the journal: its status */
    bool resumed;
    double seconds, copy_seconds;
} job;

/* ---- what to do ---- */

/* Elements, or rows; as many as a power of two. */
static int find_records(job *j)
{
    const bmf_npy_header *h = &j->header;
    const char *in = j->wanted->in, *what = j->wanted->rows ? "rows" : "elements";
    const int64_t count = j->wanted->rows ? h->shape[0] : h->shape[0] * h->shape[1];
    j->record_bytes = h->scalar->size * (j->wanted->rows ? h->shape[1] : 1);
    if (count < 1 || (count & (count - 1)))
        return bmf_fail(j->ctx, BMF_ERROR_FILE,
                        "%s: %" PRId64 " %s; a permutation of address bits needs a power of two", in, count, what);
    if (j->record_bytes < 1 || j->record_bytes > LARGEST_RECORD)
        return bmf_fail(j->ctx, BMF_ERROR_FILE, "%s: rows of %" PRId64 " bytes; bmf permutes 1 to %d", in,
                        j->record_bytes, LARGEST_RECORD);
    j->permutation.bits = __builtin_ctzll((uint64_t)count);
    return BMF_OK;
}

/* The result has the shape of the input, but a transposed matrix has its rows and columns exchanged. */
static void find_shape(job *j)
{
    const bmf_npy_header *h = &j->header;
    bmf_permutation transposition;
    memcpy(j->shape, h->shape, sizeof j->shape);
    if (h->dimensions != 2 || j->wanted->rows)
        return;
    bmf_permutation_rotation(j->permutation.bits, __builtin_ctzll((uint64_t)h->shape[0]), &transposition);
    if (!bmf_bit_matrix_equal(&transposition.matrix, &j->permutation.matrix))
        return;
    j->shape[0] = h->shape[1];
    j->shape[1] = h->shape[0];
}

static int parse(job *j)
{
    BMF_TRY(bmf_permutation_parse(j->ctx, j->permutation.bits, j->wanted->matrix, &j->permutation));
    if (j->wanted->complement)
        BMF_TRY(bmf_permutation_parse_complement(j->ctx, j->wanted->complement, &j->permutation));
    return BMF_OK;
}

/* Of every rank of a host; half of what is there unless the user says. */
static int choose_memory(job *j)
{
    const int64_t available = available_memory();
    j->memory = j->wanted->memory ? j->wanted->memory : available / (2 * j->ctx->node_ranks);
    if (available >= 0 && j->memory > available / j->ctx->node_ranks)
        return bmf_fail(j->ctx, BMF_ERROR_ARGUMENT, "--memory: %d ranks of a host take %.3g GB; %.3g GB are available",
                        j->ctx->node_ranks, (double)j->memory * j->ctx->node_ranks * 1e-9, (double)available * 1e-9);
    return BMF_OK;
}

/* The ranks must have the same plan, so that of the rank with the least memory counts. */
static int make_plan(job *j)
{
    bmf_context *ctx = j->ctx;
    BMF_TRY(bmf_agree(ctx, choose_memory(j)));
    int64_t *memory = allocate_array(ctx->ranks, (int64_t)sizeof *memory);
    const int status = ctx->backend->allgather(ctx, &j->memory, 1, NULL, memory);
    for (int rank = 0; status == BMF_OK && rank < ctx->ranks; rank++)
        j->memory = memory[rank] < j->memory ? memory[rank] : j->memory;
    free(memory);
    BMF_TRY(status);
    if (external_plan_make(&j->permutation, j->record_bytes, j->memory, j->wanted->block, &j->plan))
        return BMF_OK;
    return bmf_fail(j->ctx, BMF_ERROR_ARGUMENT,
                    "--memory: %" PRId64 " bytes are too few for blocks of %" PRId64
                    " bytes, of which several must fit",
                    j->memory, j->wanted->block > j->record_bytes ? j->wanted->block : j->record_bytes);
}

/* ---- the journal ---- */

static uint64_t hash_permutation(uint64_t hash, const bmf_permutation *p)
{
    for (int k = 0; k < p->bits; k++)
        hash = hash_add(hash, p->matrix.column[k]);
    return hash_add(hash, p->complement);
}

/* Everything that decides which tile goes where; the input by its identity and age. */
static uint64_t key_of(const job *j, const struct stat *about)
{
    const uint64_t words[] = {
        (uint64_t)about->st_dev,         (uint64_t)about->st_ino,          (uint64_t)about->st_size,
        (uint64_t)about->st_mtim.tv_sec, (uint64_t)about->st_mtim.tv_nsec, (uint64_t)j->record_bytes,
        (uint64_t)j->shape[0],           (uint64_t)j->ctx->ranks,          (uint64_t)j->ctx->rank};
    uint64_t key = hash_add(0, (uint64_t)j->plan.permutation.bits);
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
        key = hash_add(key, words[k]);
    for (int k = 0; k < j->plan.passes; k++)
        key = hash_add(hash_permutation(key, &j->plan.pass[k].permutation), (uint64_t)j->plan.pass[k].run_bits);
    return key;
}

/* This rank's tiles of a pass. */
static void find_share(const job *j, int pass, int64_t *first, int64_t *end)
{
    const int64_t tiles = external_tiles(&j->plan.pass[pass]), ranks = j->ctx->ranks, rank = j->ctx->rank;
    const int64_t share = tiles / ranks, longer = tiles % ranks;
    *first = rank * share + (rank < longer ? rank : longer);
    *end = *first + share + (rank < longer ? 1 : 0);
}

/* The key says nothing about how far the run had come. */
static int check_journal(const job *j)
{
    int64_t first = 0, end = 0;
    if (j->journal.pass < j->plan.passes)
        find_share(j, j->journal.pass, &first, &end);
    if (j->journal.pass <= j->plan.passes && j->journal.tile <= end - first)
        return BMF_OK;
    return bmf_fail(j->ctx, BMF_ERROR_FILE,
                    "%s/journal.%d: pass %d and tile %" PRId64 " are not of this permutation; remove the directory to "
                    "begin anew",
                    j->files.directory, j->ctx->rank, j->journal.pass, j->journal.tile);
}

static int read_journal(job *j)
{
    struct stat about;
    if (!j->files.directory)
        return BMF_OK;
    if (fstat(j->source, &about) != 0)
        return bmf_fail(j->ctx, BMF_ERROR_FILE, "%s: %s", j->wanted->in, strerror(errno));
    j->journal.key = key_of(j, &about);
    BMF_TRY(work_files_read_journal(&j->files, &j->journal));
    BMF_TRY(check_journal(j));
    j->resumed = j->journal.pass > 0 || j->journal.tile > 0;
    return BMF_OK;
}

/* Which file pass k writes: 0, the result, if an even number of passes follows. */
static int target_of(const job *j, int pass)
{
    return (j->plan.passes - 1 - pass) % 2;
}

static int write_journal(job *j, int pass, int64_t tile)
{
    const double begin = bmf_seconds(j->ctx);
    if (!j->files.directory)
        return BMF_OK;
    if (fdatasync(j->files.file[target_of(j, j->pass)]) != 0)
        return bmf_fail(j->ctx, BMF_ERROR_FILE, "%s: cannot write: %s", j->wanted->out, strerror(errno));
    j->journal.pass = pass;
    j->journal.tile = tile;
    BMF_TRY(work_files_write_journal(&j->files, &j->journal));
    j->journal_end = bmf_seconds(j->ctx);
    j->journal_seconds = j->journal_end - begin;
    return BMF_OK;
}

/* ---- passes ---- */

static void show_progress(const job *j, int64_t tile)
{
    const double tiles = (double)external_tiles(&j->plan.pass[j->pass]) / j->ctx->ranks;
    fprintf(stderr, "\r\033[Kpass %d of %d: %3.0f %%", j->pass + 1, j->plan.passes, 100.0 * (double)tile / tiles);
}

static bool tile_done(void *state, int64_t tile)
{
    job *j = state;
    tile -= j->share_first;
    if (bmf_is_root(j->ctx) && isatty(STDERR_FILENO))
        show_progress(j, tile);
    if (bmf_seconds(j->ctx) - j->journal_end > JOURNAL_SHARE * j->journal_seconds)
        j->failed = write_journal(j, j->pass, tile);
    return j->failed == BMF_OK;
}

static int fail_pass(const job *j, const bmf_external_failure *failure)
{
    const char *path = failure->writing ? j->wanted->out : j->wanted->in;
    return bmf_fail(j->ctx, BMF_ERROR_FILE, "%s: cannot %s at byte %" PRId64 ": %s", path,
                    failure->writing ? "write" : "read", failure->offset,
                    failure->error ? strerror(failure->error) : "the file ends there");
}

/* Without the tiles that an earlier run has done. */
static int run_pass(job *j, int pass)
{
    const int target = target_of(j, pass);
    bmf_external_work work = {.pass = &j->plan.pass[pass],
                              .record_bytes = j->record_bytes,
                              .source = {j->source, j->header.data_offset},
                              .target = {j->files.file[target], NPY_HEADER_SIZE},
                              .read = j->memory_of[0]->data,
                              .permuted = j->memory_of[1]->data,
                              .threads = j->ctx->threads,
                              .done = tile_done,
                              .state = j};
    bmf_external_failure failure;
    if (pass > 0)
        work.source = (bmf_external_file){j->files.file[1 - target], NPY_HEADER_SIZE};
    j->pass = pass;
    find_share(j, pass, &j->share_first, &work.end);
    work.first = j->share_first + (j->journal.pass == pass ? j->journal.tile : 0);
    const int status = external_pass_run(&work, &failure);
    if (status == BMF_ERROR_FILE)
        return fail_pass(j, &failure);
    if (status != BMF_OK)
        return bmf_fail(j->ctx, status, "permute: out of memory");
    return j->failed != BMF_OK ? j->failed : write_journal(j, pass + 1, 0);
}

static int run_passes(job *j)
{
    for (int pass = 0; pass < j->plan.passes; pass++)
        BMF_TRY(bmf_agree(j->ctx, pass < j->journal.pass ? BMF_OK : run_pass(j, pass)));
    return BMF_OK;
}

/* ---- one run ---- */

static int write_header(job *j)
{
    char bytes[NPY_HEADER_SIZE];
    const bmf_npy_header header = {j->header.scalar, j->header.dimensions, {j->shape[0], j->shape[1]}, NPY_HEADER_SIZE};
    npy_print_header(&header, bytes);
    if (pwrite(j->files.file[0], bytes, NPY_HEADER_SIZE, 0) == NPY_HEADER_SIZE)
        return BMF_OK;
    return bmf_fail(j->ctx, BMF_ERROR_FILE, "%s: cannot write: %s", j->wanted->out, strerror(errno));
}

static int prepare(job *j)
{
    int64_t tile = 0;
    for (int k = 0; k < j->plan.passes; k++)
        tile = j->plan.pass[k].tile_bits > tile ? j->plan.pass[k].tile_bits : tile;
    for (int k = 0; k < 2; k++) {
        j->memory_of[k] = buffer_create(j->record_bytes << tile);
        if (!j->memory_of[k])
            return bmf_fail(j->ctx, BMF_ERROR_MEMORY, "permute: out of memory");
    }
    j->source = open(j->wanted->in, O_RDONLY | O_CLOEXEC);
    if (j->source < 0)
        return bmf_fail(j->ctx, BMF_ERROR_FILE, "%s: cannot open: %s", j->wanted->in, strerror(errno));
    return bmf_is_root(j->ctx) ? write_header(j) : BMF_OK;
}

static int run_files(job *j)
{
    bmf_context *ctx = j->ctx;
    const double begin = bmf_seconds(ctx);
    BMF_TRY(work_files_open(&j->files));
    BMF_TRY(bmf_agree(ctx, prepare(j)));
    BMF_TRY(bmf_agree(ctx, read_journal(j)));
    j->journal_end = bmf_seconds(ctx);
    BMF_TRY(run_passes(j));
    BMF_TRY(work_files_commit(&j->files));
    return bmf_max_seconds(ctx, bmf_seconds(ctx) - begin, &j->seconds);
}

static int run(job *j)
{
    const int64_t bytes = j->record_bytes << j->permutation.bits;
    j->source = -1;
    j->files = (bmf_work_files){.ctx = j->ctx,
                                .out = j->wanted->out,
                                .directory = j->wanted->work,
                                .bytes = NPY_HEADER_SIZE + bytes,
                                .has_between = j->plan.passes > 1};
    int status =
        j->wanted->copy ? file_copy_time(j->ctx, j->wanted->in, j->wanted->out, bytes, &j->copy_seconds) : BMF_OK;
    if (status == BMF_OK) {
        status = run_files(j);
        work_files_close(&j->files);
    }
    if (bmf_is_root(j->ctx) && isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
    if (j->source >= 0)
        close(j->source);
    for (int k = 0; k < 2; k++)
        if (j->memory_of[k])
            buffer_release(j->memory_of[k]);
    return status;
}

/* ---- output ---- */

/* What Cormen's algorithm takes at most. */
static int cormen_passes(const bmf_external_plan *plan)
{
    const int window = plan->memory_bits - plan->block_bits;
    return plan->rank == 0 ? 1 : external_least_passes(plan->rank, window) + 1;
}

static void print_text(const job *j)
{
    const bmf_external_plan *plan = &j->plan;
    printf("2^%d records of %" PRId64
           " bytes, %s: rank of gamma %d, M = 2^%d records, B = 2^%d; %d pass%s (bound: %d)\n",
           j->permutation.bits, j->record_bytes, bmf_permutation_class_name(bmf_permutation_classify(&j->permutation)),
           plan->rank, plan->memory_bits, plan->block_bits, plan->passes, plan->passes > 1 ? "es" : "",
           cormen_passes(plan));
    for (int k = 0; k < plan->passes; k++)
        printf("pass %d: %" PRId64 " tiles of 2^%d records, in runs of %" PRId64 " bytes\n", k + 1,
               external_tiles(&plan->pass[k]), plan->pass[k].tile_bits, j->record_bytes << plan->pass[k].run_bits);
    if (j->wanted->plan)
        return;
    if (j->resumed)
        puts("went on where an earlier run had ended");
    printf("%.6g GB read and written in %.6g s\n",
           2e-9 * plan->passes * (double)(j->record_bytes << j->permutation.bits), j->seconds);
    if (j->wanted->copy)
        printf("copying takes %.6g s: %.2f of its speed\n", j->copy_seconds,
               plan->passes * j->copy_seconds / j->seconds);
}

static void print_json(const job *j)
{
    const bmf_external_plan *plan = &j->plan;
    json_t *made = json_pack("{s:i, s:I, s:i, s:i, s:s, s:i, s:I, s:I, s:i, s:i}", "bits", j->permutation.bits, "elem",
                             (json_int_t)j->record_bytes, "ranks", j->ctx->ranks, "threads", j->ctx->threads, "class",
                             bmf_permutation_class_name(bmf_permutation_classify(&j->permutation)), "rank_gamma",
                             plan->rank, "memory_records", (json_int_t)1 << plan->memory_bits, "block_records",
                             (json_int_t)1 << plan->block_bits, "passes", plan->passes, "bound", cormen_passes(plan));
    json_object_set_new(made, "bytes",
                        json_integer((json_int_t)2 * plan->passes * (j->record_bytes << j->permutation.bits)));
    if (!j->wanted->plan) {
        json_object_set_new(made, "seconds", json_real(j->seconds));
        json_object_set_new(made, "resumed", json_boolean(j->resumed));
    }
    if (j->wanted->copy) {
        json_object_set_new(made, "copy_seconds", json_real(j->copy_seconds));
        json_object_set_new(made, "fraction_of_copy", json_finite(plan->passes * j->copy_seconds / j->seconds));
    }
    json_print(made, BMF_JSON_LINE);
}

int permute_file(bmf_context *ctx, const bmf_file_permutation *wanted)
{
    job j = {.ctx = ctx, .wanted = wanted};
    if (wanted->copy && ctx->ranks > 1)
        return bmf_fail(ctx, BMF_ERROR_USAGE, "--copy takes one process, not %d ranks", ctx->ranks);
    BMF_TRY(bmf_npy_header_read(ctx, wanted->in, &j.header));
    BMF_TRY(bmf_agree(ctx, BMF_OK)); /* the header's failure */
    BMF_TRY(find_records(&j));
    BMF_TRY(bmf_agree(ctx, parse(&j)));
    find_shape(&j);
    BMF_TRY(make_plan(&j));
    if (!wanted->plan)
        BMF_TRY(run(&j));
    if (bmf_is_root(ctx) && wanted->json)
        print_json(&j);
    else if (bmf_is_root(ctx))
        print_text(&j);
    return BMF_OK;
}

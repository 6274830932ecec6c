/* A program from its files to its result.
 *
 * Rank 0 reads, parses and types, and finds all errors; then the others get the texts up to the data and the argument's
 * type, and make the same trees. Literal data stands on rank 0 only. A .npy argument that the program splits first is
 * read by all ranks, each its parts; otherwise by rank 0.
 * Collective calls: one broadcast when all is read (two if it is more than 4 KiB), a barrier before the program is
 * timed, and one allgather at the end, which settles whatever failed and has what `bmf run` tells of the run. */
#include "skeletons/language/program.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "runtime/backend/share.h"
#include "runtime/base/allocate.h"
#include "runtime/npy/part.h"
#include "skeletons/language/notation/source.h"
#include "skeletons/language/parallel/parallel.h"

/* ---- the argument's type, from rank 0 to all ---- */

static void write_type(const bmf_type *type, char **at)
{
    *(*at)++ = (char)type->kind;
    *(*at)++ = (char)type->components;
    for (int k = 0; k < type->components; k++)
        write_type(type->component[k], at);
}

static int64_t type_bytes(const bmf_type *type)
{
    int64_t bytes = 2;
    for (int k = 0; k < type->components; k++)
        bytes += type_bytes(type->component[k]);
    return bytes;
}

static const bmf_type *read_type(const char **at)
{
    const bmf_type *component[BMF_MAX_LEAVES];
    bmf_type made = {.kind = (bmf_type_kind)(*at)[0], .components = (*at)[1]};
    *at += 2;
    for (int k = 0; k < made.components; k++)
        component[k] = read_type(at);
    made.component = made.components > 0 ? component : NULL;
    return bmf_type_intern(&made);
}

/* ---- what rank 0 has read, on all ---- */

static void write_number(FILE *to, int64_t number)
{
    fwrite(&number, sizeof number, 1, to);
}

static int64_t read_number(const char **at)
{
    int64_t number;
    memcpy(&number, *at, sizeof number);
    *at += sizeof number;
    return number;
}

/* The texts, of the last one `last_size` bytes; the type of the argument; the header of its file. */
static void write_all(const bmf_program *program, int texts, int64_t last_size, FILE *to)
{
    const bmf_npy_header *header = &program->header;
    char *type = allocate(type_bytes(program->argument_type)), *end = type;
    for (int k = 0; k < texts; k++) {
        const bmf_text *text = &program->texts.text[k];
        const int64_t name = (int64_t)strlen(text->name), size = k == texts - 1 ? last_size : text->size;
        write_number(to, name);
        write_number(to, size);
        fwrite(text->name, 1, (size_t)name, to);
        fwrite(text->bytes, 1, (size_t)size, to);
    }
    write_type(program->argument_type, &end);
    fwrite(type, 1, (size_t)(end - type), to);
    write_number(to, program->npy ? header->scalar->kind : BMF_NOTHING);
    write_number(to, header->dimensions);
    write_number(to, header->shape[0]);
    write_number(to, header->shape[1]);
    write_number(to, header->data_offset);
    free(type);
}

static void read_all(bmf_program *program, int texts, const char *at)
{
    for (int k = 0; k < texts; k++) {
        const int64_t name_size = read_number(&at), size = read_number(&at);
        char *name = allocate_clear(name_size + 1, 1);
        memcpy(name, at, (size_t)name_size);
        texts_add(&program->texts, name, at + name_size, size);
        at += name_size + size;
        free(name);
    }
    program->argument_type = read_type(&at);
    program->header.scalar = type_of_kind((bmf_type_kind)read_number(&at));
    program->header.dimensions = (int)read_number(&at);
    program->header.shape[0] = read_number(&at);
    program->header.shape[1] = read_number(&at);
    program->header.data_offset = read_number(&at);
}

static int share_all(bmf_context *ctx, bmf_program *program, int texts, int64_t last_size, bool whole)
{
    char *block = NULL;
    size_t size = 0;
    if (bmf_is_root(ctx)) {
        FILE *to = open_memstream(&block, &size);
        if (whole)
            write_all(program, texts, last_size, to);
        fclose(to);
    }
    int64_t bytes = (int64_t)size;
    bmf_trace_run *run = recording_pause(ctx); /* loading is not the program, and predictions do not load */
    const int status = share_block(ctx, &block, &bytes);
    recording_resume(ctx, run);
    if (status == BMF_OK && !bmf_is_root(ctx))
        read_all(program, texts, block);
    free(block);
    return status;
}

/* ---- loading ---- */

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text), size = strlen(end);
    return length >= size && strcmp(text + length - size, end) == 0;
}

static int read_texts(bmf_context *ctx, const bmf_program_options *options, bmf_program *program)
{
    int text;
    for (int k = 0; k < options->libraries; k++)
        BMF_TRY(texts_read(&program->texts, ctx, options->library[k], &text));
    if (!options->text)
        return texts_read(&program->texts, ctx, options->path, &text);
    texts_add(&program->texts, options->path, options->text, (int64_t)strlen(options->text));
    return BMF_OK;
}

static int parse_texts(bmf_context *ctx, bmf_program *program, int libraries, bmf_parsed *parsed)
{
    BMF_TRY(source_parse(ctx, &program->texts, libraries + 1, program->arena, &program->library, parsed));
    program->parsed = parsed->expression;
    return library_check(ctx, &program->texts, &program->library, program->parsed);
}

static int parse_argument(bmf_context *ctx, const bmf_program_options *options, const bmf_parsed *parsed,
                          bmf_program *program)
{
    static const char nothing[] = "0";
    bmf_span span = parsed->data;
    if (parsed->is_constant && options->argument)
        return text_fail(&program->texts, ctx, program->parsed->span, BMF_ERROR_USAGE,
                         "main has no parameters, so --arg has nothing to be");
    if (parsed->is_constant) {
        span = (bmf_span){texts_add(&program->texts, "main", nothing, 1), 0, 1};
    } else if (options->argument) {
        BMF_TRY(texts_read(&program->texts, ctx, options->argument, &span.text));
        span.begin = 0;
        span.end = program->texts.text[span.text].size;
    } else if (!parsed->has_data) {
        span = program->parsed->span;
        return text_fail(&program->texts, ctx, (bmf_span){span.text, span.end, span.end}, BMF_ERROR_USAGE,
                         "the program has no data; write it behind the expression or give a file with --arg");
    }
    return data_parse(ctx, &program->texts, span, &program->argument_type, &program->argument);
}

/* The scalar of the language that the file's are read as. */
static int language_scalar(bmf_context *ctx, const char *path, const bmf_type *scalar, const bmf_type **read_as)
{
    *read_as = scalar == &bmf_type_int32 ? &bmf_type_int : scalar == &bmf_type_float ? &bmf_type_real : scalar;
    if (scalar == &bmf_type_complex)
        return bmf_fail(ctx, BMF_ERROR_TYPE, "%s: complex numbers (complex128); the language has int, real and bool",
                        path);
    return BMF_OK;
}

static int read_header(bmf_context *ctx, bmf_program *program)
{
    const bmf_type *scalar;
    BMF_TRY(npy_find_header(ctx, program->npy, &program->header));
    BMF_TRY(language_scalar(ctx, program->npy, program->header.scalar, &scalar));
    program->argument_type = bmf_type_list(program->header.dimensions == 2 ? bmf_type_list(scalar) : scalar);
    return BMF_OK;
}

/* Everything that rank 0 does alone. */
static int load_first(bmf_context *ctx, const bmf_program_options *options, bmf_program *program, bmf_parsed *parsed)
{
    if (program->npy)
        BMF_TRY(read_header(ctx, program));
    BMF_TRY(read_texts(ctx, options, program));
    BMF_TRY(parse_texts(ctx, program, options->libraries, parsed));
    if (!program->npy)
        BMF_TRY(parse_argument(ctx, options, parsed, program));
    return check_types(ctx, &program->texts, program->arena, &program->library, program->parsed, program->argument_type,
                       &program->checked);
}

/* The others read the same texts, and find no errors. */
static int load_again(bmf_context *ctx, const bmf_program_options *options, bmf_program *program)
{
    bmf_parsed parsed = {0};
    BMF_TRY(parse_texts(ctx, program, options->libraries, &parsed));
    return check_types(ctx, &program->texts, program->arena, &program->library, program->parsed, program->argument_type,
                       &program->checked);
}

int program_load(bmf_context *ctx, const bmf_program_options *options, bmf_program *program)
{
    *program = (bmf_program){.arena = expressions_create()};
    program->texts.processors = options->processors > 0 || !ctx ? options->processors : bmf_processors(ctx);
    bmf_parsed parsed = {0};
    const int libraries = options->libraries;
    int status = BMF_OK;
    if (options->argument && ends_with(options->argument, ".npy"))
        program->npy = options->argument;
    if (bmf_is_root(ctx))
        status = load_first(ctx, options, program, &parsed);
    if (bmf_ranks(ctx) > 1) {
        const bool whole = status == BMF_OK;
        const int64_t size = whole && bmf_is_root(ctx) ? program->texts.text[libraries].size : 0;
        BMF_TRY(failure_defer(ctx, status));
        BMF_TRY(share_all(ctx, program, libraries + 1, parsed.has_data ? parsed.data.begin : size, whole));
        if (!bmf_is_root(ctx))
            status = load_again(ctx, options, program);
    }
    program->expression = program->checked;
    return status;
}

void program_rewrite(bmf_program *program, const bmf_rewriting *rewriting)
{
    program->rewriting = *rewriting;
    program->expression = rewrite(program->arena, program->checked, &program->rewriting);
}

/* ---- running ---- */

/* The argument as a batch: one instance on rank 0. */
static int placed_argument(bmf_context *ctx, bmf_program *program, bmf_value *argument)
{
    if (!bmf_is_root(ctx))
        return value_empty(ctx, program->argument_type, 0, argument);
    bmf_column column = program->argument;
    program->argument = (bmf_column){0};
    value_from_column(&column, argument);
    return BMF_OK;
}

/* This rank's part of the file; default values if it cannot be read. */
static int read_part(bmf_context *ctx, const bmf_program *program, const bmf_type *scalar, bmf_partition *partition,
                     bmf_value *parts)
{
    bmf_list *list = NULL;
    const int status = npy_read_part(ctx, program->npy, &program->header, scalar, partition, &list);
    if (status == BMF_OK)
        require_memory(value_from_parts(list, parts), partition->local_parts);
    else
        value_default(ctx, program->argument_type, partition->local_parts, parts);
    bmf_list_free(list);
    return failure_defer(ctx, status);
}

static int placed_file(bmf_context *ctx, const bmf_program *program, const bmf_type *scalar, bmf_value *argument)
{
    bmf_partition *partition;
    BMF_TRY(bmf_partition_placed(ctx, 0, program->header.shape[0], &partition));
    const int status = read_part(ctx, program, scalar, partition, argument);
    bmf_partition_release(partition);
    return status;
}

/* The first operation if it is a split of the whole argument. */
static bmf_expression *first_split(bmf_expression *expression)
{
    while (expression->kind == BMF_EXPRESSION_COMP && expression->children > 0)
        expression = expression->child[expression->children - 1];
    bool splits = expression->kind == BMF_EXPRESSION_SPLIT && expression->parallel;
    return splits ? expression : NULL;
}

/* What the first split would make of the file, each rank reading its parts. */
static int split_file(bmf_context *ctx, const bmf_program *program, const bmf_type *scalar, const bmf_expression *split,
                      bmf_value *argument)
{
    bmf_level level = {split->number[0], (int)split->number[1]};
    bmf_partition *partition;
    bmf_value parts;
    BMF_TRY(bmf_partition_create(ctx, 0, 1, &level, program->header.shape[0], NULL, &partition));
    const int status = read_part(ctx, program, scalar, partition, &parts);
    int64_t *processor = allocate(partition->parts * (int64_t)sizeof *processor);
    int64_t offsets[2] = {0, partition->parts};
    for (int64_t k = 0; k < partition->parts; k++)
        processor[k] = bmf_partition_processor(partition, k);
    bmf_layout *layout = layout_create(ctx, partition->parts, processor);
    value_distribute(bmf_is_root(ctx) ? 1 : 0, distribution_create(1, offsets, layout), &parts, argument);
    free(processor);
    bmf_partition_release(partition);
    return status;
}

/* The expression without its first operation; NULL if there is nothing else. */
static bmf_expression *without_first(bmf_program *program, bmf_expression *expression)
{
    if (expression->kind != BMF_EXPRESSION_COMP)
        return NULL;
    bmf_expression *rest = expression_copy(program->arena, expression);
    int last = rest->children - 1;
    bmf_expression *inner = without_first(program, rest->child[last]);
    if (!inner)
        rest->children--;
    else
        rest->child[last] = inner;
    return rest->children > 0 ? rest : NULL;
}

/* The argument; also after a failure, if BMF_OK is returned, as default values. */
static int open_argument(bmf_context *ctx, bmf_program *program, bmf_expression **expression, bmf_value *argument)
{
    const bmf_type *scalar;
    bmf_expression *split = first_split(*expression);
    if (!program->npy) {
        require_memory(placed_argument(ctx, program, argument), 0);
        return BMF_OK;
    }
    BMF_TRY(language_scalar(ctx, program->npy, program->header.scalar, &scalar));
    if (!split)
        return placed_file(ctx, program, scalar, argument);
    *expression = without_first(program, *expression);
    return split_file(ctx, program, scalar, split, argument);
}

/* The expression without a gather as its last operation; itself if there is none, or nothing else. */
static bmf_expression *without_gather(bmf_program *program, bmf_expression *expression)
{
    if (expression->kind != BMF_EXPRESSION_COMP || expression->children < 2)
        return expression;
    const bmf_expression *last = expression->child[0];
    bool gathers = last->kind == BMF_EXPRESSION_REDUCE && last->children == 1 &&
                   last->child[0]->kind == BMF_EXPRESSION_OP && last->child[0]->operation == BMF_OPERATION_CONC &&
                   last->in->kind == BMF_DISTRIBUTED;
    if (!gathers)
        return expression;
    bmf_expression *rest = expression_copy(program->arena, expression);
    rest->child++;
    rest->children--;
    return rest;
}

/* From the argument to the value. A failure is known to all ranks, or it is noted and the value a default. */
static int evaluate(bmf_context *ctx, bmf_program *program, bmf_value *result)
{
    bmf_evaluator evaluator = {.ctx = ctx, .texts = &program->texts};
    bmf_expression *expression = program->expression;
    bmf_value argument = {0};
    bmf_frame frame;
    int status = BMF_OK;
    ctx->settled = false;
    if (program->keep_parts)
        expression = without_gather(program, expression);
    ctx->step += BMF_STEPS;
    BMF_TRY(open_argument(ctx, program, &expression, &argument));
    program_start(ctx);
    const double begin = bmf_seconds(ctx);
    frame_open_program(&evaluator, &frame);
    if (!expression)
        value_move(&argument, result);
    else
        status = evaluate_batch(&evaluator, expression, &frame, &argument, result);
    frame_close(&frame);
    program->seconds = bmf_seconds(ctx) - begin;
    program->sent = bmf_local_statistics(ctx);
    return status;
}

/* The value with its distributed lists gathered, on rank 0; a failure as above. */
static int gather(bmf_context *ctx, bmf_value *result, bmf_column *column)
{
    bmf_texts none = {0};
    bmf_evaluator evaluator = {.ctx = ctx, .texts = &none, .quiet = 1};
    bmf_value placed;
    bmf_frame frame;
    frame_open_program(&evaluator, &frame);
    int status = collect_distributed(&evaluator, &frame, result, &placed);
    frame_close(&frame);
    if (status != BMF_OK)
        return status;
    status = value_to_column(ctx, &placed, column);
    value_free(&placed);
    return failure_defer(ctx, status);
}

/* The end of the run, given this rank's status: settles, and sums up what all ranks did. */
static int settle_run(bmf_context *ctx, bmf_program *program, int status)
{
    enum { NANOSECONDS, PEAK, MESSAGES, BYTES, RANK_MESSAGES, RANK_BYTES, NUMBERS };
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    program->peak_bytes = (int64_t)usage.ru_maxrss * 1024;
    if (ctx->ranks == 1 || (status != BMF_OK && ctx->settled))
        return status;
    BMF_TRY(failure_defer(ctx, status));
    const int64_t mine[NUMBERS] = {[NANOSECONDS] = (int64_t)(program->seconds * 1e9),
                                   [PEAK] = program->peak_bytes,
                                   [MESSAGES] = program->sent.messages,
                                   [BYTES] = program->sent.bytes,
                                   [RANK_MESSAGES] = program->sent.rank_messages,
                                   [RANK_BYTES] = program->sent.rank_bytes};
    int64_t *all = allocate(NUMBERS * ctx->ranks * (int64_t)sizeof *all), sum[NUMBERS] = {0};
    bmf_trace_run *run = recording_pause(ctx); /* the value is there */
    status = ctx->backend->allgather(ctx, mine, NUMBERS, NULL, all);
    recording_resume(ctx, run);
    for (int64_t i = 0; status == BMF_OK && i < NUMBERS * ctx->ranks; i++) {
        int64_t *into = &sum[i % NUMBERS];
        if (i % NUMBERS < MESSAGES)
            *into = all[i] > *into ? all[i] : *into;
        else
            *into += all[i];
    }
    free(all);
    program->seconds = (double)sum[NANOSECONDS] * 1e-9;
    program->peak_bytes = sum[PEAK];
    program->sent = (bmf_statistics){sum[MESSAGES], sum[BYTES], sum[RANK_MESSAGES], sum[RANK_BYTES]};
    return status;
}

int program_run(bmf_context *ctx, bmf_program *program, bmf_value *result)
{
    *result = (bmf_value){0};
    const int status = settle_run(ctx, program, evaluate(ctx, program, result));
    if (status != BMF_OK)
        value_free(result);
    return status;
}

int program_value(bmf_context *ctx, bmf_program *program, bmf_column *column)
{
    bmf_value result = {0};
    *column = (bmf_column){0};
    int status = evaluate(ctx, program, &result);
    if (status == BMF_OK)
        status = gather(ctx, &result, column);
    status = settle_run(ctx, program, status);
    if (status != BMF_OK)
        column_free(column);
    return status;
}

int program_gather(bmf_context *ctx, bmf_value *result, bmf_column *column)
{
    ctx->settled = false;
    const int status = gather(ctx, result, column);
    return status != BMF_OK && ctx->settled ? status : bmf_agree(ctx, status);
}

/* A list on rank 0, and nothing on the others. */
static int placed_list(bmf_context *ctx, bmf_value *result, bmf_list **list)
{
    bmf_column whole, elements;
    bmf_partition *partition;
    int64_t length = 0;
    require_memory(value_to_column(ctx, result, &whole), 0);
    value_free(result);
    elements = whole.child[0];
    whole.child[0] = (bmf_column){.type = elements.type};
    column_free(&whole);
    length = elements.count;
    int status = ctx->backend->bcast(ctx, 0, &length, (int64_t)sizeof length);
    if (status == BMF_OK)
        status = bmf_partition_placed(ctx, 0, length, &partition);
    if (status != BMF_OK) {
        column_free(&elements);
        return status;
    }
    list_adopt(ctx, partition, &elements, list);
    bmf_partition_release(partition);
    return status;
}

int program_list(bmf_context *ctx, bmf_value *result, bmf_list **list)
{
    char text[128];
    const bmf_type *type = result->type;
    if (type->kind == BMF_DISTRIBUTED && type->component[0]->kind == BMF_LIST) {
        bmf_distribution *spread = distribution_retain(result->spread);
        bmf_value lists;
        value_move(&result->child[0], &lists);
        value_free(result);
        int status = value_to_list(ctx, spread, &lists, list);
        distribution_release(spread);
        return status;
    }
    if (type->kind == BMF_LIST)
        return placed_list(ctx, result, list);
    value_free(result);
    return bmf_fail(ctx, BMF_ERROR_TYPE, "a .npy file takes a list, the value is %s",
                    bmf_type_print(type, text, sizeof text));
}

void program_free(bmf_program *program)
{
    column_free(&program->argument);
    library_free(&program->library);
    if (program->arena)
        expressions_free(program->arena);
    texts_free(&program->texts);
    *program = (bmf_program){0};
}

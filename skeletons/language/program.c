/* A program from its files to its result.
 *
 * Rank 0 reads, parses and types, and finds all errors; then the others get the texts up to the data and the argument's
 * type, and make the same trees. Literal data stands on rank 0 only; files are read by
 * skeletons/language/argument.c.
 * Collective calls: one broadcast when all is read (two if it is more than 4 KiB), a barrier before the program is
 * timed, and one allgather at the end, which settles whatever failed and has what `bmf run` tells of the run. */
#include "skeletons/language/program.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "runtime/backend/share.h"
#include "runtime/base/allocate.h"
#include "runtime/context/held.h"
#include "skeletons/language/argument_declared.h"
#include "skeletons/language/argument_names.h"
#include "skeletons/language/notation/source.h"
#include "skeletons/language/parallel/parallel.h"

/* ---- the argument's type, from rank 0 to all ---- */

static void write_type(const bmf_type *type, char **at)
{
    const size_t name = type->name ? strlen(type->name) + 1 : 0;
    *(*at)++ = (char)type->kind;
    *(*at)++ = (char)type->components;
    *(*at)++ = name > 0;
    memcpy(*at, type->name ? type->name : "", name);
    *at += name;
    for (int k = 0; k < type->components; k++)
        write_type(type->component[k], at);
}

static int64_t type_bytes(const bmf_type *type)
{
    int64_t bytes = 3 + (type->name ? (int64_t)strlen(type->name) + 1 : 0);
    for (int k = 0; k < type->components; k++)
        bytes += type_bytes(type->component[k]);
    return bytes;
}

static const bmf_type *read_type(const char **at)
{
    const bmf_type *component[BMF_MAX_LEAVES];
    bmf_type made = {.kind = (bmf_type_kind)(*at)[0], .components = (*at)[1]};
    made.name = (*at)[2] ? *at + 3 : NULL;
    *at += 3 + (made.name ? strlen(made.name) + 1 : 0);
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

/* The texts, of the last one `last_size` bytes; the type of the argument; what its files hold. */
static void write_all(const bmf_program *program, int texts, int64_t last_size, FILE *to)
{
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
    for (int k = 0; k < program->arguments; k++)
        if (program->argument[k].is_file)
            fwrite(&program->argument[k].file, DATA_FILE_BYTES, 1, to);
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
    for (int k = 0; k < program->arguments; k++)
        if (program->argument[k].is_file) {
            argument_take(&program->argument[k], at);
            at += DATA_FILE_BYTES;
        } else {
            program->argument[k].type =
                program->arguments == 1 ? program->argument_type : program->argument_type->component[k];
        }
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

/* Data as text, or a file of it. */
static int parse_data(bmf_context *ctx, const char *given, bmf_program *program, bmf_argument *argument)
{
    bmf_span span = {0};
    if (argument_is_data(given))
        span.text = texts_add(&program->texts, "--arg", given, (int64_t)strlen(given));
    else
        BMF_TRY(texts_read(&program->texts, ctx, given, &span.text));
    span.end = program->texts.text[span.text].size;
    return data_parse(ctx, &program->texts, span, &argument->type, &argument->column);
}

static int parse_literal(bmf_context *ctx, const bmf_parsed *parsed, bool only_types, bmf_program *program)
{
    static const char nothing[] = "0";
    bmf_span data = parsed->data;
    if (only_types && !parsed->has_data && declared_whole(parsed)) {
        program->argument->type = declared_whole(parsed);
        return BMF_OK;
    }
    if (parsed->is_constant)
        data = (bmf_span){texts_add(&program->texts, "main", nothing, 1), 0, 1};
    else if (!parsed->has_data) {
        const bmf_span span = program->parsed->span;
        const bmf_text *text = &program->texts.text[span.text];
        int64_t end = text->words ? text->size : span.end;
        while (end > 0 && isspace((unsigned char)text->bytes[end - 1]))
            end--;
        return text_fail(&program->texts, ctx, (bmf_span){span.text, end, end}, BMF_ERROR_USAGE,
                         "the program has no data; write %s or give a file with --arg",
                         text->words ? "default DATA behind main" : "it behind the expression");
    }
    return data_parse(ctx, &program->texts, data, &program->argument->type, &program->argument->column);
}

static int parse_arguments(bmf_context *ctx, const bmf_program_options *options, const bmf_parsed *parsed,
                           bmf_program *program)
{
    const bmf_type *type[BMF_MAX_LEAVES];
    if (parsed->is_constant && options->arguments > 0)
        return text_fail(&program->texts, ctx, program->parsed->span, BMF_ERROR_USAGE,
                         "main has no parameters, so --arg has nothing to be");
    if (options->arguments == 0)
        BMF_TRY(parse_literal(ctx, parsed, options->only_types, program));
    for (int k = 0; k < options->arguments; k++)
        if (!program->argument[k].is_file)
            BMF_TRY(parse_data(ctx, options->argument[k], program, &program->argument[k]));
    program->declares = declared_argument(parsed);
    BMF_TRY(arguments_declare(ctx, &program->texts, parsed, options->arguments > 0 ? options->argument : NULL,
                              program->argument, program->arguments));
    for (int k = 0; k < program->arguments; k++)
        type[k] = program->argument[k].type;
    program->argument_type = program->arguments == 1 ? type[0] : bmf_type_tuple(program->arguments, type);
    return BMF_OK;
}

/* What runs has no names of fields; the value's type keeps them. */
static int type_program(bmf_context *ctx, bmf_program *program)
{
    BMF_TRY(check_types_observed(ctx, &program->texts, program->arena, &program->library, program->parsed,
                                 program->argument_type, NULL, &program->value_type, &program->checked));
    for (int k = 0; k < program->arguments; k++)
        program->argument[k].type = type_without_fields(program->argument[k].type);
    return BMF_OK;
}

/* A file of arrays says how long its lists are; text has them. */
static const bmf_extent *extent_of_argument(bmf_expressions *arena, const bmf_argument *argument)
{
    int depth = 0;
    if (!argument->is_file)
        return argument->column.type ? extent_of_column(arena, &argument->column) : NULL;
    for (const bmf_type *type = argument->type; type->kind == BMF_LIST && depth < DATA_DIMENSIONS;
         type = type->component[0])
        depth++;
    return extent_of_shape(arena, depth, argument->file.shape);
}

/* Lists that are certain to be of a wrong length are found before anything runs. */
static int check_extents(bmf_context *ctx, bmf_program *program)
{
    const bmf_extent *part[BMF_MAX_LEAVES];
    for (int k = 0; k < program->arguments; k++)
        part[k] = extent_of_argument(program->arena, &program->argument[k]);
    program->argument_extent =
        program->arguments == 1 ? part[0] : extent_of_tuple(program->arena, program->arguments, part);
    return extents_check(ctx, &program->texts, program->arena, program->checked, program->argument_extent, NULL,
                         &program->value_extent);
}

/* Everything that rank 0 does alone. */
static int load_first(bmf_context *ctx, const bmf_program_options *options, bmf_program *program, bmf_parsed *parsed)
{
    for (int k = 0; k < program->arguments; k++)
        if (program->argument[k].is_file)
            BMF_TRY(argument_find(ctx, &program->argument[k]));
    BMF_TRY(read_texts(ctx, options, program));
    BMF_TRY(parse_texts(ctx, program, options->libraries, parsed));
    BMF_TRY(parse_arguments(ctx, options, parsed, program));
    BMF_TRY(type_program(ctx, program));
    return check_extents(ctx, program);
}

/* The others read the same texts, and find no errors. */
static int load_again(bmf_context *ctx, const bmf_program_options *options, bmf_program *program)
{
    bmf_parsed parsed = {0};
    BMF_TRY(parse_texts(ctx, program, options->libraries, &parsed));
    BMF_TRY(arguments_declare(ctx, &program->texts, &parsed, options->arguments > 0 ? options->argument : NULL,
                              program->argument, program->arguments));
    return type_program(ctx, program);
}

/* Rows of files that do not say how many they have. */
static int count_files(bmf_context *ctx, bmf_program *program)
{
    int status = BMF_OK;
    bmf_trace_run *run = recording_pause(ctx);
    for (int k = 0; k < program->arguments && status == BMF_OK; k++)
        if (program->argument[k].is_file)
            status = data_file_count(ctx, &program->argument[k].file);
    recording_resume(ctx, run);
    return status;
}

int program_load(bmf_context *ctx, const bmf_program_options *given, bmf_program *program)
{
    const char *ordered[BMF_MAX_LEAVES];
    bmf_program_options ready = *given, *options = &ready;
    *program = (bmf_program){.arena = expressions_create(), .arguments = options->arguments ? options->arguments : 1};
    if (options->arguments > BMF_MAX_LEAVES)
        return bmf_fail(ctx, BMF_ERROR_ARGUMENT, "%d files as arguments; a tuple has at most %d components",
                        options->arguments, BMF_MAX_LEAVES);
    program->argument = allocate_clear(program->arguments, sizeof *program->argument);
    program->texts.processors = options->processors > 0 || !ctx ? options->processors : bmf_processors(ctx);
    bmf_parsed parsed = {0};
    const int libraries = options->libraries;
    int status = BMF_OK;
    BMF_TRY(arguments_order(ctx, options->path, options->text, options->arguments, options->argument, ordered));
    ready.argument = ordered;
    for (int k = 0; k < options->arguments; k++)
        argument_named(options->argument[k], &program->argument[k]);
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
    if (status == BMF_OK && ctx)
        status = count_files(ctx, program);
    program->expression = program->checked;
    return status;
}

void program_rewrite(bmf_program *program, const bmf_rewriting *rewriting)
{
    program->rewriting = *rewriting;
    program->expression = rewrite(program->arena, program->checked, &program->rewriting);
}

/* ---- running ---- */

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
    bmf_evaluator evaluator = {.ctx = ctx, .texts = &program->texts, .loops = program->loops};
    bmf_expression *expression = program->expression;
    bmf_value argument = {0};
    bmf_frame frame;
    int status = BMF_OK;
    ctx->settled = false;
    if (program->keep_parts)
        expression = without_gather(program, expression);
    ctx->step += BMF_STEPS;
    BMF_TRY(arguments_open(ctx, program->arena, program->argument, program->arguments, &expression, &argument));
    program_start(ctx);
    const double begin = bmf_seconds(ctx);
    frame_open_program(&evaluator, &frame);
    if (holds_memory(ctx))
        value_hold(ctx, &frame, &argument);
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
    return bmf_fail(ctx, BMF_ERROR_TYPE, "a file takes a list, the value is %s",
                    bmf_type_print(type, text, sizeof text));
}

void program_free(bmf_program *program)
{
    for (int k = 0; program->argument && k < program->arguments; k++)
        argument_free(&program->argument[k]);
    free(program->argument);
    library_free(&program->library);
    if (program->arena)
        expressions_free(program->arena);
    texts_free(&program->texts);
    *program = (bmf_program){0};
}

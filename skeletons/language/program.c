/* A program from its files to its result.
 *
 * Rank 0 reads, parses and types, and finds all errors; then the others get the texts up to the data and the argument's
 * type, and make the same trees. Literal data stands on rank 0 only. A .npy argument that the program splits first is
 * read by all ranks, each its parts; otherwise by rank 0. */
#include "skeletons/language/program.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/base/allocate.h"
#include "bmf/npy.h"
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

static int share_type(bmf_context *ctx, const bmf_type **type)
{
    int64_t bytes = bmf_is_root(ctx) && *type ? type_bytes(*type) : 0;
    BMF_TRY(ctx->backend->bcast(ctx, 0, &bytes, (int64_t)sizeof bytes));
    if (bytes == 0)
        return BMF_OK;
    char *text = allocate(bytes), *write = text;
    const char *read = text;
    if (bmf_is_root(ctx))
        write_type(*type, &write);
    int status = ctx->backend->bcast(ctx, 0, text, bytes);
    if (status == BMF_OK)
        *type = read_type(&read);
    free(text);
    return status;
}

/* ---- texts ---- */

/* One text from rank 0, its first `size` bytes. */
static int share_text(bmf_context *ctx, bmf_texts *texts, int number, int64_t size)
{
    int64_t sizes[2] = {0, size};
    if (bmf_is_root(ctx))
        sizes[0] = (int64_t)strlen(texts->text[number].name);
    BMF_TRY(ctx->backend->bcast(ctx, 0, sizes, (int64_t)sizeof sizes));
    char *name = allocate_clear(sizes[0] + 1, 1), *bytes = allocate_clear(sizes[1] + 1, 1);
    if (bmf_is_root(ctx)) {
        memcpy(name, texts->text[number].name, (size_t)sizes[0]);
        memcpy(bytes, texts->text[number].bytes, (size_t)sizes[1]);
    }
    int status = ctx->backend->bcast(ctx, 0, name, sizes[0]);
    if (status == BMF_OK)
        status = ctx->backend->bcast(ctx, 0, bytes, sizes[1]);
    if (status == BMF_OK && !bmf_is_root(ctx))
        texts_add(texts, name, bytes, sizes[1]);
    free(name), free(bytes);
    return status;
}

static int share_texts(bmf_context *ctx, bmf_program *program, int count, int64_t program_size)
{
    for (int k = 0; k < count; k++) {
        bool last = k == count - 1;
        int64_t size = !bmf_is_root(ctx) ? 0 : last ? program_size : program->texts.text[k].size;
        BMF_TRY(share_text(ctx, &program->texts, k, size));
    }
    return BMF_OK;
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
    for (int k = 0; k < libraries; k++)
        BMF_TRY(parse_library(ctx, &program->texts, k, program->arena, &program->library));
    BMF_TRY(parse_program(ctx, &program->texts, libraries, program->arena, &program->library, parsed));
    program->parsed = parsed->expression;
    return library_check(ctx, &program->texts, &program->library, program->parsed);
}

static int parse_argument(bmf_context *ctx, const bmf_program_options *options, const bmf_parsed *parsed,
                          bmf_program *program)
{
    bmf_span span = parsed->data;
    if (options->argument) {
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

static int type_of_npy(bmf_context *ctx, const char *path, const bmf_type **type)
{
    bmf_npy_header header;
    const bmf_type *scalar;
    BMF_TRY(bmf_npy_header_read(ctx, path, &header));
    BMF_TRY(language_scalar(ctx, path, header.scalar, &scalar));
    *type = bmf_type_list(header.dimensions == 2 ? bmf_type_list(scalar) : scalar);
    return BMF_OK;
}

/* Everything that rank 0 does alone. */
static int load_first(bmf_context *ctx, const bmf_program_options *options, bmf_program *program, bmf_parsed *parsed)
{
    BMF_TRY(read_texts(ctx, options, program));
    BMF_TRY(parse_texts(ctx, program, options->libraries, parsed));
    if (!program->npy)
        BMF_TRY(parse_argument(ctx, options, parsed, program));
    return check_types(ctx, &program->texts, program->arena, &program->library, program->parsed, program->argument_type,
                       &program->checked);
}

int program_load(bmf_context *ctx, const bmf_program_options *options, bmf_program *program)
{
    *program = (bmf_program){.arena = expressions_create()};
    program->texts.processors = options->processors > 0 || !ctx ? options->processors : bmf_processors(ctx);
    bmf_parsed parsed = {0};
    int status = BMF_OK, libraries = options->libraries;
    if (options->argument && ends_with(options->argument, ".npy")) {
        BMF_TRY(type_of_npy(ctx, options->argument, &program->argument_type));
        program->npy = options->argument;
    }
    if (bmf_is_root(ctx))
        status = load_first(ctx, options, program, &parsed);
    BMF_TRY(bmf_agree(ctx, status));
    if (bmf_ranks(ctx) > 1) {
        int64_t size = program->texts.count > 0 ? program->texts.text[libraries].size : 0;
        BMF_TRY(share_texts(ctx, program, libraries + 1, parsed.has_data ? parsed.data.begin : size));
        BMF_TRY(share_type(ctx, &program->argument_type));
        if (!bmf_is_root(ctx)) {
            status = parse_texts(ctx, program, libraries, &parsed);
            if (status == BMF_OK)
                status = check_types(ctx, &program->texts, program->arena, &program->library, program->parsed,
                                     program->argument_type, &program->checked);
        }
        BMF_TRY(bmf_agree(ctx, status));
    }
    program->expression = program->checked;
    return BMF_OK;
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

static int placed_file(bmf_context *ctx, const char *path, const bmf_type *scalar, int64_t length, bmf_value *argument)
{
    bmf_partition *partition;
    bmf_list *list = NULL;
    BMF_TRY(bmf_partition_placed(ctx, 0, length, &partition));
    int status = bmf_npy_read_as(ctx, path, scalar, partition, &list);
    bmf_partition_release(partition);
    if (status == BMF_OK)
        status = bmf_agree(ctx, value_from_parts(list, argument));
    bmf_list_free(list);
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
static int split_file(bmf_context *ctx, const char *path, const bmf_type *scalar, int64_t length,
                      const bmf_expression *split, bmf_value *argument)
{
    bmf_level level = {split->number[0], (int)split->number[1]};
    bmf_partition *partition;
    bmf_list *list = NULL;
    bmf_value parts;
    BMF_TRY(bmf_partition_create(ctx, 0, 1, &level, length, NULL, &partition));
    int status = bmf_npy_read_as(ctx, path, scalar, partition, &list);
    if (status == BMF_OK)
        status = bmf_agree(ctx, value_from_parts(list, &parts));
    bmf_list_free(list);
    if (status == BMF_OK) {
        int64_t *processor = allocate(partition->parts * (int64_t)sizeof *processor);
        int64_t offsets[2] = {0, partition->parts};
        for (int64_t k = 0; k < partition->parts; k++)
            processor[k] = bmf_partition_processor(partition, k);
        bmf_layout *layout = layout_create(ctx, partition->parts, processor);
        value_distribute(bmf_is_root(ctx) ? 1 : 0, distribution_create(1, offsets, layout), &parts, argument);
        free(processor);
    }
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

static int open_argument(bmf_context *ctx, bmf_program *program, bmf_expression **expression, bmf_value *argument)
{
    bmf_npy_header header;
    const bmf_type *scalar;
    bmf_expression *split = first_split(*expression);
    if (!program->npy)
        return bmf_agree(ctx, placed_argument(ctx, program, argument));
    BMF_TRY(bmf_npy_header_read(ctx, program->npy, &header));
    BMF_TRY(language_scalar(ctx, program->npy, header.scalar, &scalar));
    if (!split)
        return placed_file(ctx, program->npy, scalar, header.shape[0], argument);
    *expression = without_first(program, *expression);
    return split_file(ctx, program->npy, scalar, header.shape[0], split, argument);
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

int program_run(bmf_context *ctx, bmf_program *program, bmf_value *result)
{
    bmf_evaluator evaluator = {.ctx = ctx, .texts = &program->texts};
    bmf_expression *expression = program->expression;
    bmf_value argument = {0};
    bmf_frame frame;
    if (program->keep_parts)
        expression = without_gather(program, expression);
    BMF_TRY(open_argument(ctx, program, &expression, &argument));
    program_start(ctx);
    double begin = bmf_seconds(ctx);
    agree_once(ctx, true);
    int status = BMF_OK;
    frame_open_program(&evaluator, &frame);
    if (!expression)
        value_move(&argument, result);
    else
        status = evaluate_batch(&evaluator, expression, &frame, &argument, result);
    frame_close(&frame);
    int agreed = bmf_agree(ctx, status);
    agree_once(ctx, false);
    if (agreed != BMF_OK && status == BMF_OK)
        value_free(result);
    BMF_TRY(agreed);
    return bmf_max_seconds(ctx, bmf_seconds(ctx) - begin, &program->seconds);
}

int program_gather(bmf_context *ctx, bmf_value *result, bmf_column *column)
{
    bmf_texts none = {0};
    bmf_evaluator evaluator = {.ctx = ctx, .texts = &none, .quiet = 1};
    bmf_value placed;
    bmf_frame frame;
    frame_open_program(&evaluator, &frame);
    BMF_TRY(bmf_agree(ctx, BMF_OK));
    int status = collect_distributed(&evaluator, &frame, result, &placed);
    frame_close(&frame);
    BMF_TRY(bmf_agree(ctx, status));
    status = value_to_column(ctx, &placed, column);
    value_free(&placed);
    return bmf_agree(ctx, status);
}

/* A list on rank 0, and nothing on the others. */
static int placed_list(bmf_context *ctx, bmf_value *result, bmf_list **list)
{
    bmf_column whole, elements;
    bmf_partition *partition;
    int64_t length = 0;
    int status = value_to_column(ctx, result, &whole);
    value_free(result);
    BMF_TRY(bmf_agree(ctx, status));
    elements = whole.child[0];
    whole.child[0] = (bmf_column){.type = elements.type};
    column_free(&whole);
    length = elements.count;
    status = ctx->backend->bcast(ctx, 0, &length, (int64_t)sizeof length);
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

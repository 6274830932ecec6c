/* A fused pipeline, see bmf_stream_head in front/expression.h. Made by the rewriter. */
#include "skeletons/language/evaluate/operations.h"
#include "skeletons/language/forms/form.h"
#include "skeletons/language/front/print.h"
#include "skeletons/language/types/checker.h"

static const bmf_expression *stream_part(const bmf_expression *stream, int k)
{
    return k < stream->children ? stream->child[k] : NULL;
}

/* The skeletons a stream stands for, from the one applied last. Each prints the dot behind it. */
static void print_stages(const bmf_expression *stream, FILE *out)
{
    static const char *const head[] = {[BMF_HEAD_LIST] = "B_Id",
                                       [BMF_HEAD_ZIP] = "B_Zip",
                                       [BMF_HEAD_DISTL] = "B_Op (B_Distl)",
                                       [BMF_HEAD_IOTA] = "B_Op (B_Iota)"};
    static const char *const tail[] = {[BMF_TAIL_LIST] = "",
                                       [BMF_TAIL_REDUCE] = "B_Reduce",
                                       [BMF_TAIL_SCAN] = "B_Scan",
                                       [BMF_TAIL_FILTER] = "B_Filter",
                                       [BMF_TAIL_COUNT] = "B_Op (B_Length) . B_Filter"};
    const bmf_expression *element = stream_part(stream, 0);
    bool maps = element && element->kind != BMF_EXPRESSION_ID;
    bool ends = stream->tail != BMF_TAIL_LIST;
    fputs(tail[stream->tail], out);
    for (int k = 1; k < 3 && ends; k++)
        if (stream_part(stream, k))
            print_operand(stream->child[k], out);
    if (maps) {
        fputs(ends ? " . B_Map" : "B_Map", out);
        print_operand(element, out);
    }
    if (stream->head != BMF_HEAD_LIST || (!maps && !ends))
        fprintf(out, "%s%s", maps || ends ? " . " : "", head[stream->head]);
}

static void print(const bmf_expression *made, FILE *out)
{
    fputc('<', out);
    print_stages(made, out);
    fputc('>', out);
}

static bool equal(const bmf_expression *a, const bmf_expression *b)
{
    return a->head == b->head && a->tail == b->tail;
}

static bool may_fail(const bmf_expression *made)
{
    return made->head == BMF_HEAD_ZIP || made->head == BMF_HEAD_IOTA ||
           (made->tail == BMF_TAIL_REDUCE && !made->child[2]);
}

static bool decides(const bmf_expression *made)
{
    return made->head == BMF_HEAD_IOTA || made->tail == BMF_TAIL_FILTER;
}

const bmf_expression_form bmf_form_stream = {
    .keyword = "<stream>",
    .print = print,
    .layout = BMF_LAYOUT_LINE,
    .equal = equal,
    .check = checker_made,
    .may_fail = may_fail,
    .decides = decides,
    .evaluate = evaluate_stream,
};

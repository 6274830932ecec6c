/* Laws that fuse: maps, reductions, scans, filters and sources of lists become streams, without lists in between.
 *
 * A stream takes scalar expressions only (is_scalar_expression). A map whose last part alone is scalar gives that
 * part to the stream and keeps the others. Defaults of reductions and scans are applied to the stream's input, so
 * those that look at the list keep theirs from being fused with what makes it.
 * Cost: each law looks at two neighbours of a composition. */
#include "skeletons/language/laws/rewriter.h"
#include "skeletons/language/operations/operation.h"

typedef struct stream {
    bmf_stream_head head;
    bmf_stream_tail tail;
    bmf_expression *element, *end, *otherwise;
    const bmf_type *in, *out;
} stream;

static bmf_expression *build(bmf_rewriter *rewriter, bmf_span span, const stream *s)
{
    bmf_expression *child[3] = {s->element, s->end, s->otherwise};
    bmf_expression *made = rewriter_node(rewriter, BMF_EXPRESSION_STREAM, span, 3, child, s->in, s->out);
    made->head = s->head;
    made->tail = s->tail;
    return made;
}

static bool is_placed_list(const bmf_type *type)
{
    return type->kind == BMF_LIST;
}

/* A skeleton on a placed list, or a stream, as the stream it is by itself. */
static bool read_stream(bmf_rewriter *rewriter, const bmf_expression *part, stream *s)
{
    *s = (stream){.in = part->in, .out = part->out};
    if (part->kind == BMF_EXPRESSION_STREAM) {
        s->head = part->head;
        s->tail = part->tail;
        s->element = part->child[0];
        s->end = part->child[1];
        s->otherwise = part->child[2];
        return true;
    }
    if (part->kind == BMF_EXPRESSION_MAP) {
        s->element = part->child[0];
        return is_placed_list(part->in) && is_scalar_expression(s->element);
    }
    s->tail = form_of(part)->tail;
    if (s->tail == BMF_TAIL_LIST || !is_placed_list(part->in) || !is_scalar_expression(part->child[0]))
        return false;
    s->element = rewriter_identity(rewriter, part->span, part->in->component[0]);
    s->end = part->child[0];
    s->otherwise = part->children > 1 ? part->child[1] : NULL;
    return true;
}

/* The default for another input of the stream; false if it cannot be had. */
static bool retype_default(bmf_rewriter *rewriter, stream *s, const bmf_type *in)
{
    if (s->otherwise)
        s->otherwise = rewriter_retype(rewriter, s->otherwise, in);
    else
        return true;
    return s->otherwise;
}

/* The parts of f from the left that are scalar together: f = *scalar o *rest. rest is NULL if all of f is scalar. */
static bool split_scalar(bmf_rewriter *rewriter, bmf_expression *f, bmf_expression **scalar, bmf_expression **rest)
{
    *rest = NULL;
    *scalar = f;
    if (is_scalar_expression(f))
        return true;
    if (f->kind != BMF_EXPRESSION_COMP)
        return false;
    int count = 0;
    while (count < f->children && is_scalar_expression(f->child[count]))
        count++;
    if (count == 0 || count == f->children)
        return false;
    *scalar = expression_compose(rewriter->arena, f->span, count, f->child);
    *rest = expression_compose(rewriter->arena, f->span, f->children - count, f->child + count);
    return is_scalar_expression(*scalar);
}

/* A stream that reads the list that a map, or a stream that makes a list, makes. */
static bmf_expression *fuse_maker(bmf_rewriter *rewriter, int parts, bmf_expression *const *part,
                                  bmf_stream_tail wanted, int *used)
{
    stream s, maker;
    bmf_expression *scalar, *rest = NULL;
    if (parts < 2 || !read_stream(rewriter, part[0], &s) || s.head != BMF_HEAD_LIST || s.tail != wanted)
        return NULL;
    if (part[1]->kind == BMF_EXPRESSION_MAP && is_placed_list(part[1]->in)) {
        if (!split_scalar(rewriter, part[1]->child[0], &scalar, &rest))
            return NULL;
        maker = (stream){.in = rest ? bmf_type_list(rest->out) : part[1]->in, .element = scalar};
    } else if (part[1]->kind != BMF_EXPRESSION_STREAM || !read_stream(rewriter, part[1], &maker) ||
               maker.tail != BMF_TAIL_LIST) {
        return NULL;
    }
    if (!retype_default(rewriter, &s, maker.in))
        return NULL;
    s.head = maker.head;
    s.in = maker.in;
    s.element = rewriter_compose(rewriter, s.element, maker.element);
    *used = 2;
    bmf_expression *made = build(rewriter, part[0]->span, &s);
    if (!rest)
        return made;
    bmf_expression *both[2] = {
        made, rewriter_node(rewriter, BMF_EXPRESSION_MAP, part[1]->span, 1, &rest, part[1]->in, maker.in)};
    return expression_compose(rewriter->arena, part[0]->span, 2, both);
}

bmf_expression *law_map_reduce(bmf_rewriter *rewriter, int parts, bmf_expression *const *part, int *used)
{
    return fuse_maker(rewriter, parts, part, BMF_TAIL_REDUCE, used);
}

bmf_expression *law_map_scan(bmf_rewriter *rewriter, int parts, bmf_expression *const *part, int *used)
{
    return fuse_maker(rewriter, parts, part, BMF_TAIL_SCAN, used);
}

bmf_expression *law_map_filter(bmf_rewriter *rewriter, int parts, bmf_expression *const *part, int *used)
{
    return fuse_maker(rewriter, parts, part, BMF_TAIL_FILTER, used);
}

bmf_expression *law_filter_length(bmf_rewriter *rewriter, int parts, bmf_expression *const *part, int *used)
{
    stream s;
    if (parts < 2 || !is_operation(part[0], BMF_OPERATION_LENGTH) || !read_stream(rewriter, part[1], &s) ||
        s.tail != BMF_TAIL_FILTER)
        return NULL;
    s.tail = BMF_TAIL_COUNT;
    s.out = part[0]->out;
    *used = 2;
    return build(rewriter, part[1]->span, &s);
}

bmf_expression *law_lone_stream(bmf_rewriter *rewriter, int parts, bmf_expression *const *part, int *used)
{
    stream s;
    (void)parts;
    if (part[0]->kind == BMF_EXPRESSION_STREAM || !read_stream(rewriter, part[0], &s))
        return NULL;
    if (s.tail == BMF_TAIL_LIST && is_structural(s.element))
        return NULL;
    *used = 1;
    return build(rewriter, part[0]->span, &s);
}

/* What makes a list of pairs or numbers, and the element expression it comes with. A zip with an operator may be a
 * stream already. */
static bool read_source(bmf_rewriter *rewriter, const bmf_expression *part, bmf_stream_head *head,
                        bmf_expression **element)
{
    stream s;
    *element = NULL;
    if (!is_placed_list(part->out))
        return false;
    if (part->kind == BMF_EXPRESSION_STREAM) {
        read_stream(rewriter, part, &s);
        *head = s.head;
        *element = s.element;
        return s.head != BMF_HEAD_LIST && s.tail == BMF_TAIL_LIST;
    }
    *head = part->kind == BMF_EXPRESSION_OP ? operation_descriptor(part->operation)->head : form_of(part)->head;
    if (*head == BMF_HEAD_LIST)
        return false;
    *element = part->children > 0 ? part->child[0] : rewriter_identity(rewriter, part->span, part->out->component[0]);
    return is_scalar_expression(*element);
}

static bmf_expression *lone_zip(bmf_rewriter *rewriter, const bmf_expression *zip, int *used)
{
    stream s = {.in = zip->in, .out = zip->out};
    if (zip->kind != BMF_EXPRESSION_ZIP || !read_source(rewriter, zip, &s.head, &s.element) || is_structural(s.element))
        return NULL;
    *used = 1;
    return build(rewriter, zip->span, &s);
}

bmf_expression *law_source_fusion(bmf_rewriter *rewriter, int parts, bmf_expression *const *part, int *used)
{
    stream s;
    bmf_stream_head head;
    bmf_expression *element;
    if (part[0]->kind == BMF_EXPRESSION_ZIP)
        return lone_zip(rewriter, part[0], used);
    if (parts < 2 || !read_stream(rewriter, part[0], &s) || s.head != BMF_HEAD_LIST ||
        !read_source(rewriter, part[1], &head, &element))
        return NULL;
    if ((s.tail == BMF_TAIL_LIST && is_structural(s.element) && is_structural(element)) ||
        !retype_default(rewriter, &s, part[1]->in))
        return NULL;
    s.head = head;
    s.in = part[1]->in;
    s.element = rewriter_compose(rewriter, s.element, element);
    *used = 2;
    return build(rewriter, part[0]->span, &s);
}

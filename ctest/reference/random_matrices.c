/* Random programs: transposes and products of matrices, slices, and arrays in blocks. */
#include "ctest/reference/random_maker.h"

/* Rows of this many elements, one for every element of a list that is there. */
static expression rows_of(random_maker *g, type in, type element, int length, int depth)
{
    expression part[MAX_PARTS + 1];
    type each = random_element_type(g, in);
    for (int k = 0; k < length; k++)
        part[k] = random_inner(g, each, element, depth - 2);
    expression row = node(g, BMF_EXPRESSION_ALLVEC, length, part);
    return compose(g, NODE(g, BMF_EXPRESSION_MAP, row), random_expression(g, in, bmf_type_list(each), depth - 1));
}

/* So many rows of so many elements. */
static expression matrix_of(random_maker *g, type in, type element, int rows, int columns, int depth)
{
    expression row[MAX_PARTS + 1], part[MAX_PARTS + 1];
    for (int i = 0; i < rows; i++) {
        for (int k = 0; k < columns; k++)
            part[k] = random_expression(g, in, element, depth - 2);
        row[i] = node(g, BMF_EXPRESSION_ALLVEC, columns, part);
    }
    return node(g, BMF_EXPRESSION_ALLVEC, rows, row);
}

static int some_length(random_maker *g)
{
    return chance(g, 12) ? 0 : 1 + (int)test_below(&g->random, MAX_PARTS);
}

expression random_rows(random_maker *g, type in, type element, int depth)
{
    return chance(g, 12) ? random_expression(g, in, bmf_type_list(bmf_type_list(element)), depth - 1)
                         : rows_of(g, in, element, some_length(g), depth);
}

expression random_planes(random_maker *g, type in, type element, int depth)
{
    expression row[MAX_PARTS + 1], part[MAX_PARTS + 1];
    const int rows = some_length(g), columns = some_length(g);
    type each = random_element_type(g, in);
    if (chance(g, 12))
        return random_expression(g, in, bmf_type_list(bmf_type_list(bmf_type_list(element))), depth - 1);
    for (int i = 0; i < rows; i++) {
        for (int k = 0; k < columns; k++)
            part[k] = random_inner(g, each, element, depth - 2);
        row[i] = node(g, BMF_EXPRESSION_ALLVEC, columns, part);
    }
    expression plane = node(g, BMF_EXPRESSION_ALLVEC, rows, row);
    return compose(g, NODE(g, BMF_EXPRESSION_MAP, plane), random_expression(g, in, bmf_type_list(each), depth - 1));
}

expression random_matrix(random_maker *g, type in, type out, int depth)
{
    if (out->kind != BMF_LIST || out->component[0]->kind != BMF_LIST)
        return NULL;
    type element = out->component[0]->component[0];
    if ((element->kind != BMF_INT && element->kind != BMF_REAL) || chance(g, 2)) {
        return compose(g, operation(g, BMF_OPERATION_TRANSPOSE), random_rows(g, in, element, depth));
    }
    const int inner = some_length(g), rows = chance(g, 12) ? some_length(g) : inner;
    type other = element->kind == BMF_REAL && chance(g, 4) ? &bmf_type_int : element;
    expression a = rows_of(g, in, other, inner, depth);
    expression b = matrix_of(g, in, element, rows, some_length(g), depth);
    return compose(g, operation(g, BMF_OPERATION_MATMUL), pair(g, a, b));
}

/* {list, n} -> {list, from, to}, mostly in the list. */
static expression slice_places(random_maker *g)
{
    expression size = compose(g, operation(g, BMF_OPERATION_LENGTH), component(g, 1, 2));
    expression more =
        compose(g, operation(g, BMF_OPERATION_PLUS), pair(g, size, constant_int(g, chance(g, 12) ? 2 : 1)));
    expression to = wrap(g, component(g, 2, 2), more);
    expression behind = compose(g, operation(g, BMF_OPERATION_PLUS), pair(g, component(g, 3, 3), constant_int(g, 1)));
    expression from = wrap(g, component(g, 2, 3), behind);
    expression ends = NODE(g, BMF_EXPRESSION_ALLTUP, component(g, 1, 2), component(g, 2, 2), to);
    expression places = NODE(g, BMF_EXPRESSION_ALLTUP, component(g, 1, 3), from, component(g, 3, 3));
    return compose(g, places, ends);
}

expression random_slice(random_maker *g, type in, type out, int depth)
{
    if (out->kind != BMF_LIST)
        return NULL;
    expression number = random_expression(g, in, &bmf_type_int, depth - 2);
    expression both = pair(g, random_expression(g, in, out, depth - 1), number);
    return compose(g, operation(g, BMF_OPERATION_SLICE), compose(g, slice_places(g), both));
}

/* ---- grids ---- */

static expression grid_form(random_maker *g, bmf_expression_kind kind, const expression like)
{
    expression made = node(g, kind, 0, NULL);
    made->parallel = like ? like->parallel : g->splits < MAX_SPLITS && !chance(g, 3);
    made->numbers = like ? like->numbers : 2;
    for (int d = 0; d < BMF_NUMBERS; d++)
        made->number[d] = like ? like->number[d] : 1 + test_below(&g->random, 3);
    return made;
}

/* f of every element of so many levels of lists. */
static expression inside_of(random_maker *g, expression f, int levels)
{
    for (; levels > 0; levels--)
        f = NODE(g, BMF_EXPRESSION_MAP, f);
    return f;
}

/* What is done to every block: something to its elements, or now and then anything. */
static expression block_stage(random_maker *g, int dimensions, type from, type element, type block, int depth)
{
    expression stage;
    g->splits++;
    if (from == element && chance(g, 8)) {
        g->inside++;
        stage = random_expression(g, block, block, depth - 2);
        g->inside--;
    } else {
        stage = inside_of(g, random_inner(g, from, element, depth - 2), dimensions);
    }
    g->splits--;
    return written(g, NODE(g, BMF_EXPRESSION_MAP, stage));
}

/* Rows in parts, transposed and joined. */
static expression turned_rows(random_maker *g, type in, type element, int depth)
{
    expression turn = written(g, operation(g, BMF_OPERATION_TRANSPOSE));
    expression split = split_over(g, 1 + test_below(&g->random, 4), test_below(&g->random, 2));
    expression join = written(g, NODE(g, BMF_EXPRESSION_REDUCE, operation(g, BMF_OPERATION_CONC)));
    return compose(g, join, compose(g, turn, compose(g, split, random_rows(g, in, element, depth))));
}

/* Blocks that are turned, or moved to another grid. */
static expression moved_blocks(random_maker *g, expression blocks, int dimensions, bool *same_grid)
{
    *same_grid = false;
    if (chance(g, 2))
        return compose(g, written(g, operation(g, BMF_OPERATION_TRANSPOSE)), blocks);
    expression again = grid_form(g, BMF_EXPRESSION_BLOCKS, NULL);
    again->parallel = true;
    again->numbers = dimensions;
    return compose(g, again, blocks);
}

/* Cut into blocks, worked on, and joined. */
expression random_blocks(random_maker *g, type in, type out, int depth)
{
    if (out->kind != BMF_LIST || out->component[0]->kind != BMF_LIST)
        return NULL;
    const bool cube = out->component[0]->component[0]->kind == BMF_LIST && chance(g, 2);
    type element = out->component[0]->component[0];
    if (g->inside == 0 && g->splits < MAX_SPLITS && chance(g, 3))
        return turned_rows(g, in, element, depth);
    if (cube)
        element = element->component[0];
    expression cut = grid_form(g, BMF_EXPRESSION_BLOCKS, NULL);
    cut->numbers = cube ? 3 : 2;
    expression join = grid_form(g, BMF_EXPRESSION_JOIN, cut);
    if (cut->parallel && chance(g, 2))
        join->numbers = 0;
    type from = chance(g, 2) ? element : random_element_type(g, in);
    expression rows = random_rows(g, in, from, depth);
    type rows_type = bmf_type_list(bmf_type_list(from));
    if (cube) {
        rows = compose(g, NODE(g, BMF_EXPRESSION_MAP, NODE(g, BMF_EXPRESSION_ALLVEC, identity(g), identity(g))), rows);
        rows_type = bmf_type_list(rows_type);
    }
    expression stage = block_stage(g, cut->numbers, from, element, rows_type, depth);
    expression blocks = compose(g, stage, compose(g, cut, rows));
    bool same_grid = true;
    if (cut->parallel && g->inside == 0 && chance(g, 2))
        blocks = moved_blocks(g, blocks, cut->numbers, &same_grid);
    if (!same_grid)
        join->numbers = 0;
    return compose(g, join, blocks);
}

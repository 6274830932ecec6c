/* Streams against a reference that recurses by the definition of the fixed tree.
 *
 * Method: random batches of lists (packed, views that overlap, one list for all instances; empty, short and long ones
 * mixed) under every head and tail, with operators that are recognised and operators that are composed, on one to four
 * threads. Results have to be the same to the last bit. */
#include "ctest/support/streams.h"

/* ---- the reference ---- */

static cell node(operator_function *op, const cell *x, int64_t count)
{
    if (count == 1)
        return x[0];
    cell a = node(op, x, count / 2), b = node(op, x + count / 2, count / 2);
    return op(&a, &b);
}

/* The nodes of the binary digits of count, from the left. */
static cell fold(operator_function *op, const cell *x, int64_t count)
{
    cell total = {0};
    int64_t done = 0;
    for (int64_t digit = INT64_C(1) << 40; digit > 0; digit /= 2)
        if (count & digit) {
            cell here = node(op, x + done, digit);
            total = done > 0 ? op(&total, &here) : here;
            done += digit;
        }
    return total;
}

#define REAL_OPERATOR(name, expression)                                                                                \
    static cell name(const cell *p, const cell *q)                                                                     \
    {                                                                                                                  \
        double a = real_of(p->leaf[0]), b = real_of(q->leaf[0]);                                                       \
        return (cell){{bits_of(expression)}};                                                                          \
    }
#define INT_OPERATOR(name, expression)                                                                                 \
    static cell name(const cell *p, const cell *q)                                                                     \
    {                                                                                                                  \
        int64_t a = p->leaf[0], b = q->leaf[0];                                                                        \
        return (cell){{expression}};                                                                                   \
    }

REAL_OPERATOR(plus_real, a + b)
REAL_OPERATOR(times_real, a *b)
REAL_OPERATOR(max_real, fmax(a, b))
REAL_OPERATOR(min_real, fmin(a, b))
INT_OPERATOR(plus_int, a + b)
INT_OPERATOR(max_int, a > b ? a : b)
INT_OPERATOR(min_int, a < b ? a : b)
INT_OPERATOR(and_bool, a &b)
INT_OPERATOR(or_bool, a | b)
INT_OPERATOR(first_int, ((void)b, a))

/* x -> a x + b as {a, b}: the second after the first. Associative but for rounding, and does not commute. */
static cell affine(const cell *p, const cell *q)
{
    double a = real_of(p->leaf[0]), b = real_of(p->leaf[1]), c = real_of(q->leaf[0]), d = real_of(q->leaf[1]);
    return (cell){{bits_of(a * c), bits_of(b * c + d)}};
}
#define AFFINE                                                                                                         \
    "B_Alltup [B_Op (B_Times) . B_Alltup [$a, $c], B_Op (B_Plus) . B_Alltup [B_Op (B_Times) . B_Alltup [$b, $c], $d]]"
#define AFFINE_NAMES                                                                                                   \
    "$a = B_Addr (B_Num 1) (B_Num 2) . B_Addr (B_Num 1) (B_Num 2) "                                                    \
    "$b = B_Addr (B_Num 2) (B_Num 2) . B_Addr (B_Num 1) (B_Num 2) "                                                    \
    "$c = B_Addr (B_Num 1) (B_Num 2) . B_Addr (B_Num 2) (B_Num 2) "                                                    \
    "$d = B_Addr (B_Num 2) (B_Num 2) . B_Addr (B_Num 2) (B_Num 2) "

/* The larger int with its real: associative, exact, composed. */
static cell larger(const cell *p, const cell *q)
{
    return p->leaf[0] >= q->leaf[0] ? *p : *q;
}
#define LARGER "B_If (B_Op (B_Ge) . B_Alltup [$a, $c]) (B_Addr (B_Num 1) (B_Num 2)) (B_Addr (B_Num 2) (B_Num 2))"

/* ---- elements of the heads ---- */

static cell itself(const cell *x)
{
    return *x;
}
static cell square_real(const cell *x)
{
    return (cell){{bits_of(real_of(x->leaf[0]) * real_of(x->leaf[0]))}};
}
static cell three_operations(const cell *x)
{
    return (cell){{bits_of(fabs(real_of(x->leaf[0]) * 2.0 + 1.0))}};
}
static cell product_real(const cell *x)
{
    return (cell){{bits_of(real_of(x->leaf[0]) * real_of(x->leaf[1]))}};
}
static cell sum_int(const cell *x)
{
    return (cell){{x->leaf[0] + x->leaf[1]}};
}
static cell swapped(const cell *x)
{
    return (cell){{x->leaf[1], x->leaf[0]}};
}
static cell is_even(const cell *x)
{
    return (cell){{x->leaf[0] % 2 == 0}};
}
static cell seven(const cell *x)
{
    (void)x;
    return (cell){{7}};
}
static cell is_positive_real(const cell *x)
{
    return (cell){{real_of(x->leaf[0]) > 0}};
}
static cell is_positive_int(const cell *x)
{
    return (cell){{x->leaf[0] > 0}};
}

#define EVEN "B_Op (B_Eq) . B_Alltup [B_Op (B_Mod) . B_Alltup [B_Id, B_Con (B_Int 2)], B_Con (B_Int 0)]"
/* ---- one stream, and its reference ---- */

static void copy_context(lists *to, int64_t i, const lists *a, const cell *x, const lists *b)
{
    for (int64_t j = 0; j < to->length[i]; j++) {
        cell *c = &to->element[to->begin[i] + j];
        if (x)
            *c = *x;
        else
            *c = a->element[a->begin[i] + j];
        if (b)
            c->leaf[1] = b->element[b->begin[i] + j].leaf[0];
    }
}

static void room_for(lists *l, int64_t instances, const int64_t *length)
{
    uint64_t unused = 0;
    int64_t count = lay_out(PACKED, instances, length, 0, &unused, l);
    l->element = allocate_clear(count + 1, (int64_t)sizeof *l->element);
}

static void make_batch(world *w, const head_case *h, const sizes *size, uint64_t *state, batch *b)
{
    const list_shape shape = size->shape;
    const int64_t instances = size->instances, longest = size->longest;
    lists first = {0}, second = {0};
    bmf_value one, two;
    *b = (batch){.element = h->first};
    if (h->head == BMF_HEAD_LIST) {
        make_lists(w, shape, h->first, instances, size->length, longest, state, &first, &b->value);
        room_for(&b->elements, instances, first.length);
    } else if (h->head == BMF_HEAD_ZIP) {
        make_lists(w, shape, h->first, instances, size->length, longest, state, &first, &one);
        make_lists(w, shape == SHARED ? VIEWS : PACKED, h->second, instances, first.length, longest, state, &second,
                   &two);
        room_for(&b->elements, instances, first.length);
        make_pair(&one, &two, &b->value);
    } else {
        make_lists(w, shape, h->first, instances, size->length, longest, state, &second, &two);
        room_for(&b->elements, instances, second.length);
        assert_int_equal(value_create(&w->ctx, h->second ? h->second : &bmf_type_int, instances, &one), BMF_OK);
        if (h->head == BMF_HEAD_DISTL)
            make_pair(&one, &two, &b->value);
        else
            value_free(&two), b->value = one;
    }
    for (int64_t i = 0; i < instances; i++) {
        cell x = h->second ? random_cell(h->second, state) : (cell){{b->elements.length[i]}};
        if (h->head == BMF_HEAD_DISTL || h->head == BMF_HEAD_IOTA)
            put_cell(h->head == BMF_HEAD_DISTL ? &b->value.child[0] : &b->value, i, &x);
        copy_context(&b->elements, i, &first,
                     h->head == BMF_HEAD_DISTL  ? &x
                     : h->head == BMF_HEAD_IOTA ? &x
                                                : NULL,
                     second.element && h->head != BMF_HEAD_IOTA ? &second : NULL);
        for (int64_t j = 0; h->head == BMF_HEAD_IOTA && j < b->elements.length[i]; j++)
            b->elements.element[b->elements.begin[i] + j] = (cell){{j}};
    }
    if (h->head == BMF_HEAD_ZIP)
        b->element = bmf_type_pair(h->first, h->second);
    if (h->head == BMF_HEAD_DISTL)
        b->element = bmf_type_pair(h->second, h->first);
    if (h->head == BMF_HEAD_IOTA)
        b->element = &bmf_type_int;
    b->in = b->value.type;
    free_lists(&first);
    free_lists(&second);
}

static bool same_cell(const bmf_type *type, const cell *a, const cell *b)
{
    const bmf_type *leaf[BMF_MAX_LEAVES];
    int leaves = leaves_of(type, leaf);
    return memcmp(a->leaf, b->leaf, (size_t)leaves * sizeof a->leaf[0]) == 0;
}

static void expect_cell(const bmf_type *type, const cell *got, const cell *expected, int64_t instance, int64_t element,
                        const char *what)
{
    if (!same_cell(type, got, expected))
        fail_msg("%s: instance %lld, element %lld: %lld, %lld instead of %lld, %lld", what, (long long)instance,
                 (long long)element, (long long)got->leaf[0], (long long)got->leaf[1], (long long)expected->leaf[0],
                 (long long)expected->leaf[1]);
}

/* All of a short list, and of a long one some elements behind: the reference takes as long as the list for each. */
static int64_t next_checked(int64_t j, int64_t length)
{
    const int64_t last = length - 3, next = j + 211 < last ? j + 211 : last;
    return j < 100 || j >= last ? j + 1 : next;
}

static void expect_list(const bmf_value *out, int64_t i, const cell *expected, int64_t length, bool some,
                        const char *what)
{
    if (value_length(out, i) != length)
        fail_msg("%s: instance %lld has %lld elements instead of %lld", what, (long long)i,
                 (long long)value_length(out, i), (long long)length);
    for (int64_t j = 0; j < length; j = some ? next_checked(j, length) : j + 1) {
        cell got = get_cell(out->child, out->begin[i * out->step] + j);
        expect_cell(out->type->component[0], &got, &expected[j], i, j, what);
    }
}

/* What instance i must give, from its elements x. */
static void expect_context(const bmf_value *out, int64_t i, bmf_stream_tail tail, const end_case *e, cell *x, int64_t n,
                           const char *what)
{
    cell *y = allocate((n + 1) * (int64_t)sizeof *y), got;
    int64_t kept = 0;
    bool begins = tail != BMF_TAIL_LIST && e->otherwise[0];
    switch (tail) {
    case BMF_TAIL_LIST:
        expect_list(out, i, x, n, false, what);
        break;
    case BMF_TAIL_REDUCE:
        y[0] = n == 0 ? e->initial : fold(e->op, x, n);
        if (begins && n > 0)
            y[0] = e->op(&e->initial, &y[0]);
        got = get_cell(out, i);
        expect_cell(out->type, &got, &y[0], i, 0, what);
        break;
    case BMF_TAIL_SCAN:
        for (int64_t j = 0; j < n; j = next_checked(j, n)) {
            y[j] = fold(e->op, x, j + 1);
            if (begins)
                y[j] = e->op(&e->initial, &y[j]);
        }
        expect_list(out, i, y, n, true, what);
        break;
    default:
        for (int64_t j = 0; j < n; j++)
            if (e->predicate(&x[j]).leaf[0])
                y[kept++] = x[j];
        got = (cell){{kept}};
        if (tail == BMF_TAIL_COUNT)
            assert_int_equal(get_cell(out, i).leaf[0], got.leaf[0]);
        else
            expect_list(out, i, y, kept, false, what);
    }
    free(y);
}

static void try_stream(const head_case *h, bmf_stream_tail tail, const end_case *e, const sizes *size, uint64_t seed)
{
    /* alone, and with two, three or four */
    const int other = 2 + (int)(seed % (MAX_THREADS - 1));
    for (int threads = 1; threads <= other; threads += other - 1) {
        uint64_t state = seed;
        world w;
        batch b;
        bmf_value out;
        char what[300];
        open_world(&w, threads, size->instances);
        make_batch(&w, h, size, &state, &b);
        bmf_expression *stream = make_stream(&w, h, &b, tail, e);
        snprintf(what, sizeof what, "head %d tail %d shape %d, %d threads, seed %llu: %s / %s", (int)h->head, (int)tail,
                 (int)size->shape, threads, (unsigned long long)seed, h->element, e ? e->text : "");
        lists *l = &b.elements;
        bool no_default = tail == BMF_TAIL_REDUCE && !e->otherwise[0];
        bool empty = false;
        for (int64_t i = 0; i < l->instances; i++)
            empty = empty || l->length[i] == 0;
        int status = evaluate_stream(&w.evaluator, stream, &w.instances, &b.value, &out);
        if (no_default && empty) {
            assert_int_not_equal(status, BMF_OK);
        } else {
            if (status != BMF_OK)
                fail_msg("%s: %s", what, w.ctx.message);
            assert_int_equal(out.count, size->instances);
            assert_null(value_broken(&out));
            for (int64_t i = 0; i < l->instances; i++) {
                cell *x = &l->element[l->begin[i]];
                for (int64_t j = 0; j < l->length[i]; j++)
                    x[j] = h->function(&x[j]);
                expect_context(&out, i, tail, e, x, l->length[i], what);
            }
            value_free(&out);
        }
        free_lists(l);
        close_world(&w);
    }
}

/* ---- the tables ---- */

/* Groups of blocks are taken from 32768 elements on. */
static const int64_t long_lengths[] = {70001, 40, 33000, 65536, 1};

static const sizes all_sizes[] = {{1, 9000, PACKED, NULL},  {1, 40, SHARED, NULL},   {60, 300, PACKED, NULL},
                                  {40, 3000, PACKED, NULL}, {25, 5000, VIEWS, NULL}, {30, 700, SHARED, NULL},
                                  {3, 1, PACKED, NULL},     {300, 9, PACKED, NULL},  {300, 9, VIEWS, NULL},
                                  {5, 20000, PACKED, NULL}};
enum { ALL_SIZES = sizeof all_sizes / sizeof all_sizes[0] };

static const end_case real_ends[] = {
    {"B_Op (B_Plus)", plus_real, NULL, "", {{0}}},
    {"B_Op (B_Plus)", plus_real, NULL, "B_Con (B_Real 0.5)", {{0x3fe0000000000000}}},
    {"B_Op (B_Times)", times_real, NULL, "B_Con (B_Real 2)", {{0x4000000000000000}}},
    {"B_Op (B_Max)", max_real, NULL, "B_Con (B_Real 0.5)", {{0x3fe0000000000000}}},
    {"B_Op (B_Min)", min_real, NULL, "", {{0}}},
    /* the same sum, but composed */
    {"B_Op (B_Plus) . B_Alltup [B_Addr (B_Num 1) (B_Num 2), B_Addr (B_Num 2) (B_Num 2)]",
     plus_real,
     NULL,
     "B_Con (B_Real 0.5)",
     {{0x3fe0000000000000}}},
    {"B_Op (B_Plus) . B_Alltup [B_Op (B_Abs) . B_Op (B_Abs) . B_Addr (B_Num 1) (B_Num 2), B_Op (B_Abs) . B_Addr (B_Num "
     "2) (B_Num 2)]",
     NULL,
     NULL,
     "",
     {{0}}},
};

/* The last of the table. */
REAL_OPERATOR(plus_absolute, fabs(a) + fabs(b))

static const end_case int_ends[] = {
    {"B_Op (B_Plus)", plus_int, NULL, "B_Con (B_Int 5)", {{5}}},     {"B_Op (B_Plus)", plus_int, NULL, "", {{0}}},
    {"B_Op (B_Max)", max_int, NULL, "B_Con (B_Int -900)", {{-900}}}, {"B_Op (B_Min)", min_int, NULL, "", {{0}}},
    {"B_Addr (B_Num 1) (B_Num 2)", first_int, NULL, "", {{0}}},
};
static const end_case bool_ends[] = {
    {"B_Op (B_And)", and_bool, NULL, "B_Con (B_True)", {{1}}},
    {"B_Op (B_Or)", or_bool, NULL, "B_Con (B_False)", {{0}}},
};
static const end_case filter_ends[] = {
    {"B_Op (B_Gt) . B_Alltup [B_Id, B_Con (B_Real 0)]", NULL, is_positive_real, "", {{0}}},
    {"B_Op (B_Gt) . B_Alltup [B_Id, B_Con (B_Int 0)]", NULL, is_positive_int, "", {{0}}},
};

static const head_case real_heads[] = {
    {BMF_HEAD_LIST, &bmf_type_real, NULL, "B_Id", itself},
    {BMF_HEAD_LIST, &bmf_type_real, NULL, "B_Op (B_Times) . B_Alltup [B_Id, B_Id]", square_real},
    {BMF_HEAD_LIST, &bmf_type_real, NULL, TWICE_AND_ONE, three_operations},
    {BMF_HEAD_ZIP, &bmf_type_real, &bmf_type_real, "B_Op (B_Times)", product_real},
};
static const head_case int_heads[] = {
    {BMF_HEAD_LIST, &bmf_type_int, NULL, "B_Id", itself},
    {BMF_HEAD_IOTA, &bmf_type_int, NULL, "B_Id", itself},
    {BMF_HEAD_DISTL, &bmf_type_int, &bmf_type_int, "B_Op (B_Plus)", sum_int},
    {BMF_HEAD_LIST, &bmf_type_int, NULL, "B_Con (B_Int 7)", seven},
};
static const head_case bool_heads[] = {
    {BMF_HEAD_LIST, &bmf_type_bool, NULL, "B_Id", itself},
    {BMF_HEAD_LIST, &bmf_type_int, NULL, EVEN, is_even},
};

#define LENGTH_OF(table) (sizeof table / sizeof table[0])

/* Under sanitizers a quarter of the tables, in which every head, end and size occurs. */
enum { ONE_OF = TEST_SANITIZED ? 4 : 1 };

static void try_table(const head_case *heads, size_t head_count, const end_case *ends, size_t end_count,
                      bmf_stream_tail tail)
{
    for (size_t h = 0; h < head_count; h++)
        for (size_t e = 0; e < end_count; e++)
            for (size_t s = (h + e) % ONE_OF; s < ALL_SIZES; s += ONE_OF) {
                end_case end = ends[e];
                if (!end.op && !end.predicate)
                    end.op = plus_absolute;
                try_stream(&heads[h], tail, &end, &all_sizes[s], 1000 * h + 100 * e + s);
            }
}

static void reductions_keep_the_tree(void **state)
{
    (void)state;
    try_table(real_heads, LENGTH_OF(real_heads), real_ends, LENGTH_OF(real_ends), BMF_TAIL_REDUCE);
    try_table(int_heads, LENGTH_OF(int_heads), int_ends, LENGTH_OF(int_ends), BMF_TAIL_REDUCE);
    try_table(bool_heads, LENGTH_OF(bool_heads), bool_ends, LENGTH_OF(bool_ends), BMF_TAIL_REDUCE);
}

static void long_lists_keep_the_tree(void **state)
{
    const sizes packed = {5, 0, PACKED, long_lengths}, views = {5, 0, VIEWS, long_lengths};
    (void)state;
    for (size_t h = 0; h < LENGTH_OF(real_heads); h++)
        for (size_t e = 0; e < 3; e++) {
            try_stream(&real_heads[h], BMF_TAIL_REDUCE, &real_ends[e], &packed, 10 * h + e);
            try_stream(&real_heads[h], BMF_TAIL_REDUCE, &real_ends[e], &views, 10 * h + e);
            try_stream(&real_heads[h], BMF_TAIL_SCAN, &real_ends[e], &packed, 10 * h + e);
        }
    try_stream(&int_heads[0], BMF_TAIL_REDUCE, &int_ends[0], &packed, 1);
}

static void scans_keep_the_tree(void **state)
{
    (void)state;
    try_table(real_heads, LENGTH_OF(real_heads), real_ends, LENGTH_OF(real_ends), BMF_TAIL_SCAN);
    try_table(int_heads, LENGTH_OF(int_heads), int_ends, LENGTH_OF(int_ends), BMF_TAIL_SCAN);
    try_table(bool_heads, LENGTH_OF(bool_heads), bool_ends, LENGTH_OF(bool_ends), BMF_TAIL_SCAN);
}

static void filters_keep_the_right_ones(void **state)
{
    (void)state;
    for (bmf_stream_tail tail = BMF_TAIL_FILTER; tail <= BMF_TAIL_COUNT; tail++) {
        try_table(real_heads, LENGTH_OF(real_heads), &filter_ends[0], 1, tail);
        try_table(int_heads, LENGTH_OF(int_heads), &filter_ends[1], 1, tail);
    }
}

static void lists_have_all_elements(void **state)
{
    const bmf_type *mixed = bmf_type_pair(&bmf_type_int, &bmf_type_real);
    const head_case more[] = {
        {BMF_HEAD_ZIP, &bmf_type_int, &bmf_type_bool, "B_Id", itself},
        {BMF_HEAD_ZIP, &bmf_type_real, &bmf_type_int,
         "B_Alltup [B_Addr (B_Num 2) (B_Num 2), B_Addr (B_Num 1) (B_Num 2)]", swapped},
        {BMF_HEAD_DISTL, &bmf_type_real, &bmf_type_bool, "B_Id", itself},
        {BMF_HEAD_LIST, mixed, NULL, "B_Alltup [B_Addr (B_Num 2) (B_Num 2), B_Addr (B_Num 1) (B_Num 2)]", swapped},
    };
    (void)state;
    for (size_t s = 0; s < ALL_SIZES; s++) {
        for (size_t h = 0; h < LENGTH_OF(real_heads); h++)
            try_stream(&real_heads[h], BMF_TAIL_LIST, NULL, &all_sizes[s], s);
        for (size_t h = 0; h < LENGTH_OF(int_heads); h++)
            try_stream(&int_heads[h], BMF_TAIL_LIST, NULL, &all_sizes[s], s);
        for (size_t h = 0; h < LENGTH_OF(more); h++)
            try_stream(&more[h], BMF_TAIL_LIST, NULL, &all_sizes[s], s);
    }
}

static void composed_operators_on_tuples(void **state)
{
    const bmf_type *reals = bmf_type_pair(&bmf_type_real, &bmf_type_real);
    const bmf_type *mixed = bmf_type_pair(&bmf_type_int, &bmf_type_real);
    const head_case heads[] = {{BMF_HEAD_LIST, reals, NULL, "B_Id", itself},
                               {BMF_HEAD_ZIP, &bmf_type_real, &bmf_type_real, "B_Id", itself}};
    const head_case mixed_head = {BMF_HEAD_LIST, mixed, NULL, "B_Id", itself};
    const end_case ends[] = {{AFFINE_NAMES AFFINE, affine, NULL, "", {{0}}},
                             {AFFINE_NAMES AFFINE,
                              affine,
                              NULL,
                              "B_Alltup [B_Con (B_Real 1), B_Con (B_Real 0)]",
                              {{0x3ff0000000000000, 0}}}};
    const end_case last = {AFFINE_NAMES LARGER, larger, NULL, "", {{0}}};
    (void)state;
    for (bmf_stream_tail tail = BMF_TAIL_REDUCE; tail <= BMF_TAIL_SCAN; tail++) {
        try_table(heads, 2, ends, 2, tail);
        try_table(&mixed_head, 1, &last, 1, tail);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists_have_all_elements),     cmocka_unit_test(reductions_keep_the_tree),
        cmocka_unit_test(long_lists_keep_the_tree),    cmocka_unit_test(scans_keep_the_tree),
        cmocka_unit_test(filters_keep_the_right_ones), cmocka_unit_test(composed_operators_on_tuples),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

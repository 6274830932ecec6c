/* What the files of parallelise.h share. Not for others. */
#ifndef BMF_LANGUAGE_SPLITTER_H
#define BMF_LANGUAGE_SPLITTER_H

#include "skeletons/language/laws/parallelise.h"
#include "skeletons/language/laws/rewriter.h"

typedef enum splitter_shape {
    SPLITTER_WHOLE, /* as in the serial program */
    SPLITTER_SPLIT, /* P[[a]] for [a] */
    SPLITTER_TUPLE  /* a tuple in which there are such */
} splitter_shape;

/* Lists of one partition have parts of the same lengths on the same processors. */
enum {
    SPLITTER_UNKNOWN = -1,  /* what choices and loops make: other parts than any other list */
    SPLITTER_EVEN = 0,      /* as P_Split makes them of a list of that length */
    SPLITTER_EVEN_ROWS = 1, /* as P_Split makes them for the rows of the grid */
    SPLITTER_OTHERS = 2     /* and on: others, in the order in which they are found */
};

/* What is known of a value. All zero: it is whole. */
typedef struct splitter_value splitter_value;
struct splitter_value {
    splitter_shape shape;
    int partition; /* SPLIT */
    uint64_t from; /* SPLIT: the points where it, and what it was zipped with, was split */
    bool copies;   /* WHOLE: of a list of pairs, each with the same list: split, every pair would take its copy along */
    bool ranged;   /* WHOLE: an int, or all ints of a list, are from `least` to `most` */
    int64_t least, most;
    bool counted; /* WHOLE: of a list of `length` elements */
    int64_t length;
    const bmf_expression *constant; /* WHOLE: what makes it, of anything; or NULL */
    int parts;                      /* TUPLE; WHOLE: of a tuple of which something is known, or 0 */
    const splitter_value *part;
};

typedef struct splitter {
    bmf_expressions *arena;
    bmf_splitting *splitting;
    int64_t processors; /* over which lists are split here: all, or the columns of the grid */
    uint64_t rows;      /* points whose lists are split over the rows of the grid */
    bool inside;        /* of a map: choices and loops there cannot have split lists */
    bool counts;        /* points only: nothing is split */
    int *partitions;    /* numbers given to partitions */
    int *exchanges;     /* places where elements move to another processor, or parts are combined */
} splitter;

/* ---- splitter_expression.c: expressions, not typed ---- */

bmf_expression *splitter_make(const splitter *s, bmf_expression_kind kind, bool parallel, int children);
bmf_expression *splitter_operation(const splitter *s, bmf_operation operation, bool parallel);
bmf_expression *splitter_int(const splitter *s, int64_t value);
/* f o g; g may be NULL, an identity. */
bmf_expression *splitter_compose(const splitter *s, bmf_expression *f, bmf_expression *g);
bmf_expression *splitter_parallel_map(const splitter *s, bmf_expression *of);
bmf_expression *splitter_map(const splitter *s, bmf_expression *of);
/* Component `which`, from 1, of a tuple. */
bmf_expression *splitter_component(const splitter *s, int64_t which, int64_t of);
/* Component `which` of component `pair` of a pair of pairs. */
bmf_expression *splitter_component_of(const splitter *s, int64_t which, int64_t pair);
bmf_expression *splitter_pair(const splitter *s, bmf_expression *first, bmf_expression *second);
bmf_expression *splitter_gather(const splitter *s);
/* As an even split list is made. */
bmf_expression *splitter_split(const splitter *s, const splitter_value *even);
/* reduce operation (otherwise); otherwise: NULL, or the default. */
bmf_expression *splitter_reduction(const splitter *s, bmf_expression *operation, bool parallel,
                                   bmf_expression *otherwise);
/* A copy without the checker's conversions, and without names. */
bmf_expression *splitter_plain(const splitter *s, const bmf_expression *expression);
/* The same of the first `parts` of a composition. */
bmf_expression *splitter_plain_parts(const splitter *s, int parts, bmf_expression *const *part);

/* ---- splitter_value.c ---- */

/* Split evenly; from: the points where. */
splitter_value splitter_even(const splitter *s, uint64_t from);
bool splitter_is_even(const splitter_value *of);
/* Two lists, one of which is on the rows of the grid, should both be. */
void splitter_note_alike(const splitter *s, const splitter_value *a, const splitter_value *b);
/* Of the same points as `of`, in other parts. */
splitter_value splitter_new_partition(const splitter *s, const splitter_value *of);
/* WHOLE if all parts are, which are kept for their ranges. The parts are copied. */
splitter_value splitter_tuple(const splitter *s, int parts, const splitter_value *part);
/* Component k, from 0. */
splitter_value splitter_part(const splitter_value *of, int k);
/* Gathers what is split, and nothing else. */
bmf_expression *splitter_make_whole(const splitter *s, const splitter_value *of);
/* Gathers what is split in `from` and whole in `to`, which is no more split than it. */
bmf_expression *splitter_make_like(const splitter *s, const splitter_value *from, const splitter_value *to);
/* What is split in both; of unknown partitions where they differ. Nothing else is known of it. */
splitter_value splitter_common(const splitter *s, const splitter_value *a, const splitter_value *b);
bool splitter_same(const splitter_value *a, const splitter_value *b);
/* Gives each unknown partition a number of its own. */
splitter_value splitter_number_partitions(const splitter *s, const splitter_value *of);

/* ---- splitter_identity.c ---- */

/* The identity of an operator that may be associated anew, as an expression of any argument; NULL: there is none that
 * is known. */
bmf_expression *splitter_identity(const splitter *s, const bmf_expression *operation);

/* ---- splitter_reduce.c ---- */

/* An operator that may be applied to the parts first. */
typedef struct splitter_operator {
    bmf_expression *operation; /* NULL: it may not; why has been noted */
    bmf_expression *identity;  /* what the reduction of a part begins with; NULL: it needs an element */
    bmf_expression *otherwise; /* what that of all parts begins with; or NULL */
} splitter_operator;

/* That of a reduction or a length of a split list; it is noted as used. */
splitter_operator splitter_operator_of(const splitter *s, const bmf_expression *reduction, const splitter_value *of);
/* reduce op of the parts' reductions, or a concatenation of lists in the parts; NULL: the list must be whole for it. */
bmf_expression *splitter_promote_reduction(const splitter *s, const bmf_expression *reduction, splitter_value *of);
/* B_Reduce_by_key of {n, P[[{key, value}]]} where n is known and small: the tables of the parts, combined; NULL: this
 * has other bits, or n is not known. */
bmf_expression *splitter_promote_tables(const splitter *s, const bmf_expression *by_key, const splitter_value *of);
/* The scans of the parts, each element behind the total of the parts before; NULL: the list must be whole for it. */
bmf_expression *splitter_promote_scan(const splitter *s, const bmf_expression *scan);

/* ---- splitter_lists.c: what is applied to split lists, and to tuples with them ---- */

/* Any part but a map. */
bmf_expression *splitter_on_list(const splitter *s, const bmf_expression *part, splitter_value *of);
bmf_expression *splitter_on_tuple(const splitter *s, const bmf_expression *part, splitter_value *of);

/* ---- splitter_range.c ---- */

/* What is known of the ints that a part of a composition, but for tuples, makes of such a value, if that is whole. */
splitter_value splitter_range_after(const bmf_expression *part, const splitter_value *of);
/* Of a value that is one or the other. */
splitter_value splitter_range_of_both(const splitter_value *a, const splitter_value *b);

/* ---- splitter_pick.c ---- */

/* B_Index, B_Project or B_Slice of {P[[a]], ..}, where only elements that may be taken are sent, and the lengths of the
 * parts if these are needed, which only `anywhere` allows. Outside of the list it fails as in the serial program. NULL:
 * there is no such law, or list. */
bmf_expression *splitter_promote_pick(const splitter *s, const bmf_expression *part, const splitter_value *of,
                                      bool anywhere);

/* ---- splitter_table.c ---- */

/* map f o distl of {x, [b]} with one split list in x: f of each b reduces the list, so every processor makes the table
 * of what all b make of its part, and the tables are combined element by element. NULL: f does something else. */
bmf_expression *splitter_promote_table(const splitter *s, const bmf_expression *map, const splitter_value *of);

/* ---- parallelise.c: the walk ---- */

bmf_expression *splitter_walk(const splitter *s, const bmf_expression *expression, splitter_value *of);

#endif

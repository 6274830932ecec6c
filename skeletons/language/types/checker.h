/* What the files of the type checker share. Not for others. */
#ifndef BMF_LANGUAGE_CHECKER_H
#define BMF_LANGUAGE_CHECKER_H

#include "skeletons/language/types/check.h"

/* Where a name is being replaced by its definition: for messages. */
typedef struct bmf_checker_use bmf_checker_use;
struct bmf_checker_use {
    const char *name;
    bmf_span span;
    const bmf_checker_use *outer;
};

typedef struct bmf_checker_memo bmf_checker_memo;

typedef struct bmf_checker {
    bmf_context *ctx;
    const bmf_texts *texts; /* NULL: no messages */
    bmf_expressions *arena;
    const bmf_library *library;
    const bmf_type_observer *observer; /* or NULL */
    bmf_checker_memo **memo;           /* per definition: what it became at which type */
    const bmf_checker_use *use;
    int depth;  /* of the tree, names replaced */
    int inside; /* maps and operators around this place */
    int status;
} bmf_checker;

/* The expression applied to `in`, typed; NULL after a failure. */
bmf_expression *checker_infer(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in);
/* The same, once per element of a list. */
bmf_expression *checker_infer_inside(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in);
/* The rules of some forms (forms/form.h); the others have theirs in their own files. */
bmf_expression *checker_name(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in);
bmf_expression *checker_composition(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in);
bmf_expression *checker_operation(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in);
/* Reductions and scans. */
bmf_expression *checker_fold(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in);
/* The type of operands at which operator and default, child[0] and child[1] if there is one, stay in it, if the
 * elements are of this one; fills in both, typed. The default is applied to what is given: a list is one of operands,
 * any other type stays. NULL after a message. */
const bmf_type *checker_operand(bmf_checker *checker, const bmf_expression *expression, const bmf_type *element,
                                const bmf_type *given, bmf_expression *typed[2]);
/* What the rewriter makes is typed when it is made: an internal error. */
bmf_expression *checker_made(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in);

/* ---- what rules share ---- */

#define BMF_NEEDS_PLACED_ELEMENTS "elements without distributed lists in them (reduce those first, with B_Map or P_Map)"

/* An operation that takes `takes` and makes `out`, behind a conversion from `in` if that is another type. */
bmf_expression *checker_operation_node(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in,
                                       const bmf_type *takes, const bmf_type *out);
/* As operations see types: nothing goes with everything, and its elements are nothing. */
bool checker_is_list(const bmf_type *type);
bool checker_is_pair(const bmf_type *type);
const bmf_type *checker_element(const bmf_type *list);

/* A tuple of 32 ints may become reals one by one; a type that widens longer grows for ever. */
enum { BMF_MAX_WIDENINGS = 2 * BMF_MAX_LEAVES };

/* The type both go with; NULL after a message: the parts of `what` have types without a common one. */
const bmf_type *checker_join(bmf_checker *checker, bmf_span span, const char *what, const bmf_type *a,
                             const bmf_type *b);
/* The elements of a list have no distributed lists in them; otherwise false, after a message. */
bool checker_placed_elements(bmf_checker *checker, const bmf_expression *expression, const bmf_type *list);
/* The list that `in` is, or that the parts of a distributed list are, of elements without distributed lists; nothing
 * goes for a list; NULL after a message. */
const bmf_type *checker_list_or_parts(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in);
/* A predicate on `in`, or on each element (inside): its result must be a bool. */
bmf_expression *checker_predicate(bmf_checker *checker, const bmf_expression *expression,
                                  const bmf_expression *predicate, const bmf_type *in, bool inside);
/* A function from each element to the key it is ordered by: an int, a real or a bool; NULL after a message. */
bmf_expression *checker_key(bmf_checker *checker, const bmf_expression *expression, const bmf_expression *function,
                            const bmf_type *element);
/* What stands beyond the ends of a list, made of the element that is there, or of {handed, element} (handed: or NULL):
 * the type of elements at which the function stays in it, and the function, typed and converted; NULL after a
 * message. */
const bmf_type *checker_beyond(bmf_checker *checker, const bmf_expression *expression, const bmf_expression *function,
                               const bmf_type *handed, const bmf_type *element, bmf_expression **typed);
/* Choices and loops on distributed lists are for the program's one instance; false after a message. */
bool checker_may_hold(bmf_checker *checker, const bmf_expression *expression, const bmf_type *type);

/* A list, placed or distributed. */
bool type_is_list(const bmf_type *type);
/* A list of `element`s, distributed if `like` is, on its grid if it has one. */
const bmf_type *type_list_like(const bmf_type *like, const bmf_type *element);
bool type_is_pair_with_distributed(const bmf_type *type, int component);
bool expression_takes_distributed(const bmf_expression *expression, const bmf_type *in);

/* The expression of {x, distributed list} behind a B_Distl, which sends x to all parts; typed, or NULL. */
bmf_expression *checker_hand_on(bmf_checker *checker, const bmf_expression *expression, const bmf_type *in);
/* The expression, a form whose function makes keys, of {x, list}; typed, or NULL. drop: from what it makes of the
 * elements' pairs {.., element} to what it makes of the elements. */
bmf_expression *checker_keyed_handed(bmf_checker *checker, const bmf_expression *expression, bmf_expression *drop,
                                     const bmf_type *in);
/* Expressions that stand for `by`, not yet typed: B_Op (B_Distl), which says whose names it hands on; link[0] . link[1]
 * ..; B_Map (function); B_Addr (B_Num k) (B_Num of); B_Alltup [first, second]. */
bmf_expression *checker_distl(bmf_checker *checker, const bmf_expression *by);
bmf_expression *checker_composed(bmf_checker *checker, const bmf_expression *by, int links,
                                 bmf_expression *const *link);
bmf_expression *checker_map_of(bmf_checker *checker, const bmf_expression *by, bmf_expression *function);
bmf_expression *checker_component_of(bmf_checker *checker, const bmf_expression *by, int k, int of);
bmf_expression *checker_pair_of(bmf_checker *checker, const bmf_expression *by, bmf_expression *first,
                                bmf_expression *second);

/* A copy of the node with other children, or NULL if one of them is NULL. */
bmf_expression *checker_node(bmf_checker *checker, const bmf_expression *expression, int children,
                             bmf_expression *const *child);
/* Fills in types and flags; checks that the result's type is not too large. */
bmf_expression *checker_finish(bmf_checker *checker, bmf_expression *node, const bmf_type *in, const bmf_type *out);
/* The expression, its result converted to a type it goes with. */
bmf_expression *checker_convert(bmf_checker *checker, bmf_expression *expression, const bmf_type *to);
/* A typed node behind a conversion of its argument from `in`. */
bmf_expression *checker_convert_argument(bmf_checker *checker, bmf_expression *node, const bmf_type *in);
/* Stores a message (unless the checker is silent) and returns NULL. */
bmf_expression *checker_fail(bmf_checker *checker, bmf_span span, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* NULL, after "B_Map needs .., found TYPE". */
bmf_expression *checker_needs(bmf_checker *checker, const bmf_expression *expression, const char *what,
                              const bmf_type *found);

/* The expression stands in a text of the notation, and messages are in its words. */
bool checker_in_notation(const bmf_checker *checker, const bmf_expression *expression);

/* A type as words of at most BMF_TYPE_WORDS - 1 bytes, cut with "..". */
enum { BMF_TYPE_WORDS = 120 };
char *checker_words(const bmf_type *type, char text[BMF_TYPE_WORDS]);
const char *checker_keyword(const bmf_expression *expression);

/* A distributed list is in the type. */
bool bmf_type_holds_distributed(const bmf_type *type);

/* The typed parts as one expression; parts[0] is applied last. Compositions among them are flattened unless that gets
 * long. */
bmf_expression *expression_compose(bmf_expressions *arena, bmf_span span, int parts, bmf_expression *const *part);
/* Sets types and flags of a node whose children are typed. */
void expression_set_types(bmf_expression *node, const bmf_type *in, const bmf_type *out);

#endif

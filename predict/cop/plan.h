/* Plans: which operators share a phase, how each is implemented, what ends a phase, and what all that is predicted to
 * take (document 004, chapters 5 and 6).
 *
 * Time is in cycles of the routers. A phase takes
 *
 *     T_io    = sum of operators: c L_tot (messages w / bandwidth + latency)                      (6.1)
 *     T_sched = L_ext (pause + B_r + t_sync), if another phase follows                            (6.2)
 *     T_load  = w_prog B_rbulk + l_rbulk + sum of operators: L_tot / block * w_reprog B_r         (6.3)
 *
 * with L_tot the passes of all loops around an operator, and L_ext those of the loops that the phase does not hold as a
 * whole. Deterministic. Not collective; needs no MPI. */
#ifndef BMF_COP_PLAN_H
#define BMF_COP_PLAN_H

#include "predict/cop/implement.h"
#include "predict/mesh/route_cache.h"

typedef enum bmf_cop_ending {
    BMF_COP_NO_ENDING, /* nothing follows */
    BMF_COP_MSG_SYNC,  /* messages are so long that whoever ended knows when the others' words have passed */
    BMF_COP_BARRIER_ENDING,
    BMF_COP_AT_ONCE /* no operator leaves words in a router */
} bmf_cop_ending;

/* Of a schedule, for each stream of a barrier between phases. */
enum { BMF_COP_BARRIER_SLOTS = 3 };

/* Constants of the cost model, in cycles. */
typedef struct bmf_cop_costs {
    double reprogram_word, sync, bulk_word, bulk_latency, interface_word;
} bmf_cop_costs;
extern const bmf_cop_costs cop_usual_costs;

/* An operator in a phase. */
typedef struct bmf_cop_use {
    const bmf_cop_operator *op;
    int candidate;      /* which of the operator's possible implementations */
    double bandwidth;   /* words a cycle of each of its streams */
    bool continues;     /* it began in an earlier phase */
    bool terminating;   /* this is its last phase */
    bool last;          /* it may be executed just before the phase ends */
    int64_t sync_words; /* of one more message before the phase ends by messages; 0: none is needed */
    bool made;          /* by the compiler: no operator of the program */
    double planned;     /* before routing */
    double share;       /* of links, beside other phases; 0: not known */
} bmf_cop_use;

typedef struct bmf_cop_phase {
    int64_t uses, capacity;
    bmf_cop_use *use;
    bmf_cop_ending ending;
    double pause; /* cycles that the ending takes */
    double io, schedule, load;
    double passes; /* L_ext */
    bool is_followed;
    int64_t streams;
    bmf_stream_routes *routes; /* NULL before routing */
    bool apart;                /* cop_route_to_run: no other phase uses a link in a slot in which it does */
} bmf_cop_phase;

typedef enum bmf_cop_phases_kind { BMF_COP_ONE_PHASE, BMF_COP_PSEQUENTIAL, BMF_COP_PDISJOINT } bmf_cop_phases_kind;

typedef struct bmf_cop_phases {
    bmf_cop_phases_kind kind;
    bmf_cop_phase phase; /* ONE_PHASE */
    int64_t children, capacity;
    struct bmf_cop_phases **child;
    double time;
} bmf_cop_phases;

/* Which operators scheduled routers may carry out by online routing: those without streams, any, or all. */
typedef enum bmf_cop_online_use {
    BMF_COP_ONLINE_IF_NEEDED,
    BMF_COP_ONLINE_TOO,
    BMF_COP_ONLINE_ONLY
} bmf_cop_online_use;

/* Whether a phase ends before an operator. */
typedef enum bmf_cop_break { BMF_COP_FREE = -1, BMF_COP_SAME_PHASE = 0, BMF_COP_NEXT_PHASE = 1 } bmf_cop_break;

typedef struct bmf_cop_plan_settings {
    bmf_scheduled_hardware hardware;
    bmf_cop_costs costs;
    int64_t effort;       /* nodes of the search */
    int64_t max_phases;   /* 0: any number */
    bool optionals_apart; /* for running: optional groups have phases of their own, and what goes on through several
                           * phases must be able to */
    bool in_one_phase;    /* what goes on through a sequence shares one phase with all of it */
    int online;           /* a bmf_cop_online_use */
    /* By number of the operator, whether a phase ends before it: BMF_COP_FREE, or what must be. NULL: all are free */
    const bmf_cop_break *breaks;
    bool by_messages; /* dynamic routers: implementations by messages only, and one phase */
    /* Of implementations, those that may be taken; NULL: all. */
    bool (*may_take)(const bmf_cop_implementation *implementation);
    bmf_route_cache *cache;                       /* NULL: schedules are not kept */
    const bmf_cop_implementation *const *plug_in; /* beside those of the table, NULL at the end; NULL: none */
} bmf_cop_plan_settings;

/* A possible implementation of an operator. */
typedef struct bmf_cop_candidate {
    const bmf_cop_implementation *implementation;
    bmf_cop_streams streams;
    bmf_cop_metric metric;
} bmf_cop_candidate;

typedef struct bmf_cop_candidates {
    int count;
    bmf_cop_candidate *candidate;
    int64_t loops;
    const bmf_cop_tree **loop; /* around the operator, outermost first */
    double passes;             /* L_tot */
} bmf_cop_candidates;

typedef struct bmf_cop_plan {
    const bmf_cop_program *program;
    bmf_cop_plan_settings settings;
    bmf_cop_candidates *candidates; /* by number of the operator */
    bmf_cop_phases *phases;
    int64_t decisions; /* of the search, from which the phases are built */
    uint8_t *decision;
    double time;
    bool optimal;         /* of all that the model knows */
    bool registers_apart; /* no two phases use a register for different streams; set by cop_route_to_run */
    int64_t made;         /* operators that routing made, barriers and networks; their numbers follow the program's */
    bmf_cop_operator **made_operator;
    int64_t searched;
} bmf_cop_plan;

/* Those of the table, then plug-ins; NULL behind the last. */
const bmf_cop_implementation *cop_implementation_at(const bmf_cop_plan_settings *settings, int number);
/* Whether the implementation is one of the operator on these routers, and the one that it names if it does. */
bool cop_is_rival(const bmf_cop_plan_settings *settings, const bmf_cop_implementation *implementation,
                  const bmf_cop_operator *op);

/* The best plan. forced: NULL, or by number of the operator the candidate that must be taken, -1 for any.
 * BMF_ERROR_FILE with the operator: no implementation can carry it out, or none fits. The caller frees. */
int cop_plan_make(const bmf_cop_program *program, const bmf_cop_plan_settings *settings, const int *forced,
                  bmf_cop_plan **plan);
void cop_plan_free(bmf_cop_plan *plan);

/* Finds the schedules of all phases (predict/mesh/streams.h), with wishes in proportion to the plan's bandwidths, and
 * puts what was found into the uses' bandwidths. */
int cop_route_plan(bmf_cop_plan *plan);
/* The same for running: phases use links in different slots, or end by barriers, whose streams become operators of all
 * the phase's nodes; registers are different in all phases. */
int cop_route_to_run(bmf_cop_plan *plan);
/* fallback.c: cop_plan_make, and cop_route_to_run or cop_route_plan; what does not fit otherwise is carried out by
 * online routing. Errors as theirs. */
int cop_plan_with_schedules(const bmf_cop_program *program, const bmf_cop_plan_settings *settings, bool to_run,
                            bmf_cop_plan **plan);
/* colour.c: at which address of its processor every node receives the messages of an operator's part, of
 * [operator][part][node]: parts are 0, the children to the left; 1, those to the right; 2, what comes down a tree or a
 * single message. 0: none. Messages that may wait at a node at the same time have different addresses (document 004,
 * 7.2). *most: how many a node needs. The caller frees. */
enum { BMF_COP_PARTS = 3, BMF_COP_LEFT = 0, BMF_COP_RIGHT = 1, BMF_COP_SINGLE = 2 };
uint8_t *cop_colour_addresses(const bmf_cop_plan *plan, int *most);

/* The phases in the order of the program, with those of disjoint threads one after the other. The caller frees. */
int64_t cop_list_phases(const bmf_cop_plan *plan, bmf_cop_phase ***list);
/* cache_map.c: the block of the routers' memories for every listed phase, from [1, blocks). The caller frees. */
int64_t *cop_map_phases(const bmf_cop_plan *plan, int blocks);
/* The streams of a phase in the order of its routes: use by use. *first: of each use, uses + 1 numbers. */
const bmf_cop_stream *cop_phase_stream(const bmf_cop_plan *plan, const bmf_cop_phase *phase, int64_t number,
                                       int64_t *use);

/* By number of the operator, from where they are decided: whether the plan has a phase that ends before it;
 * BMF_COP_FREE where nothing is decided. The caller frees. */
bmf_cop_break *cop_list_breaks(const bmf_cop_plan *plan);

const char *cop_ending_name(bmf_cop_ending ending);
/* `{A,B,F} pdisjoint({C;D}, {G}) {E,H} {I}`; returns text. */
char *cop_phases_text(const bmf_cop_phases *phases, char *text, size_t size);

/* ---- passes of the compiler ---- */

/* phases.c: carries out decisions, in the order of the program: which candidate an operator takes, whether a phase is
 * closed between two parts of a sequence. *choices: how many there are for the decision behind the last, 0: complete.
 * Phases inside a group that is not complete are left out. */
bmf_cop_phases *cop_build_phases(const bmf_cop_plan *plan, int64_t decisions, const uint8_t *decision,
                                 const bmf_cop_operator **wanted, int *choices);
void cop_phases_free(bmf_cop_phases *phases);

/* bandwidth.c: what all streams of the phase get, by nodes and cuts (6.2.6). Changes uses. Returns false if a node has
 * too few registers or slots. */
bool cop_estimate_bandwidths(const bmf_cop_plan *plan, bmf_cop_phase *phase);

/* route.c. routes is NULL afterwards if there are none. taken: as in bmf_stream_request. */
int cop_route_phase(const bmf_cop_plan *plan, bmf_cop_phase *phase, const bool *taken);
/* networks.c: the streams of a phase's online routing (online.h), as an operator that is made, if it has any. */
bool cop_needs_network(const bmf_cop_plan *plan, const bmf_cop_phase *phase);
void cop_add_network(bmf_cop_plan *plan, bmf_cop_phase *phase);
/* Marks its links, by node and port; returns how many were not marked before. */
int64_t cop_network_links(const bmf_cop_plan *plan, const bmf_cop_phase *phase, bool *link);
/* From what an implementation by messages costs on dynamic routers. */
void cop_online_metric(bmf_cop_metric *metric);
/* Operators that are made: at most so many in a phase; before the first one; adds one, which is the lisp's memory. */
enum { BMF_COP_MADE = 2 };
void cop_begin_made(bmf_cop_plan *plan, int64_t phases);
void cop_add_made(bmf_cop_plan *plan, bmf_cop_phase *phase, bmf_cop_operator *op,
                  const bmf_cop_implementation *implementation, double bandwidth);

/* passers.c: marks all nodes of the boxes of the operator's instances. */
void cop_mark_boxes(const bmf_mesh *mesh, const bmf_cop_operator *op, bool *marked);
/* Nodes that only pass words of the phase on; whether there are any. Whether they know when: BMF_ERROR_FILE. */
bool cop_find_passers(const bmf_cop_plan *plan, const bmf_cop_phase *phase, bool *passes);
int cop_check_passers(const bmf_cop_plan *plan, const bmf_cop_phase *phase, const bool *passes);

/* lasting.c: whether an operator is in several phases; whether its implementation can be, when programs run. */
bool cop_lasts(const bmf_cop_use *use);
bool cop_can_go_on(const bmf_cop_plan *plan, const bmf_cop_use *use);
/* The operator's use in a phase; NULL: none. */
const bmf_cop_use *cop_use_of(const bmf_cop_phase *phase, const bmf_cop_operator *op);
/* Where the streams of a use begin among those of its phase. */
int64_t cop_first_stream(const bmf_cop_plan *plan, const bmf_cop_phase *phase, const bmf_cop_use *use);
/* Of an operator that began in an earlier phase, its routes there; NULL: it begins here. */
const bmf_stream_route *cop_given_routes(const bmf_cop_plan *plan, const bmf_cop_phase *phase, const bmf_cop_use *use);
/* Gives what is in several phases the least of its bandwidths. */
void cop_level_lasting(bmf_cop_phase **phase, int64_t phases);
/* Half of that, down to a slot; false: it was no more. */
bool cop_slow_lasting(const bmf_cop_plan *plan, int64_t phases, bmf_cop_phase *const *phase);
/* BMF_ERROR_FILE with the operator: it cannot go on. */
int cop_check_lasting(const bmf_cop_plan *plan, bmf_cop_phase **phase, int64_t phases);
/* After routing: nobody is waited for at the end of a phase who may wait in what goes on. BMF_ERROR_FILE. */
int cop_check_ends(const bmf_cop_plan *plan, bmf_cop_phase *const *phase, int64_t phases);
/* An operator in several phases whose words routers of this one copy; NULL: none. A fork serves two slots, between
 * which a node must not go into the loader phase while words are under way. */
const bmf_cop_operator *cop_find_lasting_fork(const bmf_cop_plan *plan, const bmf_cop_phase *phase);

/* wires.c: barriers keep nodes from being in one of the phases while others are in the other. */
bool cop_are_apart_in_time(const bmf_cop_phase *a, const bmf_cop_phase *b);
int cop_fail_without_schedule(const bmf_cop_plan *plan, const bmf_cop_phase *phase);
void cop_separate_registers(bmf_cop_plan *plan, int64_t phases, bmf_cop_phase **phase);

/* barrier.c: flags of uses, the ending and its pause. */
void cop_choose_ending(const bmf_cop_plan *plan, bmf_cop_phase *phase);
/* Whether some operators may be left out. */
bool cop_has_optionals(const bmf_cop_tree *tree);
/* Of a phase that ends by messages, from its routes if it has them. */
void cop_set_sync_words(const bmf_cop_plan *plan, bmf_cop_phase *phase);
/* VFSMs of a use's longest stream, and the registers at its ends. */
double cop_stream_buffers(const bmf_cop_plan *plan, const bmf_cop_phase *phase, const bmf_cop_use *use);
/* Of a set of operators, by number, which may be executed last. */
void cop_find_last(const bmf_cop_tree *tree, const bool *present, bool *last);

/* cost.c */
typedef struct bmf_cop_cost_terms {
    double calls, words, messages, bandwidth, latency, interface;
} bmf_cop_cost_terms;
double cop_io_time(const bmf_cop_cost_terms *terms);
double cop_schedule_time(const bmf_cop_costs *costs, double passes, double pause, bool synchronises);
/* All phases; INFINITY if one does not fit. Fills in what the phases take. Not complete: without the end of the last
 * phase, which more operators may make cheaper. */
double cop_phases_time(const bmf_cop_plan *plan, bmf_cop_phases *phases, bool complete);

#endif

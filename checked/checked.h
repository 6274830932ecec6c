/* The checked interface: what BMF_DEBUG=1 looks for at every call of a public function (docs/checked.md).
 *
 * Method: as MPI's profiling interface does, by names. When the library is linked (cmake/BmfLibraries.cmake) a public
 * function bmf_x of the other modules is renamed to unchecked_bmf_x, and the bmf_x of checked/functions_*.c takes its
 * place. So only calls of programs are looked at, those of bmf itself are not, and no function has checks in its body.
 * The tables in functions_*.c have a line for every function that takes a pointer: its prototype, who may call it, and
 * what each argument is.
 * Cost: a load and a branch; with BMF_DEBUG=1 a search for each handle, and for a collective function two messages
 * between rank 0 and each other rank. */
#ifndef BMF_CHECKED_H
#define BMF_CHECKED_H

#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bmf/kernel.h"
#include "bmf/list.h"
#include "bmf/permute.h"
#include "bmf/trace.h"
#include "runtime/backend/backend.h"

/* BMF_DEBUG is set. */
extern __attribute__((visibility("hidden"))) bool checking;

/* Who calls a function. */
typedef enum bmf_manner {
    BMF_ANY_THREAD, /* and any rank: it only looks */
    BMF_OWN_THREAD, /* the thread that opened the context */
    BMF_COLLECTIVE  /* that thread of every rank, in the same order with the same arguments */
} bmf_manner;

typedef enum bmf_argument_kind {
    BMF_ARGUMENT_HANDLE,
    BMF_ARGUMENT_OUTPUT, /* the address of a handle, which the function makes */
    BMF_ARGUMENT_KERNEL,
    BMF_ARGUMENT_OPERATOR,
    BMF_ARGUMENT_TYPE,
    BMF_ARGUMENT_MATRIX,
    BMF_ARGUMENT_PERMUTATION,
    BMF_ARGUMENT_NUMBER, /* the same on every rank, in a range */
    BMF_ARGUMENT_INDEX,  /* of something that the first argument has */
    BMF_ARGUMENT_TEXT,   /* the same on every rank */
    BMF_ARGUMENT_RECORD, /* of the type before it, the same on every rank */
    BMF_ARGUMENT_MEMORY, /* any, but not NULL */
    BMF_ARGUMENT_ARRAY,  /* for all elements of the list that is the first argument */
    BMF_ARGUMENT_REGION  /* opens or closes so many of the context that is the first argument */
} bmf_argument_kind;

/* What an index counts, from 0. */
typedef enum bmf_index_kind {
    BMF_INDEX_LEAF,      /* of a list */
    BMF_INDEX_PART,      /* of a partition */
    BMF_INDEX_PART_END,  /* the same, and the number of parts */
    BMF_INDEX_ELEMENT,   /* of a partition */
    BMF_INDEX_PROCESSOR, /* of a context */
    BMF_INDEX_RANK_END,  /* of a context, and the number of ranks */
    BMF_INDEX_RUN        /* of a trace */
} bmf_index_kind;

/* What users hold by address. */
typedef enum bmf_handle_kind {
    BMF_HANDLE_CONTEXT,
    BMF_HANDLE_LIST,
    BMF_HANDLE_PARTITION,
    BMF_HANDLE_PLAN,
    BMF_HANDLE_TRACE
} bmf_handle_kind;

/* One argument of a call. */
typedef struct bmf_argument {
    bmf_argument_kind kind;
    const char *name;
    const void *pointer;
    bool optional; /* NULL is allowed */
    bool last_use; /* it may be of a machine that bmf_set_processors has changed: it is only freed */
    bmf_handle_kind handle;
    bmf_index_kind index;
    int64_t number, low, high;
} bmf_argument;

#define HANDLE_(argument_, handle_, ...)                                                                               \
    {                                                                                                                  \
        .kind = BMF_ARGUMENT_HANDLE, .name = #argument_, .pointer = (argument_), .handle = (handle_), __VA_ARGS__      \
    }
#define CONTEXT(ctx)          HANDLE_(ctx, BMF_HANDLE_CONTEXT, )
#define OPTIONAL_CONTEXT(ctx) HANDLE_(ctx, BMF_HANDLE_CONTEXT, .optional = true)
#define LAST_CONTEXT(ctx)     HANDLE_(ctx, BMF_HANDLE_CONTEXT, .optional = true, .last_use = true)
#define LIST(list)            HANDLE_(list, BMF_HANDLE_LIST, )
/* List k of an array of `count`. */
#define LIST_AT(lists, count_, k)                                                                                      \
    {                                                                                                                  \
        .kind = BMF_ARGUMENT_HANDLE, .name = #lists "[" #k "]",                                                        \
        .pointer = (lists) && (k) < (count_) ? (lists)[k] : NULL, .optional = (k) >= (count_),                         \
        .handle = BMF_HANDLE_LIST                                                                                      \
    }
#define LAST_LIST(list)               HANDLE_(list, BMF_HANDLE_LIST, .optional = true, .last_use = true)
#define PARTITION(partition)          HANDLE_(partition, BMF_HANDLE_PARTITION, )
#define OPTIONAL_PARTITION(partition) HANDLE_(partition, BMF_HANDLE_PARTITION, .optional = true)
#define LAST_PARTITION(partition)     HANDLE_(partition, BMF_HANDLE_PARTITION, .optional = true, .last_use = true)
#define PLAN(plan)                    HANDLE_(plan, BMF_HANDLE_PLAN, )
#define PLAN_AT(plan)                                                                                                  \
    {                                                                                                                  \
        .kind = BMF_ARGUMENT_HANDLE, .name = "*" #plan, .pointer = (plan) ? *(plan) : NULL, .handle = BMF_HANDLE_PLAN  \
    }
#define LAST_PLAN(plan)   HANDLE_(plan, BMF_HANDLE_PLAN, .optional = true, .last_use = true)
#define TRACE(trace)      HANDLE_(trace, BMF_HANDLE_TRACE, )
#define LAST_TRACE(trace) HANDLE_(trace, BMF_HANDLE_TRACE, .optional = true, .last_use = true)

#define OUTPUT_(argument_, handle_)                                                                                    \
    {                                                                                                                  \
        .kind = BMF_ARGUMENT_OUTPUT, .name = #argument_, .pointer = (argument_), .handle = (handle_)                   \
    }
#define NEW_CONTEXT(ctx)         OUTPUT_(ctx, BMF_HANDLE_CONTEXT)
#define NEW_LIST(list)           OUTPUT_(list, BMF_HANDLE_LIST)
#define NEW_PARTITION(partition) OUTPUT_(partition, BMF_HANDLE_PARTITION)
#define NEW_PLAN(plan)           OUTPUT_(plan, BMF_HANDLE_PLAN)
#define NEW_TRACE(trace)         OUTPUT_(trace, BMF_HANDLE_TRACE)

#define POINTER_(kind_, argument_, ...)                                                                                \
    {                                                                                                                  \
        .kind = (kind_), .name = #argument_, .pointer = (argument_), __VA_ARGS__                                       \
    }
#define KERNEL(kernel) POINTER_(BMF_ARGUMENT_KERNEL, kernel, )
/* The kernel in a struct of one more kind. */
#define KERNEL_OF(of)                                                                                                  \
    {                                                                                                                  \
        .kind = BMF_ARGUMENT_KERNEL, .name = #of, .pointer = (of) ? &(of)->kernel : NULL                               \
    }
#define OPERATOR(op) POINTER_(BMF_ARGUMENT_OPERATOR, op, )
/* Operator k of an array of `count`. */
#define OPERATOR_AT(ops, count_, k)                                                                                    \
    {                                                                                                                  \
        .kind = BMF_ARGUMENT_OPERATOR, .name = #ops "[" #k "]", .pointer = (ops) && (k) < (count_) ? (ops)[k] : NULL,  \
        .optional = (k) >= (count_)                                                                                    \
    }
#define TYPE(type)             POINTER_(BMF_ARGUMENT_TYPE, type, )
#define MATRIX(a)              POINTER_(BMF_ARGUMENT_MATRIX, a, )
#define PERMUTATION(p)         POINTER_(BMF_ARGUMENT_PERMUTATION, p, )
#define TEXT(text)             POINTER_(BMF_ARGUMENT_TEXT, text, )
#define OPTIONAL_TEXT(text)    POINTER_(BMF_ARGUMENT_TEXT, text, .optional = true)
#define RECORD(value)          POINTER_(BMF_ARGUMENT_RECORD, value, )
#define OPTIONAL_RECORD(value) POINTER_(BMF_ARGUMENT_RECORD, value, .optional = true)
#define MEMORY(memory)         POINTER_(BMF_ARGUMENT_MEMORY, memory, )
/* count elements: nothing is read if there are none. */
#define DATA(memory, count) POINTER_(BMF_ARGUMENT_MEMORY, memory, .optional = (count) <= 0)
#define ARRAY(memory)       POINTER_(BMF_ARGUMENT_ARRAY, memory, )
/* A function is no object: only whether there is one. */
#define FUNCTION(function)                                                                                             \
    {                                                                                                                  \
        .kind = BMF_ARGUMENT_MEMORY, .name = #function, .pointer = (function) ? "" : NULL                              \
    }
#define NUMBER(value) RANGE(value, INT64_MIN, INT64_MAX)
#define RANGE(value, low_, high_)                                                                                      \
    {                                                                                                                  \
        .kind = BMF_ARGUMENT_NUMBER, .name = #value, .number = (int64_t)(value), .low = (low_), .high = (high_)        \
    }
#define INDEX(value, index_)                                                                                           \
    {                                                                                                                  \
        .kind = BMF_ARGUMENT_INDEX, .name = #value, .number = (value), .index = (index_)                               \
    }
#define REGION(change)                                                                                                 \
    {                                                                                                                  \
        .kind = BMF_ARGUMENT_REGION, .name = "ctx", .number = (change)                                                 \
    }

/* A call while it is looked at. */
typedef struct bmf_checked_call bmf_checked_call;
struct bmf_checked_call {
    const char *function;
    bmf_manner manner;
    const bmf_argument *argument;
    int arguments;
    int64_t context;               /* number of the context it concerns, or -1 */
    const bmf_checked_call *outer; /* that it is made from inside of, by a kernel */
    char misuse[BMF_MESSAGE_SIZE]; /* what is wrong with it, or "" */
};

/* Before and after the function itself. Of functions that return a status: begin returns BMF_OK or why the function
 * must not be called, end returns `status`. */
int call_begin(bmf_checked_call *call);
int call_end(bmf_checked_call *call, int status);
/* Of all others: misuse ends the program with its line and exit code 2. */
void call_enter(bmf_checked_call *call);
void call_leave(bmf_checked_call *call);
/* The caller now has this partition. */
bmf_partition *call_give_partition(const bmf_checked_call *call, bmf_partition *partition);

#define CALL_(function_, manner_, ...)                                                                                 \
    const bmf_argument checked_argument_[] = {__VA_ARGS__};                                                            \
    bmf_checked_call call = {.function = (function_),                                                                  \
                             .manner = (manner_),                                                                      \
                             .argument = checked_argument_,                                                            \
                             .arguments = (int)(sizeof checked_argument_ / sizeof checked_argument_[0])}

/* Public function `name`, which calls its checked form only with BMF_DEBUG. */
#define FUNCTION_(type, name, parameters, arguments, ...)                                                              \
    type unchecked_##name parameters;                                                                                  \
    static __attribute__((noinline, cold)) type checked_##name parameters __VA_ARGS__ type name parameters             \
    {                                                                                                                  \
        return __builtin_expect(checking, 0) ? checked_##name arguments : unchecked_##name arguments;                  \
    }

/* One that returns a status: its name, parameters, arguments, who calls it, and what the arguments are. */
#define STATUS_FUNCTION(name, parameters, arguments, manner, ...)                                                      \
    FUNCTION_(int, name, parameters, arguments, {                                                                      \
        CALL_(#name, manner, __VA_ARGS__);                                                                             \
        const int status = call_begin(&call);                                                                          \
        return status == BMF_OK ? call_end(&call, unchecked_##name arguments) : status;                                \
    })

/* One that returns something else; `given` is what the caller gets for the `value`. */
#define HANDLE_FUNCTION(type, name, parameters, arguments, given, manner, ...)                                         \
    FUNCTION_(type, name, parameters, arguments, {                                                                     \
        CALL_(#name, manner, __VA_ARGS__);                                                                             \
        call_enter(&call);                                                                                             \
        type value = unchecked_##name arguments;                                                                       \
        call_leave(&call);                                                                                             \
        return given;                                                                                                  \
    })
#define VALUE_FUNCTION(type, name, parameters, arguments, manner, ...)                                                 \
    HANDLE_FUNCTION(type, name, parameters, arguments, value, manner, __VA_ARGS__)

/* One that returns nothing. */
#define VOID_FUNCTION(name, parameters, arguments, manner, ...)                                                        \
    void unchecked_##name parameters;                                                                                  \
    static __attribute__((noinline, cold)) void checked_##name parameters                                              \
    {                                                                                                                  \
        CALL_(#name, manner, __VA_ARGS__);                                                                             \
        call_enter(&call);                                                                                             \
        unchecked_##name arguments;                                                                                    \
        call_leave(&call);                                                                                             \
    }                                                                                                                  \
    void name parameters                                                                                               \
    {                                                                                                                  \
        if (__builtin_expect(checking, 0))                                                                             \
            checked_##name arguments;                                                                                  \
        else                                                                                                           \
            unchecked_##name arguments;                                                                                \
    }

#endif

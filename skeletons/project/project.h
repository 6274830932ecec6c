/* project's parts; private to skeletons.
 *
 * A *need* is what one piece of the index list needs from one part of xs. The needs of all pieces of one part of the
 * index list from one part of xs form a *run*: one request of element numbers, one answer of elements. An *asked* is
 * a request that came here. */
#ifndef BMF_PROJECT_H
#define BMF_PROJECT_H

#include "runtime/backend/backend.h"
#include "runtime/data/list.h"

typedef struct bmf_need {
    int64_t part, owner; /* parts of the index list and of xs */
    int64_t piece;
    int64_t count; /* elements */
    int64_t first; /* their place among all this host requests */
    int64_t next;  /* the same, while they are being walked */
    int64_t run;   /* or OWN: on the same processor, nothing is sent */
} bmf_need;

enum { BMF_OWN = -1 };

typedef struct bmf_run_of_needs {
    int64_t asker, owner; /* processors */
    int64_t first, count; /* among all this host requests */
    char *packed;         /* nested elements: the answer */
    const char *next;
} bmf_run_of_needs;

typedef struct bmf_asked {
    int64_t asker, owner; /* processors */
    int64_t first, count; /* among all this host answers */
    bmf_buffer *buffer;   /* owns index */
    int64_t *index;       /* count element numbers */
    char *packed;         /* nested elements: the answer, once it is packed */
    int64_t packed_bytes;
} bmf_asked;

typedef struct bmf_piece_needs {
    bmf_need *need;
    int64_t count, capacity;
    int64_t bad; /* position of the first index out of range, or -1 */
} bmf_piece_needs;

typedef struct bmf_project_call {
    bmf_context *ctx;
    const bmf_list *xs, *indices;
    bmf_piece *piece; /* of the index list */
    int64_t pieces;
    bmf_piece_needs *needs; /* by piece */
    bmf_buffer *slots;      /* owns slot */
    int32_t *slot;          /* by local position: which need of its piece */
    int32_t **known;        /* by worker and part of xs: the need in the current piece, or -1 */
    bmf_run_of_needs *run;  /* by asker, then owner */
    int64_t runs;
    int64_t requests;           /* elements requested from other processors */
    bmf_buffer *request_buffer; /* owns request */
    int64_t *request;           /* their numbers */
    bmf_asked *asked;           /* by owner, then asker, once all are here */
    int64_t askeds, asked_capacity;
    int64_t answers; /* elements other processors asked for */
} bmf_project_call;

/* True if the piece needs nothing from other processors. */
static inline bool project_all_own(const bmf_piece_needs *needs)
{
    return needs->count == 0 || (needs->count == 1 && needs->need[0].run == BMF_OWN);
}

/* Element number at a local position of the index list. */
static inline int64_t project_index(const bmf_project_call *call, int64_t position)
{
    const bmf_column *column = &call->indices->column;
    return *(const int64_t *)((const char *)column->data + position * column->stride);
}

/* Sends the answers and makes the result: elements of fixed size, and elements with inner lists. */
int project_fixed(bmf_project_call *call, bmf_list **out);
int project_nested(bmf_project_call *call, bmf_list **out);

/* One round of answers, the same messages in the same order at both ends; the caller frees round->message. */
void project_answer_round(const bmf_project_call *call, int64_t element_bytes, bmf_round *round);
/* The run or request an answer belongs to. */
bmf_run_of_needs *project_run(const bmf_project_call *call, const bmf_message *answer);
bmf_asked *project_asked(const bmf_project_call *call, const bmf_message *answer);

/* Looks whether the index list is a BMMC permutation that permute can run; if so (*done), *out is the result. */
int project_permutation(const bmf_list *xs, const bmf_list *indices, bool *done, bmf_list **out);

#endif

/* project's parts; private to skeletons.
 *
 * A *fetch block* is what one piece of the index list takes from one part of xs. The blocks of all pieces of one part
 * of the index list from one part of xs form one *request* of element numbers, which is answered by elements. */
#ifndef BMF_PROJECT_H
#define BMF_PROJECT_H

#include "runtime/backend/backend.h"
#include "runtime/data/list.h"
#include "skeletons/project/progression.h"

typedef struct bmf_fetch_block {
    int64_t part, owner; /* parts of the index list and of xs */
    int64_t piece;
    int64_t count;   /* elements */
    int64_t first;   /* their place among all this host requests */
    int64_t next;    /* the same, while they are being walked */
    int64_t request; /* the outgoing one; or BMF_FETCH_LOCAL: on the same processor, nothing is sent */
} bmf_fetch_block;

enum { BMF_FETCH_LOCAL = -1 };

typedef struct bmf_outgoing_request {
    int64_t requester, owner; /* processors */
    int64_t first, count;     /* among all this host requests */
    char *packed;             /* nested elements: the answer */
    const char *next;
} bmf_outgoing_request;

typedef struct bmf_incoming_request {
    int64_t requester, owner; /* processors */
    int64_t first, count;     /* among all this host answers */
    bmf_buffer *buffer;       /* owns index */
    int64_t *index;           /* count element numbers */
    char *packed;             /* nested elements: the answer, once it is packed */
    int64_t packed_bytes;
} bmf_incoming_request;

typedef struct bmf_piece_blocks {
    bmf_fetch_block *block;
    int64_t count, capacity;
    int64_t bad; /* position of the first index out of range, or -1 */
} bmf_piece_blocks;

typedef struct bmf_project_call {
    bmf_context *ctx;
    const bmf_list *xs, *indices;
    const bmf_progression *progression; /* or NULL: the indices are known to those who have them only */
    bmf_piece *piece;                   /* of the index list */
    int64_t pieces;
    bmf_piece_blocks *blocks;               /* by piece */
    bmf_buffer *slots;                      /* owns slot */
    int32_t *slot;                          /* by local position: which block of its piece */
    int32_t **block_of_owner;               /* by worker and part of xs: the block of the current piece, or -1 */
    bmf_outgoing_request *outgoing_request; /* by requester, then owner */
    int64_t outgoing_requests;
    int64_t requested;                      /* elements, from other processors */
    bmf_buffer *requested_buffer;           /* owns requested_index */
    int64_t *requested_index;               /* their numbers */
    bmf_incoming_request *incoming_request; /* by owner, then requester, once all are here */
    int64_t incoming_requests, incoming_capacity;
    int64_t answered; /* elements other processors requested */
} bmf_project_call;

/* True if the piece takes nothing from other processors. */
static inline bool project_all_local(const bmf_piece_blocks *blocks)
{
    return blocks->count == 0 || (blocks->count == 1 && blocks->block[0].request == BMF_FETCH_LOCAL);
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
/* The request an answer belongs to. */
bmf_outgoing_request *project_outgoing_request(const bmf_project_call *call, const bmf_message *answer);
bmf_incoming_request *project_incoming_request(const bmf_project_call *call, const bmf_message *answer);

/* "index .. at position .. is outside": the status and message of an element number of the index list that is here. */
int project_refuse_index(const bmf_list *xs, const bmf_list *indices, int64_t position);

/* Elements of fixed size, and both lists on one processor: same on every rank. Then there is nothing to request. */
bool project_is_local(const bmf_list *xs, const bmf_list *indices);
int project_local(const bmf_list *xs, const bmf_list *indices, bmf_list **out);

/* Elements of fixed size, along an index list that is a progression. */
int project_progression(const bmf_list *xs, const bmf_list *indices, const bmf_progression *progression,
                        bmf_list **out);

/* Looks whether the index list is a BMMC permutation that permute can run; if so (*done), *out is the result. */
int project_permutation(const bmf_list *xs, const bmf_list *indices, bool *done, bmf_list **out);

#endif

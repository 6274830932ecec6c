/* Whether all ranks make the same collective call. */
#ifndef BMF_CHECKED_ORDER_H
#define BMF_CHECKED_ORDER_H

#include "checked/checked.h"

/* True if every rank of the context makes this call with the same arguments, and none of them misuses it. Otherwise
 * call->misuse says on every rank the same: the misuse of the lowest rank that has one, or what two ranks call instead
 * of each other. Collective over the ranks of the context, whatever they call. */
bool order_agree(bmf_checked_call *call);

#endif

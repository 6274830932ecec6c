/* Freeing what users hold by address: contexts, lists, partitions, plans, traces. In one place, so that the checked
 * interface (checked/) learns of it, and can keep the address from being given to something else. */
#ifndef BMF_HANDLE_H
#define BMF_HANDLE_H

/* free(), unless the checked interface is on. */
extern void (*handle_free)(void *handle);

#endif

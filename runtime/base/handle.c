/* Freeing what users hold by address. */
#include "runtime/base/handle.h"

#include <stdlib.h>

void (*handle_free)(void *handle) = free;

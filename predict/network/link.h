/* What a link takes, as the types hockney and cluster state it. */
#ifndef BMF_LINK_H
#define BMF_LINK_H

#include "predict/machine/machine.h"

typedef struct bmf_link {
    double latency, send, receive; /* seconds */
    double bandwidth;              /* bytes a second */
} bmf_link;

/* latency_us and bandwidth_mb_per_s, which must be there, send_us and receive_us, default 0. Errors: machine_fail. */
int link_read(const bmf_machine *machine, const config_setting_t *group, bmf_link *link);

#endif

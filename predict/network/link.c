/* Links in machine files. */
#include "predict/network/link.h"

#include <float.h>
#include <math.h>

int link_read(const bmf_machine *machine, const config_setting_t *group, bmf_link *link)
{
    BMF_TRY(machine_microseconds(machine, group, "latency_us", NAN, &link->latency));
    BMF_TRY(machine_number(machine, group, "bandwidth_mb_per_s", DBL_MIN, INFINITY, NAN, &link->bandwidth));
    BMF_TRY(machine_microseconds(machine, group, "send_us", 0.0, &link->send));
    BMF_TRY(machine_microseconds(machine, group, "receive_us", 0.0, &link->receive));
    link->bandwidth *= 1e6;
    return BMF_OK;
}

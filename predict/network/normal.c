/* Chance that depends on its name only.
 *
 * Method: a hash makes 53 bits of sample, what and which; the inverse normal distribution makes a number of them. So
 * samples do not depend on the order in which they are drawn. Cost: three mixings and one inverse.
 */

#include "predict/network/network.h"
#include "predict/statistics/distribution.h"
#include "runtime/base/hash.h"

double normal_deviate(int64_t sample, uint64_t what, uint64_t which)
{
    if (sample == 0)
        return 0;
    const uint64_t bits = hash_add(hash_add(hash_add(0, (uint64_t)sample), what), which) >> 11;
    return normal_quantile(((double)bits + 0.5) * 0x1p-53);
}

/* What compiled code costs: operations by their weights (instructions.c; an addition is 1).
 *
 * Of a choice one branch is counted, the dearer one; a loop's body is counted apart, because how often it goes round is
 * known only when it has. Cost: the number of instructions. */
#include "skeletons/language/scalar/code.h"

static int64_t region_cost(const bmf_scalar *s, int region, int64_t *loops);

static int64_t choice_cost(const bmf_scalar *s, const bmf_scalar_choice *choice, int64_t *loops)
{
    const int64_t first = region_cost(s, choice->branch[0], loops), second = region_cost(s, choice->branch[1], loops);
    return 1 + (first > second ? first : second);
}

static int64_t region_cost(const bmf_scalar *s, int region, int64_t *loops)
{
    int64_t cost = 0;
    for (int k = 0; k < s->region[region].codes; k++) {
        const bmf_scalar_instruction *i = &s->instruction[s->region[region].code[k]];
        if (i->opcode == BMF_SCALAR_CHOICE)
            cost += choice_cost(s, &s->choice[i->part], loops);
        else if (i->opcode == BMF_SCALAR_LOOP)
            *loops += region_cost(s, s->loop[i->part].region, loops);
        else
            cost += scalar_operations[i->opcode].cost;
    }
    return cost;
}

void scalar_cost(const bmf_scalar *scalar, bmf_scalar_costs *costs)
{
    int64_t loops = 0;
    *costs = (bmf_scalar_costs){.operations = region_cost(scalar, 0, &loops)};
    costs->round = scalar->loops > 0 ? (loops + scalar->loops - 1) / scalar->loops : 0;
}

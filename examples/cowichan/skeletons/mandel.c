/* mandel: rows are tabulated, each from its number. */
#include "../formulas.h"
#include "skeletons.h"

typedef struct plane {
    const struct view *view;
    int64_t n;
} plane;

static int make_rows(const void *context, int64_t count, const bmf_slice *in, const bmf_slice *out)
{
    const plane *p = context;
    const double n = (double)p->n;
    for (int64_t k = 0; k < count; k++) {
        int32_t *row = &BMF_AT(int32_t, out[0], k);
        const double y = p->view->y + (double)BMF_AT(const int64_t, in[0], k) * p->view->height / n;
        for (int64_t j = 0; j < p->n; j++)
            row[j] = steps_to_leave(p->view->x + (double)j * p->view->width / n, y, p->view->steps);
    }
    return 0;
}

int skeleton_mandel(bmf_context *ctx, int64_t n, const struct view *view, bmf_list **out)
{
    const plane p = {view, n};
    const bmf_kernel rows = {.name = "mandel",
                             .block = make_rows,
                             .context = &p,
                             .inputs = 1,
                             .input = {&bmf_type_int},
                             .output = row_type(n, sizeof(int32_t))};
    return bmf_tabulate(ctx, n, &rows, out);
}

/* .h5, .hdf5: data sets of HDF5, if the build has its library.
 *
 * Method: every rank opens the file for itself, without locks, and reads its rows in blocks as a hyperslab; HDF5
 * unpacks and converts. Rank 0 makes a data set that lies in one piece and is allocated but not filled, closes the
 * file, and every rank writes its items where they lie.
 * Cost: a rank's rows; what HDF5 reads besides (whole chunks of chunked data sets).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef BMF_HDF5
#include <mpi.h>

#include <hdf5.h>
#endif

#include "runtime/base/allocate.h"
#include "runtime/files/format.h"

#ifdef BMF_HDF5

enum { BLOCK = 1 << 20 };

/* What is open of a data set. */
typedef struct data_set {
    hid_t file, set, space, type;
} data_set;

static void close_set(data_set *of)
{
    if (of->type >= 0)
        H5Tclose(of->type);
    if (of->space >= 0)
        H5Sclose(of->space);
    if (of->set >= 0)
        H5Dclose(of->set);
    if (of->file >= 0)
        H5Fclose(of->file);
}

/* Other programs may have the file open, and file systems of clusters often have no locks. */
static hid_t unlocked(void)
{
    const hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    H5Pset_file_locking(access, false, true);
    return access;
}

static int open_set(bmf_context *ctx, const data_file *file, data_set *of)
{
    *of = (data_set){-1, -1, -1, -1};
    const hid_t access = unlocked();
    of->file = H5Fopen(file->path, H5F_ACC_RDONLY, access);
    H5Pclose(access);
    if (of->file < 0)
        return data_fail(ctx, file, "no HDF5 file, or a damaged one");
    of->set = H5Dopen2(of->file, file->what, H5P_DEFAULT);
    if (of->set >= 0) {
        of->space = H5Dget_space(of->set);
        of->type = H5Dget_type(of->set);
    }
    const int status =
        of->type >= 0 && of->space >= 0 ? BMF_OK : data_fail(ctx, file, "there is no data set `%s`", file->what);
    if (status != BMF_OK)
        close_set(of);
    return status;
}

/* ---- types ---- */

static bmf_stored_scalar scalar_of(hid_t type)
{
    const size_t size = H5Tget_size(type);
    switch (H5Tget_class(type)) {
    case H5T_INTEGER:
        return size == 8 && H5Tget_sign(type) == H5T_SGN_NONE  ? STORED_SCALARS
               : size > 4 || H5Tget_sign(type) == H5T_SGN_NONE ? STORED_INT64
                                                               : STORED_INT32;
    case H5T_FLOAT:
        return size > 8 ? STORED_SCALARS : size == 4 ? STORED_FLOAT32 : STORED_FLOAT64;
    case H5T_ENUM: /* truth values, as h5py writes them */
        return size == 1 && H5Tget_nmembers(type) == 2 ? STORED_BOOL : STORED_SCALARS;
    default:
        return STORED_SCALARS;
    }
}

static int add_field(bmf_context *ctx, data_file *file, hid_t type, const char *name)
{
    const bmf_stored_scalar scalar = scalar_of(type);
    if (scalar == STORED_SCALARS)
        return data_fail(ctx, file, "%s%s is no int of at most 64 bits, float32, float64 or bool",
                         name ? name : file->what, name ? ", a member of the structure," : "");
    data_field *field = &file->field[file->fields++];
    *field = (data_field){.scalar = scalar, .offset = file->item_bytes};
    data_field_call(field, name ? name : "", name ? (int64_t)strlen(name) : 0);
    file->item_bytes += stored_size(scalar);
    return BMF_OK;
}

static int find_fields(bmf_context *ctx, data_file *file, hid_t type)
{
    file->fields = 0;
    file->item_bytes = 0;
    if (H5Tget_class(type) != H5T_COMPOUND)
        return add_field(ctx, file, type, NULL);
    const int members = H5Tget_nmembers(type);
    if (members > BMF_MAX_LEAVES)
        return data_fail(ctx, file, "items of more than %d scalars", BMF_MAX_LEAVES);
    int status = BMF_OK;
    for (int k = 0; k < members && status == BMF_OK; k++) {
        char *name = H5Tget_member_name(type, (unsigned)k);
        const hid_t member = H5Tget_member_type(type, (unsigned)k);
        status = add_field(ctx, file, member, name);
        H5Tclose(member);
        H5free_memory(name);
    }
    return status;
}

static int find_shape(bmf_context *ctx, data_file *file, hid_t space)
{
    hsize_t shape[H5S_MAX_RANK];
    const int dimensions = H5Sget_simple_extent_ndims(space);
    if (dimensions < 1 || dimensions > DATA_DIMENSIONS)
        return data_fail(ctx, file, "a data set of %d dimensions; bmf takes 1 (a list) to %d (lists of lists of ..)",
                         dimensions < 0 ? 0 : dimensions, DATA_DIMENSIONS);
    H5Sget_simple_extent_dims(space, shape, NULL);
    file->dimensions = dimensions;
    for (int d = 0; d < dimensions; d++) {
        if (shape[d] > INT64_MAX)
            return data_fail(ctx, file, "a shape that does not fit 64 bits");
        file->shape[d] = (int64_t)shape[d];
    }
    return data_file_bytes(file) < 0 ? data_fail(ctx, file, "a shape of more bytes than fit 64 bits") : BMF_OK;
}

static int find(bmf_context *ctx, data_file *file)
{
    data_set of;
    const int opened = data_open(ctx, file); /* for the reason why it does not open */
    if (opened < 0)
        return BMF_ERROR_FILE;
    close(opened);
    BMF_TRY(open_set(ctx, file, &of));
    int status = find_fields(ctx, file, of.type);
    if (status == BMF_OK)
        status = find_shape(ctx, file, of.space);
    close_set(&of);
    return status;
}

static hid_t native(bmf_stored_scalar scalar)
{
    return scalar == STORED_INT64     ? H5T_NATIVE_INT64
           : scalar == STORED_INT32   ? H5T_NATIVE_INT32
           : scalar == STORED_FLOAT32 ? H5T_NATIVE_FLOAT
                                      : H5T_NATIVE_DOUBLE;
}

/* As h5py has it. */
static hid_t truth_type(void)
{
    const hid_t type = H5Tenum_create(H5T_NATIVE_INT8);
    H5Tenum_insert(type, "FALSE", &(int8_t){0});
    H5Tenum_insert(type, "TRUE", &(int8_t){1});
    return type;
}

static hid_t scalar_type(bmf_stored_scalar scalar)
{
    return scalar == STORED_BOOL ? truth_type() : H5Tcopy(native(scalar));
}

/* The items without gaps. like: a compound type whose members' names are taken; negative: their own, or f0, f1, .. */
static hid_t item_type(const data_file *file, hid_t like)
{
    if (file->fields == 1 && (like < 0 || H5Tget_class(like) != H5T_COMPOUND))
        return scalar_type(file->field[0].scalar);
    const hid_t type = H5Tcreate(H5T_COMPOUND, (size_t)file->item_bytes);
    for (int k = 0; k < file->fields; k++) {
        char made[16], *name = like >= 0 ? H5Tget_member_name(like, (unsigned)k) : NULL;
        const hid_t scalar = scalar_type(file->field[k].scalar);
        snprintf(made, sizeof made, "f%d", k);
        const char *own = *file->field[k].name ? file->field[k].name : made;
        H5Tinsert(type, name ? name : own, (size_t)file->field[k].offset, scalar);
        H5Tclose(scalar);
        H5free_memory(name);
    }
    return type;
}

/* ---- reading ---- */

static int read_block(bmf_context *ctx, const data_file *file, const data_set *of, hid_t type, int64_t first,
                      int64_t rows, void *to)
{
    hsize_t start[DATA_DIMENSIONS] = {(hsize_t)first}, count[DATA_DIMENSIONS] = {(hsize_t)rows};
    for (int d = 1; d < file->dimensions; d++)
        count[d] = (hsize_t)file->shape[d];
    const hid_t memory = H5Screate_simple(file->dimensions, count, NULL);
    const bool read = H5Sselect_hyperslab(of->space, H5S_SELECT_SET, start, NULL, count, NULL) >= 0 &&
                      H5Dread(of->set, type, memory, of->space, H5P_DEFAULT, to) >= 0;
    H5Sclose(memory);
    return read ? BMF_OK
                : data_fail(ctx, file,
                            "rows from %" PRId64 " on cannot be read: damaged, or packed in a way "
                            "that this HDF5 does not know",
                            first);
}

static int read_rows(bmf_context *ctx, const data_file *file, int64_t first, int64_t rows, bmf_column *items)
{
    const int64_t width = data_file_width(file), row = width * file->item_bytes;
    const int64_t per_block = row > 0 && row < BLOCK ? BLOCK / row : 1;
    data_set of;
    if (items->count == 0)
        return BMF_OK;
    BMF_TRY(open_set(ctx, file, &of));
    const hid_t type = item_type(file, of.type);
    char *block = allocate(per_block * row);
    int status = BMF_OK;
    for (int64_t i = 0; i < rows && status == BMF_OK; i += per_block) {
        const int64_t count = rows - i < per_block ? rows - i : per_block;
        status = read_block(ctx, file, &of, type, first + i, count, block);
        if (status == BMF_OK)
            data_put_items(file, block, items, i * width, 1, count * width);
    }
    free(block);
    H5Tclose(type);
    close_set(&of);
    return status;
}

/* ---- writing ---- */

static int begin(bmf_context *ctx, const bmf_output_file *output, data_file *file)
{
    hsize_t shape[DATA_DIMENSIONS];
    for (int d = 0; d < file->dimensions; d++)
        shape[d] = (hsize_t)file->shape[d];
    for (int k = 0; k < file->fields; k++)
        if (file->field[k].scalar == STORED_COMPLEX128)
            return data_fail(ctx, file, "complex numbers; HDF5 has no type for them");
    const hid_t access = unlocked(), to = H5Fcreate(output->written, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    const hid_t link = H5Pcreate(H5P_LINK_CREATE), made = H5Pcreate(H5P_DATASET_CREATE);
    const hid_t space = H5Screate_simple(file->dimensions, shape, NULL), type = item_type(file, -1);
    H5Pset_create_intermediate_group(link, 1);
    H5Pset_layout(made, H5D_CONTIGUOUS);
    H5Pset_alloc_time(made, H5D_ALLOC_TIME_EARLY);
    H5Pset_fill_time(made, H5D_FILL_TIME_NEVER);
    const hid_t set = to < 0 ? -1 : H5Dcreate2(to, file->what, type, space, link, made, H5P_DEFAULT);
    const haddr_t offset = set < 0 ? HADDR_UNDEF : H5Dget_offset(set);
    file->offset = offset == HADDR_UNDEF ? 0 : (int64_t)offset; /* a data set without items is nowhere */
    bool failed = set < 0;
    if (set >= 0)
        failed |= H5Dclose(set) < 0;
    if (to >= 0)
        failed |= H5Fclose(to) < 0;
    H5Tclose(type);
    H5Sclose(space);
    H5Pclose(made);
    H5Pclose(link);
    H5Pclose(access);
    return failed ? data_fail(ctx, file, "cannot make a data set `%s`", file->what) : BMF_OK;
}

static int end(bmf_context *ctx, const bmf_output_file *output, const data_file *file, const uint32_t *check,
               const int64_t *bytes)
{
    (void)ctx, (void)output, (void)file, (void)check, (void)bytes; /* complete since begin but for the items */
    return BMF_OK;
}

#else

static int absent(bmf_context *ctx, const data_file *file)
{
    return data_fail(ctx, file, "this bmf was built without HDF5 (-DBMF_HDF5=ON)");
}

static int find(bmf_context *ctx, data_file *file)
{
    return absent(ctx, file);
}

static int read_rows(bmf_context *ctx, const data_file *file, int64_t first, int64_t rows, bmf_column *items)
{
    (void)first, (void)rows, (void)items;
    return absent(ctx, file);
}

static int begin(bmf_context *ctx, const bmf_output_file *output, data_file *file)
{
    (void)output;
    return absent(ctx, file);
}

static int end(bmf_context *ctx, const bmf_output_file *output, const data_file *file, const uint32_t *check,
               const int64_t *bytes)
{
    (void)output, (void)check, (void)bytes;
    return absent(ctx, file);
}

#endif

static const char *const endings[] = {".h5", ".hdf5", NULL};
const data_format data_format_hdf5 = {.name = "HDF5",
                                      .endings = endings,
                                      .what = "a data set, as in x.h5:/group/x",
                                      .always = true,
                                      .find = find,
                                      .read = read_rows,
                                      .begin = begin,
                                      .end = end};

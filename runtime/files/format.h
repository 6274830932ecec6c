/* Formats of data files: one descriptor each. Internal.
 *
 * A file holds `shape[0]` rows of items that are all alike; an item is one scalar or a few (fields). Rank 0 finds out
 * what a file holds (find), all ranks get that as bytes, count rows where the file does not say how many there are
 * (count), and read rows of their own (read). Writing is the same backwards: rank 0 makes the file up to its items
 * (begin), every rank writes its own, rank 0 completes it (end). */
#ifndef BMF_FILES_FORMAT_H
#define BMF_FILES_FORMAT_H

#include "runtime/base/output_file.h"
#include "runtime/data/list.h"
#include "runtime/data/type.h"
#include "runtime/files/scalars.h"

enum { DATA_DIMENSIONS = 4, DATA_CHUNK = 1 << 20 };

/* A scalar of an item. */
typedef struct data_field {
    bmf_stored_scalar scalar;
    int64_t offset;         /* in the item, of binary formats; of tables: the column, from 0 */
    bool swapped;           /* big-endian */
    char name[FIELD_BYTES]; /* "": none, or one that is longer */
} data_field;

typedef struct data_file data_file;

/* What a rank writes. */
typedef struct data_writing {
    const char *path;       /* for messages */
    const char *written;    /* what is written to */
    int64_t first;          /* number of this rank's first item */
    const bmf_column *rows; /* its items */
    uint32_t check;         /* set: a CRC-32 of their bytes, if the format wants it, */
    int64_t bytes;          /* and how many these are */
} data_writing;

typedef struct data_format {
    const char *name;
    const char *const *endings; /* of file names, with the dot; NULL ends them */
    const char *what;           /* what may stand behind the name, for messages; NULL: nothing */
    bool always;                /* something must stand there */
    bool bare;                  /* a name without an ending is written in this format; one format has it */
    bool checks;                /* end wants CRC-32s */
    /* On one process: fills in the file, whose path and what are known. */
    int (*find)(bmf_context *ctx, data_file *file);
    /* Collective, agreed: sets shape[0], and fills in rows_before. NULL: find knows. */
    int (*count)(bmf_context *ctx, data_file *file);
    /* This rank's rows into columns of type data_file_element; the status is this rank's own. */
    int (*read)(bmf_context *ctx, const data_file *file, int64_t first, int64_t rows, bmf_column *items);
    /* Makes the last dimension, of file->shape items of one scalar, an item of as many fields; false: it cannot be, and
     * nothing changes. NULL: never. */
    bool (*join)(data_file *file);
    /* On rank 0, into output: everything before the items; sets file->offset. */
    int (*begin)(bmf_context *ctx, const bmf_output_file *output, data_file *file);
    /* Every rank: its own items; collective, its status is its own. NULL: one after the other from file->offset on. */
    int (*write)(bmf_context *ctx, const data_file *file, data_writing *writing);
    /* On rank 0, behind the items: ranks' checks and bytes. NULL: nothing. */
    int (*end)(bmf_context *ctx, const bmf_output_file *output, const data_file *file, const uint32_t *check,
               const int64_t *bytes);
} data_format;

/* What rank 0 has found. Plain data but for the pointers, so that it can be sent as bytes. */
struct data_file {
    int format; /* in data_formats */
    int dimensions, fields;
    int64_t shape[DATA_DIMENSIONS]; /* 1 behind `dimensions`; shape[0] is -1 until it is counted */
    bool fortran;                   /* the first index runs fastest */
    int64_t offset, item_bytes;     /* of binary formats */
    data_field field[BMF_MAX_LEAVES];
    char *path, *what; /* the file's name, and what stood behind it; owned */
    /* tables */
    char separator;               /* ' ': any white space */
    int columns;                  /* of every row */
    int64_t size;                 /* bytes of the file */
    int64_t chunks, *rows_before; /* [chunks + 1]: rows that begin before each DATA_CHUNK bytes behind offset */
    bool *quoted;                 /* [chunks]: the first line that begins there is inside of a cell in quotes */
    /* compressed */
    bool deflated;
    uint32_t check;                      /* CRC-32 of what is unpacked */
    int64_t packed_offset, packed_bytes; /* then offset counts in what is unpacked */
};

#define BMF_DATA_FORMATS(X) X(npy) X(npz) X(table) X(raw) X(hdf5)
#define DECLARE(format)     extern const data_format data_format_##format;
BMF_DATA_FORMATS(DECLARE)
#undef DECLARE

const data_format *data_format_of(const data_file *file);

/* What an item becomes: its scalar, or a tuple of them. wide: as the language has them, int32 as int and float as
 * real. */
const bmf_type *data_file_element(const data_file *file, bool wide);
/* Takes the last of the dimensions, if it has as many items of one scalar each as there are `fields`, for an item of
 * these fields: an array of n x 2 numbers becomes n pairs. False: the file is no such array, or of a format that is not
 * read so. */
bool data_file_join(data_file *file, int fields);
/* Items of one row. */
int64_t data_file_width(const data_file *file);
/* Bytes of all items, or -1 if they do not fit an int64. */
int64_t data_file_bytes(const data_file *file);

/* An error in a file: BMF_ERROR_FILE with its name before the reason, which is made one printable line. */
__attribute__((format(printf, 3, 4))) int data_fail(bmf_context *ctx, const data_file *file, const char *format, ...);

/* What join does where items lie one behind the other. */
bool data_join_binary(data_file *file);
/* Reads items that lie in the file as in memory, or with the first index fastest: what most formats' read is. */
int data_read_binary(bmf_context *ctx, const data_file *file, int64_t first, int64_t rows, bmf_column *items);

/* The format that the name's ending says, with the name taken apart. FILE may be of no format: false. *file is to be
 * freed after true. */
bool data_file_named(const char *name, data_file *file);
/* The format that a name is written in: that of its ending; of a last part without a dot and a colon, so without any
 * ending, the bare one. (Read, such a name is no data file: the language takes it for data as text.) */
bool data_file_named_to_write(const char *name, data_file *file);
/* The same for a .npy file, whatever its name. */
void data_file_npy(const char *path, data_file *file);
void data_file_free(data_file *file);
/* What the file holds; on one process, data_file_share tells the others. */
int data_file_find(bmf_context *ctx, data_file *file);
/* What rank 0 has found, as bytes, and back; the pointers stay. */
enum { DATA_FILE_BYTES = sizeof(data_file) };
void data_file_take(data_file *file, const void *bytes);
/* Counts rows where find could not. Collective, agreed. */
int data_file_count(bmf_context *ctx, data_file *file);
/* The type of an element of the list that the file is read as. */
const bmf_type *data_file_type(const data_file *file, const bmf_type *item);
/* This rank's part of the list: what others read is theirs to read. item: what its items are read as. The status is
 * this rank's own. */
int data_file_read_part(bmf_context *ctx, const data_file *file, const bmf_type *item, bmf_partition *partition,
                        bmf_list **list);
/* Whether items can be read so; otherwise BMF_ERROR_TYPE with the reason. */
int data_file_converts(bmf_context *ctx, const data_file *file, const bmf_type *item);
/* Reads a file that is named, from the beginning; for bmf_file_read and bmf_npy_read. item NULL: as it is; partition
 * NULL: evenly. Collective; takes the file over. */
int data_file_read(bmf_context *ctx, data_file *file, const bmf_type *item, bmf_partition *partition, bmf_list **list);
int data_file_write(const bmf_list *list, data_file *file);
/* bmf_file_write, with the names that fields of the items have in `type`, or in the elements of lists in it. */
int data_file_write_as(const bmf_list *list, const char *name, const bmf_type *type);

/* Writes what a data file holds as a .npy file in this machine's order of bytes, C order, without padding; fields keep
 * the names that such a file can hold. *rows: how many. Collective over ctx. Errors: as in reading and writing. */
int data_file_convert(bmf_context *ctx, const char *name, const char *to, int64_t *rows);

/* Gives the scalar a name of `size` bytes, if it is short enough. */
void data_field_call(data_field *field, const char *name, int64_t size);

/* `count` items, as they lie in the file, as items to, to + step, .. of a column. */
void data_put_items(const data_file *file, const char *block, const bmf_column *items, int64_t to, int64_t step,
                    int64_t count);
/* The scalars of items that a file must not hold: truth values besides 0 and 1, uint64 beyond the largest int. first:
 * the number of the first item, for the message. */
int data_check_items(bmf_context *ctx, const data_file *file, const bmf_column *items, int64_t first);
/* What data_read_binary does, from memory that holds the rows [first, ..), or, with the first index fastest, all
 * of the array. */
int data_read_memory(bmf_context *ctx, const data_file *file, const char *bytes, int64_t first, int64_t rows,
                     bmf_column *items);

/* The header in the first `count` bytes of a .npy file of `size` bytes; sets all that concerns the items, and moves
 * file->offset on to them. */
int npy_find(bmf_context *ctx, const unsigned char *bytes, int64_t count, int64_t size, data_file *file);
enum { NPY_LONGEST_HEADER = (1 << 20) + 12 };
/* As NumPy writes it; *bytes is a multiple of 64. To be freed. */
char *npy_header_of(const data_file *file, int64_t *bytes);

/* The scalar of a list of fields such as "float64,int32" (words, or NumPy's codes); sets fields, item_bytes. */
int data_parse_fields(bmf_context *ctx, const char *text, data_file *file);

/* Opens for reading on this process; -1 with the failure set. */
int data_open(bmf_context *ctx, data_file *file);
/* Reads up to `count` bytes; returns how many there were, or -1 with errno. */
int64_t data_read_at(int file, void *to, int64_t count, int64_t offset);

#endif

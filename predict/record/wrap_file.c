/* Files: what was read or written, by the bytes of the call's count. The read and write functions are listed with their
 * parameters; each line makes the function with a count of int and the one with MPI_Count (_c). */
#include "predict/record/record.h"

#define UNPACK(...) __VA_ARGS__

#define FILE_FORM(NAME, TEXT, C, PARAMETERS, ARGUMENTS, BYTES)                                                         \
    RECORD_EXPORT int MPI_File_##NAME##C(PARAMETERS)                                                                   \
    {                                                                                                                  \
        const bmf_call c = ENTER_NAMED(TEXT);                                                                          \
        const int result = PMPI_File_##NAME##C(UNPACK ARGUMENTS);                                                      \
        if (c.begin >= 0)                                                                                              \
            record_file(&c, BYTES);                                                                                    \
        return result;                                                                                                 \
    }
#define FILE_MOVE(NAME, PARAMETERS, ARGUMENTS)                                                                         \
    FILE_FORM(NAME, "file_" #NAME, , UNPACK(PARAMETERS(int)), ARGUMENTS, bytes_of(count, type))                        \
    FILE_FORM(NAME, "file_" #NAME, _c, UNPACK(PARAMETERS(MPI_Count)), ARGUMENTS, bytes_of(count, type))
#define FILE_OTHER(NAME, PARAMETERS, ARGUMENTS) FILE_FORM(NAME, "file_" #NAME, , UNPACK PARAMETERS, ARGUMENTS, 0)

#define READ(COUNT)    MPI_File file, void *buffer, COUNT count, MPI_Datatype type, MPI_Status *status
#define WRITE(COUNT)   MPI_File file, const void *buffer, COUNT count, MPI_Datatype type, MPI_Status *status
#define READ_AT(COUNT) MPI_File file, MPI_Offset at, void *buffer, COUNT count, MPI_Datatype type, MPI_Status *status
#define WRITE_AT(COUNT)                                                                                                \
    MPI_File file, MPI_Offset at, const void *buffer, COUNT count, MPI_Datatype type, MPI_Status *status
#define READ_BEGIN(COUNT)     MPI_File file, void *buffer, COUNT count, MPI_Datatype type
#define WRITE_BEGIN(COUNT)    MPI_File file, const void *buffer, COUNT count, MPI_Datatype type
#define READ_AT_BEGIN(COUNT)  MPI_File file, MPI_Offset at, void *buffer, COUNT count, MPI_Datatype type
#define WRITE_AT_BEGIN(COUNT) MPI_File file, MPI_Offset at, const void *buffer, COUNT count, MPI_Datatype type
#define IREAD(COUNT)          MPI_File file, void *buffer, COUNT count, MPI_Datatype type, MPI_Request *request
#define IWRITE(COUNT)         MPI_File file, const void *buffer, COUNT count, MPI_Datatype type, MPI_Request *request

#define IREAD_AT(COUNT) MPI_File file, MPI_Offset at, void *buffer, COUNT count, MPI_Datatype type, MPI_Request *request
#define IWRITE_AT(COUNT)                                                                                               \
    MPI_File file, MPI_Offset at, const void *buffer, COUNT count, MPI_Datatype type, MPI_Request *request
#define PLACE    (file, buffer, count, type, status)
#define PLACE_AT (file, at, buffer, count, type, status)

FILE_MOVE(read, READ, PLACE)
FILE_MOVE(read_all, READ, PLACE)
FILE_MOVE(read_shared, READ, PLACE)
FILE_MOVE(read_ordered, READ, PLACE)
FILE_MOVE(write, WRITE, PLACE)
FILE_MOVE(write_all, WRITE, PLACE)
FILE_MOVE(write_shared, WRITE, PLACE)
FILE_MOVE(write_ordered, WRITE, PLACE)
FILE_MOVE(read_at, READ_AT, PLACE_AT)
FILE_MOVE(read_at_all, READ_AT, PLACE_AT)
FILE_MOVE(write_at, WRITE_AT, PLACE_AT)
FILE_MOVE(write_at_all, WRITE_AT, PLACE_AT)
FILE_MOVE(read_all_begin, READ_BEGIN, (file, buffer, count, type))
FILE_MOVE(read_ordered_begin, READ_BEGIN, (file, buffer, count, type))
FILE_MOVE(write_all_begin, WRITE_BEGIN, (file, buffer, count, type))
FILE_MOVE(write_ordered_begin, WRITE_BEGIN, (file, buffer, count, type))
FILE_MOVE(read_at_all_begin, READ_AT_BEGIN, (file, at, buffer, count, type))
FILE_MOVE(write_at_all_begin, WRITE_AT_BEGIN, (file, at, buffer, count, type))
FILE_MOVE(iread, IREAD, (file, buffer, count, type, request))
FILE_MOVE(iread_all, IREAD, (file, buffer, count, type, request))
FILE_MOVE(iread_shared, IREAD, (file, buffer, count, type, request))
FILE_MOVE(iwrite, IWRITE, (file, buffer, count, type, request))
FILE_MOVE(iwrite_all, IWRITE, (file, buffer, count, type, request))
FILE_MOVE(iwrite_shared, IWRITE, (file, buffer, count, type, request))
FILE_MOVE(iread_at, IREAD_AT, (file, at, buffer, count, type, request))
FILE_MOVE(iread_at_all, IREAD_AT, (file, at, buffer, count, type, request))
FILE_MOVE(iwrite_at, IWRITE_AT, (file, at, buffer, count, type, request))
FILE_MOVE(iwrite_at_all, IWRITE_AT, (file, at, buffer, count, type, request))

FILE_OTHER(open, (MPI_Comm comm, const char *name, int mode, MPI_Info info, MPI_File *file),
           (comm, name, mode, info, file))
FILE_OTHER(close, (MPI_File * file), (file))
FILE_OTHER(delete, (const char *name, MPI_Info info), (name, info))
FILE_OTHER(set_size, (MPI_File file, MPI_Offset size), (file, size))
FILE_OTHER(preallocate, (MPI_File file, MPI_Offset size), (file, size))
FILE_OTHER(set_view,
           (MPI_File file, MPI_Offset offset, MPI_Datatype element, MPI_Datatype type, const char *representation,
            MPI_Info info),
           (file, offset, element, type, representation, info))
FILE_OTHER(seek_shared, (MPI_File file, MPI_Offset offset, int whence), (file, offset, whence))
FILE_OTHER(sync, (MPI_File file), (file))
FILE_OTHER(read_all_end, (MPI_File file, void *buffer, MPI_Status *status), (file, buffer, status))
FILE_OTHER(read_ordered_end, (MPI_File file, void *buffer, MPI_Status *status), (file, buffer, status))
FILE_OTHER(read_at_all_end, (MPI_File file, void *buffer, MPI_Status *status), (file, buffer, status))
FILE_OTHER(write_all_end, (MPI_File file, const void *buffer, MPI_Status *status), (file, buffer, status))
FILE_OTHER(write_ordered_end, (MPI_File file, const void *buffer, MPI_Status *status), (file, buffer, status))
FILE_OTHER(write_at_all_end, (MPI_File file, const void *buffer, MPI_Status *status), (file, buffer, status))

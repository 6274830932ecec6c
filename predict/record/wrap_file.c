/* Files: what was read or written, by the bytes of the call's count. The read and write functions are listed with their
 * parameters; each line makes the function with a count of int and the one with MPI_Count (_c), and says who calls it:
 * a rank by itself, or all that opened the file. On virtual clocks the latter is said before the call, which may wait
 * for other ranks. */
#include "predict/record/record.h"
#include "predict/record/virtual.h"

#define UNPACK(...) __VA_ARGS__

/* Who calls it. */
#define ALONE(TEXT)         (void)0
#define ALL(TEXT)           virtual_say_file_collective(TEXT, file)
#define ALL_OF_COMM(TEXT)   virtual_say_file_opening(TEXT, comm)
#define ALL_AND_CLOSE(TEXT) virtual_say_file_collective(TEXT, *file)
/* What waits for the others is not this call. */
#define ALL_LATER(TEXT) virtual_say_opaque(TEXT)

#define FILE_FORM(NAME, TEXT, C, CALLERS, PARAMETERS, ARGUMENTS, BYTES)                                                \
    RECORD_EXPORT int MPI_File_##NAME##C(PARAMETERS)                                                                   \
    {                                                                                                                  \
        const bmf_call c = ENTER_NAMED(TEXT);                                                                          \
        if (rec.virtual && c.begin >= 0)                                                                               \
            CALLERS(TEXT);                                                                                             \
        const int result = PMPI_File_##NAME##C(UNPACK ARGUMENTS);                                                      \
        if (c.begin >= 0)                                                                                              \
            record_file(&c, BYTES);                                                                                    \
        return result;                                                                                                 \
    }
#define FILE_MOVE(NAME, CALLERS, PARAMETERS, ARGUMENTS)                                                                \
    FILE_FORM(NAME, "file_" #NAME, , CALLERS, UNPACK(PARAMETERS(int)), ARGUMENTS, bytes_of(count, type))               \
    FILE_FORM(NAME, "file_" #NAME, _c, CALLERS, UNPACK(PARAMETERS(MPI_Count)), ARGUMENTS, bytes_of(count, type))
#define FILE_OTHER(NAME, CALLERS, PARAMETERS, ARGUMENTS)                                                               \
    FILE_FORM(NAME, "file_" #NAME, , CALLERS, UNPACK PARAMETERS, ARGUMENTS, 0)

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

FILE_MOVE(read, ALONE, READ, PLACE)
FILE_MOVE(read_all, ALL, READ, PLACE)
FILE_MOVE(read_shared, ALONE, READ, PLACE)
FILE_MOVE(read_ordered, ALL, READ, PLACE)
FILE_MOVE(write, ALONE, WRITE, PLACE)
FILE_MOVE(write_all, ALL, WRITE, PLACE)
FILE_MOVE(write_shared, ALONE, WRITE, PLACE)
FILE_MOVE(write_ordered, ALL, WRITE, PLACE)
FILE_MOVE(read_at, ALONE, READ_AT, PLACE_AT)
FILE_MOVE(read_at_all, ALL, READ_AT, PLACE_AT)
FILE_MOVE(write_at, ALONE, WRITE_AT, PLACE_AT)
FILE_MOVE(write_at_all, ALL, WRITE_AT, PLACE_AT)
FILE_MOVE(read_all_begin, ALL, READ_BEGIN, (file, buffer, count, type))
FILE_MOVE(read_ordered_begin, ALL, READ_BEGIN, (file, buffer, count, type))
FILE_MOVE(write_all_begin, ALL, WRITE_BEGIN, (file, buffer, count, type))
FILE_MOVE(write_ordered_begin, ALL, WRITE_BEGIN, (file, buffer, count, type))
FILE_MOVE(read_at_all_begin, ALL, READ_AT_BEGIN, (file, at, buffer, count, type))
FILE_MOVE(write_at_all_begin, ALL, WRITE_AT_BEGIN, (file, at, buffer, count, type))
FILE_MOVE(iread, ALONE, IREAD, (file, buffer, count, type, request))
FILE_MOVE(iread_all, ALL_LATER, IREAD, (file, buffer, count, type, request))
FILE_MOVE(iread_shared, ALONE, IREAD, (file, buffer, count, type, request))
FILE_MOVE(iwrite, ALONE, IWRITE, (file, buffer, count, type, request))
FILE_MOVE(iwrite_all, ALL_LATER, IWRITE, (file, buffer, count, type, request))
FILE_MOVE(iwrite_shared, ALONE, IWRITE, (file, buffer, count, type, request))
FILE_MOVE(iread_at, ALONE, IREAD_AT, (file, at, buffer, count, type, request))
FILE_MOVE(iread_at_all, ALL_LATER, IREAD_AT, (file, at, buffer, count, type, request))
FILE_MOVE(iwrite_at, ALONE, IWRITE_AT, (file, at, buffer, count, type, request))
FILE_MOVE(iwrite_at_all, ALL_LATER, IWRITE_AT, (file, at, buffer, count, type, request))

FILE_OTHER(open, ALL_OF_COMM, (MPI_Comm comm, const char *name, int mode, MPI_Info info, MPI_File *file),
           (comm, name, mode, info, file))
FILE_OTHER(close, ALL_AND_CLOSE, (MPI_File * file), (file))
FILE_OTHER(delete, ALONE, (const char *name, MPI_Info info), (name, info))
FILE_OTHER(set_size, ALL, (MPI_File file, MPI_Offset size), (file, size))
FILE_OTHER(preallocate, ALL, (MPI_File file, MPI_Offset size), (file, size))
FILE_OTHER(set_view, ALL,
           (MPI_File file, MPI_Offset offset, MPI_Datatype element, MPI_Datatype type, const char *representation,
            MPI_Info info),
           (file, offset, element, type, representation, info))
FILE_OTHER(seek_shared, ALL, (MPI_File file, MPI_Offset offset, int whence), (file, offset, whence))
FILE_OTHER(set_atomicity, ALL, (MPI_File file, int flag), (file, flag))
FILE_OTHER(set_info, ALL, (MPI_File file, MPI_Info info), (file, info))
FILE_OTHER(sync, ALL, (MPI_File file), (file))
FILE_OTHER(read_all_end, ALL, (MPI_File file, void *buffer, MPI_Status *status), (file, buffer, status))
FILE_OTHER(read_ordered_end, ALL, (MPI_File file, void *buffer, MPI_Status *status), (file, buffer, status))
FILE_OTHER(read_at_all_end, ALL, (MPI_File file, void *buffer, MPI_Status *status), (file, buffer, status))
FILE_OTHER(write_all_end, ALL, (MPI_File file, const void *buffer, MPI_Status *status), (file, buffer, status))
FILE_OTHER(write_ordered_end, ALL, (MPI_File file, const void *buffer, MPI_Status *status), (file, buffer, status))
FILE_OTHER(write_at_all_end, ALL, (MPI_File file, const void *buffer, MPI_Status *status), (file, buffer, status))

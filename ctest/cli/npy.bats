#!/usr/bin/env bats
# .npy files against NumPy: what NumPy writes bmf reads, what bmf writes NumPy reads, and every bad file ends the program
# with one line and exit code 2 however many ranks there are. make_npy_copy reads one file and writes the other.

bats_require_minimum_version 1.5.0

load set_up.bash

setup()
{
    set_up
}

# Finds a Python with NumPy: the first in the path may be another than the one Debian's package is for.
needs_numpy()
{
    for python in python3 /usr/bin/python3; do
        "$python" -c 'import numpy' 2>/dev/null && return
    done
    skip "python3 with numpy is not installed"
}

# copy RANKS IN OUT [OPTION...]
copy()
{
    run --separate-stderr timeout 60 "$MPIRUN" -n "$1" "$BMF_BIN_DIR/make_npy_copy" "${@:2}" --bmf-threads 1
}

# numpy LINE...: runs lines of Python with np and save(path, array, version) at hand
numpy()
{
    printf '%s\n' 'import numpy as np, io, warnings' 'warnings.simplefilter("ignore")' \
        'def save(path, array, version=None):' \
        '    with open(path, "wb") as file: np.lib.format.write_array(file, array, version)' \
        "$@" | "$python" -
}

# same IN OUT: equal type, shape and elements, and OUT in C order
same()
{
    numpy "a, b = np.load('$1'), np.load('$2')" \
        "assert a.dtype == b.dtype and a.shape == b.shape, (a.dtype, b.dtype, a.shape, b.shape)" \
        "assert b.flags.c_contiguous and np.array_equal(a, b, equal_nan=a.dtype.kind in 'fc')" \
        "assert len(open('$2', 'rb').read()) % 64 == b.nbytes % 64"
}

# copied IN WORDS: at several numbers of ranks and processors IN comes back the same, and the list prints as WORDS
copied()
{
    for run in "1 1" "1 5" "3 7" "8 8"; do
        set -- "$1" "$2" $run
        copy "$3" "$1" copy.npy --bmf-procs "$4"
        assert_success
        assert_equal "$stderr" ""
        [[ $output == "$2 on $4 processor"* || $output == "$2 on processor 0" ]] || fail "printed: $output"
        same "$1" copy.npy
        ! ls copy.npy.*.part 2>/dev/null || fail "a part is left"
        rm copy.npy
    done
}

# refused TEXT IN [OUT]: at 1, 3 and 8 ranks exit code 2, nothing printed, one line with TEXT on standard error, no OUT
refused()
{
    for ranks in 1 3 8; do
        copy "$ranks" "$2" "${3:-copy.npy}"
        assert_failure 2
        assert_output ""
        assert_equal "${#stderr_lines[@]}" 1
        [[ ${stderr_lines[0]} == "bmf: ${3:-$2}"*"$1"* ]] || fail "expected '$1', got: ${stderr_lines[0]}"
        [ ! -f copy.npy ] && ! ls "${3:-copy.npy}".*.part 2>/dev/null
    done
}

@test "one-dimensional files of all types" {
    needs_numpy
    numpy "r = np.random.default_rng(1)" \
        "np.save('i.npy', r.integers(-2**63, 2**63 - 1, 1001))" \
        "np.save('f.npy', np.concatenate([r.standard_normal(998), [np.nan, np.inf, -0.0]]))" \
        "np.save('b.npy', r.random(1001) < 0.5)" \
        "np.save('i4.npy', r.integers(-2**31, 2**31 - 1, 1001, dtype='i4'))" \
        "np.save('f4.npy', np.concatenate([r.standard_normal(998), [np.nan, np.inf, -0.0]]).astype('f4'))" \
        "np.save('c16.npy', r.standard_normal(1001) + 1j * r.standard_normal(1001))"
    copied i4.npy "[int32], 1001 elements"
    copied f4.npy "[float], 1001 elements"
    copied c16.npy "[complex], 1001 elements"
    copied i.npy "[int], 1001 elements"
    copied f.npy "[real], 1001 elements"
    copied b.npy "[bool], 1001 elements"
}

@test "two-dimensional files are lists of lists" {
    needs_numpy
    numpy "np.save('i.npy', np.arange(91).reshape(13, 7))" "np.save('b.npy', np.arange(40).reshape(4, 10) % 3 == 0)"
    copied i.npy "[[int]], 13 elements"
    copied b.npy "[[bool]], 4 elements"
    numpy "np.save('i4.npy', np.arange(91, dtype='i4').reshape(13, 7))" \
        "np.save('f4.npy', np.arange(15, dtype='f4').reshape(5, 3))" "np.save('c16.npy', 1j * np.arange(15).reshape(3, 5))"
    copied i4.npy "[[int32]], 13 elements"
    copied f4.npy "[[float]], 5 elements"
    copied c16.npy "[[complex]], 3 elements"
}

@test "empty files, and fewer elements than ranks" {
    needs_numpy
    numpy "np.save('zero.npy', np.zeros(0))" "np.save('one.npy', np.array([42]))" "np.save('rows.npy', np.zeros((5, 0)))" \
        "np.save('columns.npy', np.zeros((0, 1), dtype=bool))" "np.save('none.npy', np.zeros(0, dtype='f4'))" \
        "np.save('single.npy', np.array([1 - 2j]))"
    copied none.npy "[float], 0 elements"
    copied single.npy "[complex], 1 element"
    copied zero.npy "[real], 0 elements"
    copied one.npy "[int], 1 element"
    copied rows.npy "[[real]], 5 elements"
    numpy "a = np.load('columns.npy')"
    copy 3 columns.npy copy.npy
    assert_success
    numpy "a = np.load('copy.npy')" "assert a.dtype == bool and a.shape == (0, 0)" # no row tells its length
}

@test "versions 2.0 and 3.0, and Fortran order where it means nothing" {
    needs_numpy
    numpy "save('v2.npy', np.arange(20), (2, 0))" "save('v3.npy', np.arange(20.0), (3, 0))" \
        "file = open('fortran.npy', 'wb')" \
        "np.lib.format.write_array_header_1_0(file, {'descr': '<i8', 'fortran_order': True, 'shape': (20,)})" \
        "np.arange(20).tofile(file)"
    copied v2.npy "[int], 20 elements"
    copied v3.npy "[real], 20 elements"
    copied fortran.npy "[int], 20 elements"
}

@test "files that are not there or no files" {
    refused "cannot open: No such file or directory" missing.npy
    mkdir directory
    refused "is a directory" directory
    mkfifo pipe
    refused "is not a regular file" pipe
    : >empty.npy
    refused "not a .npy file: it is empty" empty.npy
    printf 'some,text\n1,2\n' >text.npy
    refused "not a .npy file" text.npy
    printf '\223NUMPY\001\000' >magic.npy
    refused "truncated header: the file ends after 8 bytes" magic.npy
    printf '\223NUMPY\001\000\166\000{"descr": ' >header.npy
    refused "truncated header: 128 bytes expected, 20 found" header.npy
    printf '\223NUMPY\001\000\012\000123456789\n' >nonsense.npy
    refused 'broken header: expected `{` before `123456789`' nonsense.npy
    printf '\223NUMPY\011\000\166\000{"descr": ' >version.npy
    refused ".npy version 9.0" version.npy
}

@test "truncated data" {
    needs_numpy
    numpy "np.save('whole.npy', np.arange(1000))"
    head -c 8120 whole.npy >short.npy
    refused "truncated data: 8000 bytes expected, 7992 found" short.npy
    head -c 128 whole.npy >bare.npy
    refused "truncated data: 8000 bytes expected, 0 found" bare.npy
    numpy "np.save('i4.npy', np.arange(1000, dtype='i4'))" "np.save('c16.npy', np.zeros(1000, dtype=complex))"
    head -c 4120 i4.npy >short.npy
    refused "truncated data: 4000 bytes expected, 3992 found" short.npy
    head -c 16120 c16.npy >short.npy
    refused "truncated data: 16000 bytes expected, 15992 found" short.npy
}

@test "big-endian files are read, and written little-endian" {
    needs_numpy
    numpy "r = np.random.default_rng(2)" "np.save('f8.npy', r.standard_normal(1001).astype('>f8'))" \
        "np.save('i4.npy', r.integers(-2**31, 2**31 - 1, (77, 13)).astype('>i4'))" \
        "np.save('c16.npy', (r.standard_normal(1001) + 1j * r.standard_normal(1001)).astype('>c16'))"
    for name in f8 i4 c16; do
        copy 3 $name.npy copy.npy --bmf-procs 7
        assert_success
        numpy "a, b = np.load('$name.npy'), np.load('copy.npy')" \
            "assert a.dtype.newbyteorder('<') == b.dtype and np.array_equal(a, b), (a.dtype, b.dtype)"
    done
}

@test "types, orders and shapes that bmf does not take" {
    needs_numpy
    numpy "np.save('f2.npy', np.zeros(10, dtype='f2'))" "np.save('big.npy', np.zeros(10, dtype='>f2'))" \
        "np.save('complex.npy', np.zeros(10, dtype='c8'))" "np.save('text.npy', np.array(['a', 'bc']))" \
        "np.save('struct.npy', np.zeros(3, dtype=[('x', 'f8'), ('y', [('a', 'i8')])]))" \
        "np.save('scalar.npy', np.float64(3))" "np.save('five.npy', np.zeros((1, 2, 3, 4, 5)))"
    taken="'<i8' (int64), '<i4' (int32), '<i2' (int16), '|i1' (int8), '<u8' (uint64), '<u4' (uint32), '<u2' (uint16), '|u1' (uint8)"
    taken="$taken, '<f8' (float64), '<f4' (float32), '<c16' (complex128) and '|b1' (bool), in either order of bytes"
    refused "dtype '<f2'; bmf takes $taken" f2.npy
    refused "dtype '>f2'" big.npy
    refused "dtype '<c8'" complex.npy
    refused "dtype '<U2'" text.npy
    refused "('name', 'dtype')" struct.npy
    refused "0 dimensions" scalar.npy
    refused "5 dimensions" five.npy
}

@test "shapes that lie" {
    needs_numpy
    # header SHAPE FILE
    header()
    {
        numpy "text = \"{'descr': '<f8', 'fortran_order': False, 'shape': $1, }\".ljust(117) + '\\n'" \
            "open('$2', 'wb').write(b'\\x93NUMPY\\x01\\x00' + len(text).to_bytes(2, 'little') + text.encode() + bytes(80))"
    }
    header "(-10,)" negative.npy
    refused "negative length, -10" negative.npy
    header "(9223372036854775807, 3)" huge.npy
    refused "more bytes than fit 64 bits" huge.npy
    header "(99999999999999999999,)" longer.npy
    refused "does not fit 64 bits" longer.npy
    header "(11,)" eleven.npy
    refused "truncated data: 88 bytes expected, 80 found" eleven.npy
}

@test "a bool that is neither 0 nor 1 is found wherever it is" {
    needs_numpy
    for at in 500 998; do
        numpy "a = np.zeros(1000, dtype=np.uint8); a[$at:$at + 2] = 7; np.save('byte.npy', a.view(bool))"
        refused "scalar $at is byte 7; a bool is 0 or 1" byte.npy
    done
}

@test "a file that cannot be written leaves nothing behind" {
    needs_numpy
    numpy "np.save('in.npy', np.arange(10))"
    refused "cannot create: No such file or directory" in.npy nowhere/out.npy
    mkdir target
    refused "is a directory" in.npy target
}

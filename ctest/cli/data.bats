#!/usr/bin/env bats
# Data files as arguments and results of `bmf run`: every format against NumPy, several arguments, and bad files.

bats_require_minimum_version 1.5.0

load set_up.bash

setup()
{
    set_up
    export PYTHONDONTWRITEBYTECODE=1
    echo B_Id > id.bmf
}

needs_numpy()
{
    python3 -c 'import numpy' 2>/dev/null || skip "python3 with numpy is not installed"
}

has_hdf5()
{
    ! "$BMF_BIN_DIR/bmf" check id.bmf --arg none.h5:x 2>&1 | grep -q "without HDF5" && python3 -c 'import h5py' 2>/dev/null
}

# value TEXT ARG..: bmf run id.bmf prints it, on 1 and 3 ranks
value()
{
    for ranks in 1 3; do
        run --separate-stderr timeout 60 "$MPIRUN" -n "$ranks" "$BMF_BIN_DIR/bmf" run id.bmf "${@:2}" --bmf-threads 1
        assert_success
        assert_output "$1"
        assert_equal "$stderr" ""
    done
}

# refused TEXT ARG..: exit code 2 and one line with TEXT, on 1 and 3 ranks
refused()
{
    for ranks in 1 3; do
        run --separate-stderr timeout 60 "$MPIRUN" -n "$ranks" "$BMF_BIN_DIR/bmf" run "${program:-id.bmf}" "${@:2}" --bmf-threads 1
        assert_failure 2
        assert_output ""
        assert_equal "${#stderr_lines[@]}" 1
        [[ ${stderr_lines[0]} == "bmf: "*"$1"* ]] || fail "expected '$1', got: ${stderr_lines[0]}"
    done
}

@test "random arrays in random formats are what NumPy says, and are written as it reads them" {
    needs_numpy
    mkdir files && cd files
    seed=${BMF_TEST_SEED:-$RANDOM}
    run timeout 250 python3 "$BMF_SOURCE_DIR/ctest/cli/data_files.py" "$seed" "${BMF_TEST_FILES:-16}"
    echo "$output"
    assert_success
}

@test "tables: separators, names, columns, types, quotes" {
    printf 'time,who,load\r\n1,"a, ""b""",2.5\r\n\r\n# none\r\n2,c,\r\n3,"d",-1e3' > t.csv
    value "[1, 2, 3]" --arg t.csv:1
    value "[2.5, nan, -1000.0]" --arg t.csv:load
    value "[{time: 1, load: 2.5}, {time: 2, load: nan}, {time: 3, load: -1000.0}]" --arg t.csv:time,load
    value "[1.0, 2.0, 3.0]" --arg t.csv:time:real
    printf '1;2\n3;4\n' > s.csv
    value "[[1, 2], [3, 4]]" --arg s.csv
    value "[{2, 1}, {4, 3}]" --arg s.csv:2,1
    value "[[1.0, 2.0], [3.0, 4.0]]" --arg s.csv::real
    printf '  1.5   true\n -2 \tfalse  \n' > w.txt
    value "[{1.5, true}, {-2.0, false}]" --arg w.txt:1-2
    printf '\xef\xbb\xbfa\tb\n1\t2\n' > m.tsv
    value "[[1, 2]]" --arg m.tsv
    printf '7\n' > one.dat
    value "[7]" --arg one.dat
    # what stands in quotes is no separator
    printf '1 2.5 """,\n3;4\n5"\n3 4.5 "a;\tb"\n' > notes.txt
    value "[{1, 2.5}, {3, 4.5}]" --arg notes.txt:1,2
    printf '1 "a ""b""; c"\n2 "d"\n' > doubled.dat
    value "[1, 2]" --arg doubled.dat:1
    printf '"a, b" 5" pipe;w\n6;7\n' > inches.txt
    value "[[6, 7]]" --arg inches.txt
    printf 'the "big, one"\n1,2\n' > within.csv
    value "[[1, 2]]" --arg within.csv
}

@test "tables: what is wrong is said with row and column" {
    printf '1,2\n3,4\n' > t.csv
    refused "t.csv: there is no column 3; rows have 2" --arg t.csv:3
    refused "t.csv: no column is called \`x\`: no row names them" --arg t.csv:x
    refused "\`complex\` is no type" --arg t.csv:1:complex
    printf '1,2\n3\n' > ragged.csv
    refused "row 2 has 1 cells; those before it have 2" --arg ragged.csv
    printf '1,"2\n3,4\n' > quote.csv
    refused "row 1: a quote that does not end" --arg quote.csv
    { seq -f '%g,x' 1 3000; echo '7,"x'; seq -f '%g,x' 1 300000; } >quote.csv
    refused "row 3001: a quote that does not end" --arg quote.csv:1
    printf '1,a\n2,b\n' > text.csv
    value "[1, 2]" --arg text.csv:1
    refused "column 2 holds text" --arg text.csv
    : > empty.csv
    refused "empty.csv: no rows" --arg empty.csv
    { seq 1 5000; echo 2.5; seq 1 10; } > late.csv
    refused "row 5001, column 1 is 2.5, no int; read the column as reals" --arg late.csv
    { seq 1 5000; echo; echo 6 7; } > late.csv
    refused "row 5001 has 2 cells; the first rows have 1" --arg late.csv
    printf '1\n\0002\n' > zero.csv
    refused "no text: a zero byte" --arg zero.csv
    refused "no.csv: cannot open: No such file" --arg no.csv
    mkdir folder.csv
    refused "folder.csv: is a directory" --arg folder.csv
}

@test "rows of a table of several chunks are each read once, whatever the number of ranks" {
    seq 1 400000 > long.csv # 2.7 MB
    printf 'P_Reduce (B_Op (B_Plus)) . P_Map (B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 0))) . P_Split (B_Num 7)' > sum.bmf
    for ranks in 1 2 5; do
        run timeout 60 "$MPIRUN" -n $ranks "$BMF_BIN_DIR/bmf" run sum.bmf --arg long.csv
        assert_success
        assert_output 80000200000
    done
}

@test "cells in quotes have several lines, also where parts of the file meet, and rows are each read once" {
    python3 - <<'PYTHON'
import csv, random
seed = random.randrange(10**6)
print("seed", seed)
pick = random.Random(seed)
lines = ["1,2", "", "# none", "3;4", 'say "so"', '"', ",", "x" * 1000, '",']
total = 0
with open("notes.csv", "w", newline="") as file:
    out = csv.writer(file)
    out.writerow(["a", "a\nnote", "b"])
    for row in range(12000):
        long = row % 4000 == 5 # longer than a part of 1 MiB
        value = pick.randrange(10**6)
        total += value
        note = "\n".join(pick.choices(lines, k=12000 if long else pick.randint(0, 3)))
        out.writerow([row, note, value])
with open("total", "w") as file:
    print(total, 12000, file=file)
PYTHON
    read -r total rows <total
    [ "$(stat -c %s notes.csv)" -gt 4000000 ]
    echo 'main(xs) = let p = split(7, xs) in {p |> map(part -> part |> reduce(+, 0)) |> reduce(+), length(xs)}' >sum.bmf
    for ranks in 1 2 5; do
        run --separate-stderr timeout 60 "$MPIRUN" -n $ranks "$BMF_BIN_DIR/bmf" run sum.bmf --arg notes.csv:b --bmf-threads 1
        assert_success
        assert_output "{$total, $rows}"
    done
    printf '"a;b";"c\nd"\n1;2\n' >names.csv
    value "[[1, 2]]" --arg names.csv
    value "[1]" --arg 'names.csv:a;b'
    printf '5" pipe,6" pipe\n1,2\n' >pipes.csv
    value "[[1, 2]]" --arg pipes.csv
}

@test "the other order of bytes, and uint64" {
    needs_numpy
    python3 -c "
import numpy as np
np.save('f.npy', np.array([1.5, -2], '>f8'))
np.save('m.npy', np.asfortranarray(np.array([[1, 2], [3, 4]], '>i2')))
np.save('t.npy', np.array([(1, 2.5, True), (-1, 3, False)], [('a', '>i4'), ('b', '<f4'), ('c', '?')]))
np.savez_compressed('z.npz', x=np.array([2**40, 7], '>u8'))
np.array([1.25, 3], '>f4').tofile('b.raw')
np.save('u.npy', np.array([0, 2**63 - 1], '<u8'))
np.save('large.npy', np.array([[0, 1], [2**63, 3]], '<u8'))
np.save('larger.npy', np.array([(1, 0), (2, 2**64 - 1)], [('a', '?'), ('b', '>u8')]))"
    value "[1.5, -2.0]" --arg f.npy
    value "[[1, 2], [3, 4]]" --arg m.npy
    value "[{a: 1, b: 2.5, c: true}, {a: -1, b: 3.0, c: false}]" --arg t.npy
    value "[1099511627776, 7]" --arg z.npz
    value "[1.25, 3.0]" --arg b.raw:'>f4'
    value "[0, 9223372036854775807]" --arg u.npy
    refused "large.npy: scalar 2 is 9223372036854775808; the largest int is 9223372036854775807" --arg large.npy
    refused "larger.npy: scalar 1 is 18446744073709551615" --arg larger.npy
}

@test "several arguments are a tuple, and what is split first is read in parallel" {
    printf '1\n2\n3\n4\n5\n' > a.csv
    printf '10\n20\n30\n40\n50\n' > b.csv
    echo '[7, 8]' > c.bmfdata
    value "{[1, 2, 3, 4, 5], [10, 20, 30, 40, 50], [7, 8]}" --arg a.csv --arg b.csv --arg c.bmfdata
    echo '$Split = P_Split (B_Num 3)
$First = B_Addr (B_Num 1) (B_Num 2)
$Second = B_Addr (B_Num 2) (B_Num 2)
P_Reduce (B_Op (B_Plus)) . P_Map (B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 0)) . B_Map (B_Op (B_Times)) . B_Zip)
  . P_Zip . B_Alltup [$Split . $First, $Split . $Second]' > dot.bmf
    for ranks in 1 3; do
        run --separate-stderr timeout 60 "$MPIRUN" -n $ranks "$BMF_BIN_DIR/bmf" run dot.bmf --arg a.csv --arg b.csv --stats
        assert_success
        assert_output 550
        # nothing but the two partial results: no element was sent
        [[ $stderr == *"2 messages, 16 bytes ("* ]] || fail "$stderr"
    done
    # also used whole: read by rank 0
    sed 's/\[\$Split . \$First,/[$Split . $First,/; s/\$Second\]/$First]/' dot.bmf > square.bmf
    run timeout 60 "$MPIRUN" -n 2 "$BMF_BIN_DIR/bmf" run square.bmf --arg a.csv --arg b.csv
    assert_output 55
    run --separate-stderr "$BMF_BIN_DIR/bmf" check dot.bmf --arg a.csv --arg b.csv --arg a.csv
    assert_failure 2
    [[ $stderr == *"a tuple of 2 components"* ]] || fail "$stderr"
}

@test "types that main declares: ints are read as reals, rows as tuples, in every format and on any ranks" {
    needs_numpy
    cat >moments.bmf <<'END'
let times(k, {n, x, xy}) = {n * k, x, xy}
let add({n, x, xy}, {m, u, uv}) = {n + m, x + u, xy + uv}
main(points: [{x: real, y: real}], k: int) =
    points |> split(procs) |> map(ps -> ps |> map(p -> {1, p.x / 2, p.x * p.y}) |> reduce(add, {0, 0.0, 0.0}))
           |> reduce(add) |> times(k)
END
    python3 - <<'END' >expected
import numpy as np
points = np.random.default_rng(5).integers(-9, 9, (37, 2))
for kind in ["i8", "i2", "u1", "f4", "f8", ">f8", ">i4"]:
    values = points % 9 if kind == "u1" else points
    np.save(kind.replace(">", "b") + ".npy", values.astype(kind))
np.savez("stored.npz", a=points)
np.savez_compressed("packed.npz", a=points.astype("f4"))
np.savetxt("table.csv", points, fmt="%d", delimiter=",")
np.savetxt("table.txt", points, fmt="%.1f")
points.astype("<i4").tofile("rows.raw")
np.save("fortran.npy", np.asfortranarray(points))
np.save("three.npy", np.zeros((4, 3)))
for values in (points, points % 9):
    print("{%d, %s, %s}" % (3 * len(values), float(values[:, 0].sum() / 2), float((values[:, 0] * values[:, 1]).sum())))
END
    echo 3 >k.bmfdata
    for file in i8.npy i2.npy f4.npy f8.npy bf8.npy bi4.npy stored.npz packed.npz table.csv table.txt rows.raw:int32:2; do
        for ranks in 1 3; do
            run --separate-stderr timeout 60 "$MPIRUN" -n "$ranks" "$BMF_BIN_DIR/bmf" run moments.bmf --arg "$file" --arg k.bmfdata
            assert_success
            assert_output "$(sed -n 1p expected)"
        done
    done
    run "$BMF_BIN_DIR/bmf" run moments.bmf --arg u1.npy --arg k.bmfdata
    assert_output "$(sed -n 2p expected)"

    # the core has them behind its expression, and a parallel program keeps them
    "$BMF_BIN_DIR/bmf" core moments.bmf >core.bmf
    run tail -n 1 core.bmf
    assert_output ": {[{x: real, y: real}], int}"
    run "$BMF_BIN_DIR/bmf" run core.bmf --arg i8.npy --arg k.bmfdata
    assert_output "$(sed -n 1p expected)"
    sed 's/ |> split(procs)/ |> cut(1)/' moments.bmf >serial.bmf
    timeout 60 "$BMF_BIN_DIR/bmf" parallelise serial.bmf --arg i8.npy --arg k.bmfdata --machine two-cores --procs 2 -o parallel.bmf
    run grep -c '^: {' parallel.bmf
    assert_output 1
    run timeout 60 "$MPIRUN" -n 2 "$BMF_BIN_DIR/bmf" run parallel.bmf --arg i8.npy --arg k.bmfdata
    assert_output "$(sed -n 1p expected)"

    # without data types are checked, and nothing runs
    run "$BMF_BIN_DIR/bmf" check moments.bmf
    assert_output "{int, real, real}"
    run "$BMF_BIN_DIR/bmf" check core.bmf --json
    assert_output --partial '"argument": "{[{x: real, y: real}], int}"'
    run "$BMF_BIN_DIR/bmf" run moments.bmf
    assert_failure 2
    assert_line --index 0 --partial "the program has no data; write default DATA behind main"
    for file in fortran.npy three.npy; do
        for ranks in 1 3; do
            run timeout 60 "$MPIRUN" -n "$ranks" "$BMF_BIN_DIR/bmf" run moments.bmf --arg "$file" --arg k.bmfdata
            assert_failure 2
            assert_line --index 0 "bmf: moments.bmf:3:12: points is declared to be [{x: real, y: real}], found [[$([ $file = three.npy ] && echo real || echo int)]] in $file"
        done
    done
    echo 3.5 >k.bmfdata
    run "$BMF_BIN_DIR/bmf" run moments.bmf --arg i8.npy --arg k.bmfdata
    assert_failure 2
    assert_line --index 0 "bmf: moments.bmf:3:37: k is declared to be int, found real in k.bmfdata"
}

@test "records: names of columns and fields are read, used and written" {
    needs_numpy
    python3 -c "
import numpy as np
rows = np.array([(1, 0.5, True), (2, 1.5, False), (3, 2.5, True)], dtype=[('n', '<i8'), ('load', '<f4'), ('ok', '?')])
np.save('s.npy', rows)
np.savez('s.npz', a=rows)
np.save('odd.npy', rows.astype([('n', '<i8'), ('in', '<f4'), ('ok', '?')]))
np.save('array.npy', np.zeros(1, dtype=[('n', '<i8'), ('v', '<f8', (2,))]))"
    printf 'time,load,who\n1,2.5,9\n2,0.5,8\n' > t.csv
    value "[{n: 1, load: 0.5, ok: true}, {n: 2, load: 1.5, ok: false}, {n: 3, load: 2.5, ok: true}]" --arg s.npy
    value "[{n: 1, load: 0.5, ok: true}, {n: 2, load: 1.5, ok: false}, {n: 3, load: 2.5, ok: true}]" --arg s.npz
    value "[{1, 0.5, true}, {2, 1.5, false}, {3, 2.5, true}]" --arg odd.npy # `in` is a word of the notation
    value "[{0, 0.0, 0.0}]" --arg array.npy
    value "[{load: 2.5, time: 1}, {load: 0.5, time: 2}]" --arg t.csv:load,1
    echo 'main(rows) = rows |> split(procs) |> map(part -> part |> map(r -> {r with load: r.load * 2.0})) |> reduce(++)' > twice.bmf
    for ranks in 1 3; do
        for out in o.npy o.npz o.csv; do
            run --separate-stderr timeout 60 "$MPIRUN" -n $ranks "$BMF_BIN_DIR/bmf" run twice.bmf --arg s.npy --out $out
            assert_success
        done
        run python3 -c "
import numpy as np
for rows in np.load('o.npy'), np.load('o.npz')['arr_0']:
    assert rows.dtype.names == ('n', 'load', 'ok'), rows.dtype
    assert rows.tolist() == [(1, 1.0, True), (2, 3.0, False), (3, 5.0, True)], rows"
        assert_success
        assert_equal "$(cat o.csv)" "n,load,ok
1,1,true
2,3,false
3,5,true"
        run --separate-stderr timeout 60 "$MPIRUN" -n $ranks "$BMF_BIN_DIR/bmf" run twice.bmf --arg o.csv:1-3 --json
        assert_success
        [[ $output == *'"type": "[{n: int, load: real, ok: bool}]"'* ]] || fail "$output"
    done
    # a tuple and a record of as many components make tuples
    echo 'main(rows) = rows |> map(r -> {r.load, r.n}) |> reduce({{a, b}, {c, d}} -> {a + c, b + d})' > sums.bmf
    for ranks in 1 3; do
        run --separate-stderr timeout 60 "$MPIRUN" -n $ranks "$BMF_BIN_DIR/bmf" run sums.bmf --arg s.npy
        assert_output "{4.5, 6}"
    done
    echo 'main(rows) = rows |> map(r -> r.laod)' > near.bmf
    for ranks in 1 3; do
        run --separate-stderr timeout 60 "$MPIRUN" -n $ranks "$BMF_BIN_DIR/bmf" run near.bmf --arg s.npy
        assert_failure 2
        assert_equal "${stderr_lines[0]}" \
            "bmf: near.bmf:1:33: laod is no field of {n: int, load: real, ok: bool}; is load meant?"
    done
}

@test "other formats: what is wrong is one line" {
    needs_numpy
    python3 -c "
import numpy as np
np.savez('two.npz', a=np.arange(3), b=np.zeros(4))
np.savez_compressed('packed.npz', a=np.arange(100000))
np.zeros(10).tofile('x.raw')
open('text.npz', 'w').write('no zip file at all')
whole = open('packed.npz', 'rb').read()
open('cut.npz', 'wb').write(whole[:-30])
damaged = bytearray(whole); damaged[300:400] = bytes(100)
open('damaged.npz', 'wb').write(damaged)"
    refused "which array? name one behind the file's name: a, b" --arg two.npz
    refused "no array is called \`c\`; there are a, b" --arg two.npz:c
    refused "text.npz: no ZIP file, or a damaged one" --arg text.npz
    refused "cut.npz: no ZIP file, or a damaged one" --arg cut.npz
    refused "damaged.npz: no ZIP file, or a damaged one: what is compressed in it" --arg damaged.npz
    refused "x.raw: which data of it? a type" --arg x.raw
    refused "\`float\` is no type; bmf takes '<i8' (int64)" --arg x.raw:float
    refused "80 bytes are no whole number of rows of 24 bytes" --arg x.raw:float64:3
    refused "\`0\` is no length of rows" --arg x.raw:float64:0
    refused "nothing is known behind the name of a .npy file" --arg x.npy:3
    value "[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]" --arg x.raw:f8
}

@test "HDF5: data sets, and what is wrong with them" {
    needs_numpy
    has_hdf5 || skip "no HDF5 in this build, or no h5py"
    python3 -c "
import h5py, numpy as np
with h5py.File('x.h5', 'w') as h:
    h['g/m'] = np.arange(6).reshape(2, 3)
    h['zero'] = 1.5
    h['names'] = np.array([b'a', b'b'])
    h['u8'] = np.zeros(3, dtype='u8')
    h['large'] = np.array([0, 2**64 - 1], dtype='u8')
    h['t'] = np.array([(1, 2.5)], dtype=[('i', '<i2'), ('x', '>f4')])"
    value "[[0, 1, 2], [3, 4, 5]]" --arg x.h5:/g/m
    value "[{i: 1, x: 2.5}]" --arg x.h5:t
    refused "x.h5: which data of it? a data set" --arg x.h5
    refused "there is no data set \`/g\`" --arg x.h5:/g
    refused "there is no data set \`none\`" --arg x.h5:none
    refused "a data set of 0 dimensions" --arg x.h5:zero
    refused "is no int of at most 64 bits" --arg x.h5:names
    value "[0, 0, 0]" --arg x.h5:u8
    refused "x.h5: scalar 1 is 18446744073709551615; the largest int is" --arg x.h5:large
    echo none > bad.h5
    refused "bad.h5: no HDF5 file, or a damaged one" --arg bad.h5:x
}

@test "results: what a format cannot hold is said, and no file is left" {
    echo '[[1, 2], [3]]' > ragged.bmfdata
    echo '[[[1], [2]], [[3], [4]]]' > deep.bmfdata
    for out in o.npy o.npz o.csv o.raw; do
        refused "needs rows of equal length: row 1 has 1 elements, row 0 has 2" --arg ragged.bmfdata --out $out
    done
    refused "a table has rows and columns, not 3 dimensions" --arg deep.bmfdata --out o.csv
    refused "columns are named where a table is read" --arg deep.bmfdata --out o.csv:3
    refused "o.xls: which format? names of data files end with .npy" --arg deep.bmfdata --out o.xls
    run ls
    refute_output --partial "o."
}

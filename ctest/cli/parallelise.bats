#!/usr/bin/env bats
# bmf parallelise: programs with the same values, laws only where they hold, operators that are said to be associative.

bats_require_minimum_version 1.5.0

load parallelise.bash

# refused WORDS LINE..: exit code 2 and one line with these words
refused()
{
    run --separate-stderr "$BMF" parallelise "${@:2}"
    assert_equal "$status" 2
    [[ "${stderr_lines[0]}" == *"$1"* ]] || fail "${stderr_lines[0]}"
}

# lacks TEXT: parallel.bmf does
lacks()
{
    ! grep -qF "$1" parallel.bmf || fail "$1: $(cat parallel.bmf)"
}

# parallel: serial.bmf becomes parallel.bmf, which has the same value on several processors and ranks
parallel()
{
    "$BMF" parallelise serial.bmf --machine quick.machine --procs 4 -o parallel.bmf "$@" >said
    "$BMF" run serial.bmf >expected
    for processors in 1 3 4; do
        "$BMF" run parallel.bmf --procs $processors | cmp - expected
    done
    timeout 60 "$MPIRUN" -n 2 "$BMF" run parallel.bmf --procs 4 | cmp - expected
}

@test "maps, filters, lengths and reductions go to the processors" {
    echo 'B_Reduce (B_Op (B_Max)) (B_Con (B_Int 0)) . B_Filter (B_Op (B_Gt) . B_Alltup [B_Id, B_Con (B_Int 3)]) .
B_Map (B_Op (B_Times) . B_Alltup [B_Id, B_Id]) [5, -3, 2, 0, 7, 1, -6, 4, 4, 2]' >serial.bmf
    parallel
    grep -q 'P_Split (B_Procs)' parallel.bmf
    grep -q 'map promotion, filter promotion, reduce promotion' said
    echo 'B_Op (B_Length) . B_Filter (B_Op (B_Gt) . B_Alltup [B_Id, B_Con (B_Int 3)]) [5, -3, 2, 0, 7, 1]' >serial.bmf
    parallel
    grep -q 'length promotion' said
}

@test "tuples of reductions share one split; what needs the whole list gets it" {
    echo 'B_Op (B_Divide) . B_Alltup [B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 0)), B_Op (B_Length)] .
B_Map (B_Op (B_Abs)) [5, -3, 2, 0, 7, 1, -6, 4, 4, 2]' >serial.bmf
    parallel
    [ "$(grep -o 'P_Split' parallel.bmf | wc -l)" = 1 ]
    echo 'B_Scan (B_Op (B_Plus)) . B_Map (B_Op (B_Abs)) [5, -3, 2, 0, 7, 1, -6, 4, 4, 2]' >serial.bmf
    parallel
    grep -q 'B_Scan' parallel.bmf
}

@test "what a list is made of, element by element, goes to the processors" {
    echo 'B_Allvec [B_Reduce (B_Op (B_Max)) (B_Con (B_Int 0)) . B_Zip (B_Op (B_Minus)), B_Op (B_Length) . B_Addr (B_Num 1) (B_Num 2)] .
B_Alltup [B_Map (B_Op (B_Abs)), B_Id] [5, -3, 2, 0, 7, 1, -6, 4, 4, 2]' >serial.bmf
    parallel
    grep -q 'zip promotion' said
    lacks 'P_Reduce (B_Op (B_Conc))'
}

@test "a list with every row, and two lists element by element" {
    echo '$Dot = B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 0)) . B_Zip (B_Op (B_Times))
$Vector = B_Op (B_Index) . B_Alltup [B_Id, B_Con (B_Int 0)]
B_Map ($Dot) . B_Op (B_Distl) . B_Alltup [$Vector, B_Id] [[1, 2, 3], [4, 5, 6], [7, 8, 9], [1, 0, 1], [2, 2, 2]]' >serial.bmf
    parallel
    grep -q 'distl promotion' said
    echo 'B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 0)) . B_Zip (B_Op (B_Times)) . B_Alltup [B_Map (B_Op (B_Abs)), B_Id]
[3, -1, 4, -1, 5, -9, 2]' >serial.bmf
    parallel
    grep -q 'P_Zip' parallel.bmf
}

@test "sums of reals only with --free" {
    echo 'B_Reduce (B_Op (B_Plus)) (B_Con (B_Real 0)) . B_Map (B_Op (B_Sqrt)) [1.0, 2.0, 3.0, 4.0, 5.0]' >serial.bmf
    parallel
    lacks 'P_Reduce (B_Op (B_Plus))'
    grep -q 'sums of reals in another order round otherwise' said
    "$BMF" parallelise serial.bmf --machine quick.machine --procs 4 --free -o parallel.bmf >said
    grep -q 'P_Reduce (B_Op (B_Plus))' parallel.bmf
}

@test "an operator that is said to be associative is tested, and used" {
    cat >serial.bmf <<'END'
$L = B_Addr (B_Num 1) (B_Num 2)
$R = B_Addr (B_Num 2) (B_Num 2)
$Last = $R                            # associative
B_Reduce ($Last) . B_Map (B_Op (B_Neg)) [1, 2, 3, 4, 5]
END
    parallel
    grep -q 'P_Reduce (B_Addr (B_Num 2) (B_Num 2))' parallel.bmf
    grep -q '# condition: every processor needs an element' parallel.bmf
    # nothing is assumed
    sed -i 's/ *# associative//' serial.bmf
    parallel
    lacks 'P_Reduce (B_Addr'
    grep -q 'not known to be associative' said
    cat >serial.bmf <<'END'
$Less = B_Op (B_Minus) # associative
B_Reduce ($Less) . B_Map (B_Op (B_Neg)) [1, 2, 3, 4, 5]
END
    refused '$Less is said to be associative and is not: the two ways to combine {' serial.bmf --machine quick.machine --procs 4
}

@test "scans by the totals of blocks" {
    local list
    list=[$(python3 -c 'print(*((k * k + 7 * k) % 41 - 20 for k in range(203)), sep=", ")')]
    for scan in '(B_Op (B_Plus))' '(B_Op (B_Max))' '(B_Op (B_Plus)) (B_Con (B_Int 5))' '(B_Op (B_Min)) (B_Con (B_Int 9))'; do
        echo "B_Scan $scan . B_Map (B_Op (B_Abs)) $list" >serial.bmf
        parallel
        grep -q 'scan by block totals' said
        grep -q 'P_Scan' parallel.bmf
    done
    # what is scanned stays split: a reduction of it, and a zip with what it was made of
    echo "B_Reduce (B_Op (B_Max)) (B_Con (B_Int 0)) . B_Scan (B_Op (B_Plus)) $list" >serial.bmf
    parallel
    lacks 'B_Conc'
    echo "B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 0)) . B_Zip (B_Op (B_Times)) . B_Alltup [B_Id, B_Scan (B_Op (B_Plus))] $list" >serial.bmf
    parallel
    grep -q 'P_Zip' parallel.bmf
    lacks 'B_Conc'
    # reals round otherwise, and what has no identity stays as it is
    echo 'B_Scan (B_Op (B_Plus)) [1.0, 2.5, 3.0]' >serial.bmf
    parallel
    lacks 'P_Scan'
    grep -q 'sums of reals in another order round otherwise' said
    echo 'B_Scan (B_Op (B_Minus)) [1, 2, 3]' >serial.bmf
    parallel
    lacks 'P_Scan'
    grep -q 'to have an identity' said
    # an empty list
    echo "B_Scan (B_Op (B_Plus)) . B_Filter (B_Op (B_Gt) . B_Alltup [B_Id, B_Con (B_Int 99)]) $list" >serial.bmf
    parallel
    grep -q 'scan by block totals' said
    [ "$(cat expected)" = '[]' ]
}

@test "lists that are empty and of nothing have no identities" {
    echo 'B_Map (B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 0))) . B_Map (B_Scan (B_Op (B_Max))) [[]]' >serial.bmf
    parallel
    echo 'B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 0)) . B_Scan (B_Op (B_Max)) []' >serial.bmf
    parallel
}

@test "loops and choices keep their lists split" {
    sum='B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 0))'
    echo "B_While (B_Op (B_Lt) . B_Alltup [$sum, B_Con (B_Int 1000)]) (B_Map (B_Op (B_Plus) . B_Alltup [B_Id, B_Id]))
[5, 3, 2, 0, 7, 1, 6, 4, 4, 2]" >serial.bmf
    parallel
    grep -q 'loop promotion' said
    # split before the loop, gathered behind it
    grep -v '^#' parallel.bmf | tr -d '\n' | grep -Eq '^P_Reduce \(B_Op \(B_Conc\)\)\. B_While .*\. P_Split \(B_Procs\)\[5'
    [ "$(grep -o 'P_Split\|B_Conc' parallel.bmf | wc -l)" = 2 ]
    echo "$sum . B_If (B_Op (B_Lt) . B_Alltup [$sum, B_Con (B_Int 10)]) (B_Map (B_Op (B_Neg))) (B_Map (B_Op (B_Abs)))
[5, 3, 2, 0, 7, 1, 6, 4, -4, 2]" >serial.bmf
    parallel
    grep -q 'choice promotion' said
    lacks 'B_Conc'
    # a state of a counter and a list
    echo "B_Addr (B_Num 2) (B_Num 2) . B_While (B_Op (B_Lt) . B_Alltup [B_Addr (B_Num 1) (B_Num 2), B_Con (B_Int 3)])
(B_Alltup [B_Op (B_Plus) . B_Alltup [B_Addr (B_Num 1) (B_Num 2), B_Con (B_Int 1)], B_Map (B_Op (B_Plus) . B_Alltup [B_Id, B_Id]) . B_Addr (B_Num 2) (B_Num 2)])
. B_Alltup [B_Con (B_Int 0), B_Map (B_Op (B_Neg))] [5, 3, 2, 0, 7, 1, 6]" >serial.bmf
    parallel
    grep -q 'loop promotion' said
}

@test "lists of lists: by the outer or by the inner level" {
    sum='B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 0))'
    # many short rows: the outer level
    echo "B_Map ($sum . B_Map (B_Op (B_Abs))) [[1, 2], [3], [4, -5], [], [6, 7], [8, 9], [1, 1], [2, 2]]" >serial.bmf
    parallel
    sed -n 2p said | grep -v 'inner lists'
    # one long row: the inner level
    echo "B_Map ($sum . B_Map (B_Op (B_Abs))) [[$(seq -s ', ' 1 200)]]" >serial.bmf
    parallel
    sed -n 2p said | grep 'inner lists'
    grep -v '^#' parallel.bmf | tr -d '\n' | grep -q '^B_Map *(P_Reduce'
}

# on_grid P ROWSxCOLUMNS PROGRAM: for P processors the grid is looked at, and has the serial program's value, alone and on two ranks
on_grid()
{
    echo "$3" >serial.bmf
    "$BMF" run serial.bmf >expected
    "$BMF" parallelise serial.bmf --machine quick.machine --procs "$1" --json >all.json
    python3 -c 'import json, sys
found = [c["program"] for c in json.load(open("all.json"))["candidates"] if f"grid of {sys.argv[1]}" in c["laws"]]
print(found[0])' "$2" >parallel.bmf || fail "$(cat all.json)"
    "$BMF" run parallel.bmf --procs "$1" | cmp - expected
    timeout 60 "$MPIRUN" -n 2 "$BMF" run parallel.bmf | cmp - expected
}

@test "lists of lists on a grid of processors" {
    local rows='[[1, 2, 3, 4], [3], [4, -5], [], [6, 7], [8, 9, 2, 2, 7], [1, 1], [2, 2]]'
    echo "main(rows) = map(row -> map(x -> x + 1, row), rows)
default $rows" >serial.bmf
    "$BMF" parallelise serial.bmf --machine quick.machine --procs 16 -o parallel.bmf >said
    # as fast as 4 x 4, the squarest, which has 54 messages instead of 30: no processor has more than 3 elements
    grep -q 'the grid has 8 x 2 processors' said
    grep -q '# condition: the grid has 8 x 2 processors' parallel.bmf
    run "$BMF" run parallel.bmf --procs 8
    assert_equal "$status" 2
    [[ "$output" == *'the program splits over 16 processors'* ]]
    # parts of the rows stay where they are from map to map, also when the list of rows was filtered or zipped
    local scans='B_Map (B_Reduce (B_Op (B_Max)) (B_Con (B_Int 0))) . B_Map (B_Scan (B_Op (B_Plus)) . B_Map (B_Op (B_Abs)))'
    on_grid 4 '2 x 2' "$scans $rows"
    on_grid 6 '3 x 2' "$scans . B_Filter (B_Op (B_Gt) . B_Alltup [B_Op (B_Length), B_Con (B_Int 1)]) $rows"
    on_grid 7 '2 x 3' "B_Map (B_Map (B_Op (B_Neg)) . B_Addr (B_Num 1) (B_Num 2)) . B_Zip . B_Alltup [B_Map (B_Map (B_Op (B_Abs))), B_Id] $rows"
    on_grid 16 '4 x 4' "B_Scan (B_Op (B_Plus)) . $scans $rows"
    # a grid of one row or one column is no grid
    "$BMF" parallelise serial.bmf --machine quick.machine --procs 3 --json >all.json
    ! grep -q grid all.json || fail "$(cat all.json)"
}

# splits_behind_distl PROGRAM: in how many of the programs that were looked at a split list has a B_Distl right before it
splits_behind_distl()
{
    echo "$1" >serial.bmf
    "$BMF" parallelise serial.bmf --machine quick.machine --procs 4 --json >all.json
    python3 -c 'import json, re
found = [re.sub(r"\s", "", c["program"]) for c in json.load(open("all.json"))["candidates"]]
print(sum("P_Split(B_Procs).B_Op(B_Distl)" in text for text in found), sum("P_Distl" in text for text in found))'
}

@test "a list that goes with every element is given to processors, not to elements that are then split" {
    local sum='B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 0))'
    local pairs="B_Filter (B_Op (B_Gt) . B_Alltup [$sum . B_Addr (B_Num 1) (B_Num 2), B_Addr (B_Num 2) (B_Num 2)]) . B_Op (B_Distl)"
    local rest="B_Map (B_Addr (B_Num 2) (B_Num 2)) . $pairs"
    read -r behind given < <(splits_behind_distl "$rest . B_Alltup [B_Map (B_Op (B_Abs)), B_Id] [5, -3, 2, 0, 70, 1, -6, 4, 4, 2]")
    [ "$behind" = 0 ]
    [ "$given" -gt 0 ]
    # one number with every element may be cheaper to send along
    read -r behind given < <(splits_behind_distl "B_Map (B_Op (B_Plus)) . B_Op (B_Distl) . B_Alltup [B_Op (B_Length), B_Id] [5, -3, 2, 0]")
    [ "$behind" -gt 0 ]
    # where the argument is the pair there is no place before
    echo "$rest {[1, 2, 3], [5, -3, 2, 0, 70, 1, -6, 4, 4, 2]}" >serial.bmf
    parallel
    grep -q 'distl promotion' said
    grep -q 'P_Distl' parallel.bmf
    echo "$sum . B_Zip (B_Op (B_Times)) {[1, 2, 3, 4, 5], [5, -3, 2, 0, 70]}" >serial.bmf
    parallel
    grep -q 'zip promotion' said
}

@test "stencils, shifts, sorting and keys: of all parts together" {
    local list='[5, -3, 2, 0, 7, 1, -6, 4, 4, 2, 9]'
    echo "B_Stencil (B_Num 1) (B_Op (B_Max) . B_Alltup [B_Addr (B_Num 1) (B_Num 3), B_Addr (B_Num 3) (B_Num 3)]) (B_Con (B_Int 0)) .
B_Shift (B_Num -2) . B_Op (B_Sort) . B_Map (B_Op (B_Neg)) $list" >serial.bmf
    parallel
    grep -q 'stencil promotion (2), sort promotion' said
    [ "$(grep -o 'P_Split\|B_Conc' parallel.bmf | wc -l)" = 2 ]
    echo "B_Reduce_by_key (B_Op (B_Plus)) (B_Con (B_Real 0.0)) . B_Alltup [B_Con (B_Int 3), B_Map (B_Alltup [
B_Op (B_Mod) . B_Alltup [B_Op (B_Abs), B_Con (B_Int 3)], B_Op (B_Divide) . B_Alltup [B_Op (B_Real), B_Con (B_Real 7.0)]])] $list" >serial.bmf
    parallel
    grep -q 'promotion by key' said
    echo "B_Map (B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 0)) . B_Addr (B_Num 2) (B_Num 2)) .
B_Group (B_Op (B_Mod) . B_Alltup [B_Op (B_Abs), B_Con (B_Int 5)]) . B_Map (B_Op (B_Neg)) . B_Op (B_Unique) $list" >serial.bmf
    parallel
    grep -q 'sort promotion (2)' said
    [ "$(grep -o 'P_Split\|B_Conc' parallel.bmf | wc -l)" = 2 ]
}

@test "many reductions of one list, single elements, lists in the list" {
    echo 'main(xs) = map(k -> {length(filter(x -> x > k, xs)), reduce(min, 9, map(x -> x + k, xs))}, [0, 3, 5])
default [5, -3, 2, 0, 7, 1, -6, 4, 4, 2, 9]' >serial.bmf
    parallel
    grep -q 'reductions together' said
    [ "$(grep -o 'P_Split' parallel.bmf | wc -l)" = 1 ]
    echo 'main(xs) = let ys = reduce(++, map(x -> [x, -x], map(x -> 3 * x, xs))) in let y = ys[3] in map(x -> x - y, ys)
default [5, -3, 2, 0, 7, 1, -6, 4, 4, 2, 9]' >serial.bmf
    parallel
    grep -q 'concatenation promotion' said
    "$BMF" parallelise serial.bmf --machine quick.machine --procs 4 --json | grep -q 'index promotion'
}

@test "an index outside of a split list fails as in the serial program" {
    local list='[5, -3, 2, 0, 7, 1, -6, 4, 4, 2, 9]'
    for element in 'x' '[x, 3 * x]' '{x, [0.5, real(x)]}'; do
        echo "main({i, xs}) = let ys = map(x -> $element, filter(x -> x > 0, xs)) in let y = ys[i] in map(x -> {x, y}, ys)
default {3, $list}" >serial.bmf
        finds 'index promotion'
        rm -f codes
        fails_alike "{0, $list}" "{7, $list}" "{-1, $list}" "{8, $list}"
        [ "$(tr '\n' ' ' <codes)" = '0 0 2 2 ' ]
    done
    for index in 100 9223372036854775807 -9223372036854775807 -9223372036854775808; do
        fails_alike "{$index, $list}"
    done
    fails_alike '{0, [-3, 0]}' '{-1, [-3, 0]}' '{0, []}' '{-1, []}'
    [ "$(tr '\n' ' ' <codes)" = '0 0 2 2 2 2 2 2 2 2 2 2 ' ]
}

@test "elements of a split list by their indices, again and in any order; indices outside of it fail as in the serial program" {
    local list='[5, -3, 2, 0, 7, 1, -6, 4, 4, 2, 9]'
    for element in 'x' '{x, [0.5, real(x)]}'; do
        echo "main({is, xs}) = let ys = map(x -> $element, filter(x -> x > 0, xs)) in let some = pick(ys, is) in {some, map(x -> {x, length(some)}, ys)}
default {[3, 0, 3], $list}" >serial.bmf
        finds 'pick promotion'
        grep -q P_Scan found.bmf
        rm -f codes
        fails_alike "{[7, 0, 3, 3, 6], $list}" "{[], $list}" "{[7, 6, 5, 4, 3, 2, 1, 0], $list}" "{[2, 8, 9], $list}" "{[0, -1, 9], $list}"
        [ "$(tr '\n' ' ' <codes)" = '0 0 0 2 2 ' ]
    done
    fails_alike "{[0, 9223372036854775807], $list}" "{[-9223372036854775808, 0], $list}" '{[0, 1], [-3, 0]}' '{[], [-3, 0]}' '{[0], []}'
    [ "$(tr '\n' ' ' <codes)" = '0 0 0 2 2 2 2 2 0 2 ' ]
    # indices that are split themselves
    echo 'main({is, xs}) = let ys = map(x -> 2 * x, xs) in {length(ys), pick(ys, map(i -> i + 1, is))}
default {[3, 0, 3], [5, -3, 2, 0, 7, 1, -6, 4, 4, 2, 9]}' >serial.bmf
    finds 'pick promotion'
    rm -f codes
    fails_alike "{[3, 0, 9, 9], $list}" "{[], $list}" "{[3, -1, 10], $list}"
    [ "$(tr '\n' ' ' <codes)" = '0 0 2 ' ]
}

@test "of the first elements of a split list, those are sent, however short it is" {
    local list='[-5, -3, -2, 0, 7, 1, -6, 4, 4, 2, 9, 3]'
    for some in 'ys[0]' 'ys[2]' 'let k = 1 in ys[k + 1]' 'pick(ys, [2, 0, 2])' 'pick(ys, iota(3))' 'let n = length(ys) in let k = min(3, n) in pick(ys, iota(k))' \
        'ys[1 ..< 3]' 'ys[0 ..< min(3, length(ys))]'; do
        echo "main(xs) = let ys = map(x -> {x, 3 * x}, filter(x -> x > 0, xs)) in {$some, map({x, y} -> x + y, ys)}
default $list" >serial.bmf
        finds "$([[ $some == *'['*..* || $some == *pick* ]] && echo pick || echo index) promotion"
        ! grep -q P_Scan found.bmf || fail "$some"
        grep -q B_Slice found.bmf
        fails_alike "$list" '[7, 1, 5]' '[0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5]' '[5, 4]' '[]'
    done
    # the largest number of them for which this is so
    local many
    many=$(python3 -c 'print([k * k % 41 for k in range(300)])')
    for some in 'pick(ys, iota(256))' 'pick(ys, [255, 0])' 'ys[0 ..< 256]' 'ys[1 ..< 256]'; do
        echo "main(xs) = let ys = map(x -> 3 * x, xs) in {$some, map(y -> y + 1, ys)}
default $many" >serial.bmf
        finds 'pick promotion'
        ! grep -q P_Scan found.bmf || fail "$some"
        fails_alike "$many" "${many%, *, *}]" '[1, 2]'
    done
    echo "main(xs) = let ys = map(x -> 3 * x, xs) in {pick(ys, iota(257)), map(y -> y + 1, ys)}
default $many" >serial.bmf
    finds 'pick promotion'
    grep -q P_Scan found.bmf
    fails_alike "$many" '[1, 2]'
    # that these are among them is not known
    for some in 'ys[min(3, length(ys)) - 1]' 'pick(ys, map(i -> i + 1, iota(2)))'; do
        echo "main(xs) = let ys = map(x -> {x, 3 * x}, filter(x -> x > 0, xs)) in {$some, map({x, y} -> x + y, ys)}
default $list" >serial.bmf
        finds "$([[ $some == *pick* ]] && echo pick || echo index) promotion"
        grep -q P_Scan found.bmf
        fails_alike "$list" '[7, 1, 5]' '[5, 4]' '[]'
    done
}

@test "lists in a list, of which one may be large, are sent only if they are taken" {
    for some in 'ys[1]' 'pick(ys, [1, 0])' 'ys[1 ..< 3]'; do
        echo "main(xs) = let ys = map(x -> [x, x + 1], filter(x -> x > 0, xs)) in {$some, map(y -> y[0], ys)}
default [-5, -3, -2, 0, 7, 1, -6, 4, 4, 2, 9, 3]" >serial.bmf
        finds "$([[ $some == 'ys[1]' ]] && echo index || echo pick) promotion"
        grep -q "$([[ $some == *..* ]] && echo B_Slice || echo P_Scan)" found.bmf
        fails_alike '[-5, -3, -2, 0, 7, 1, -6, 4, 4, 2, 9, 3]' '[7, 1, 5]' '[5]' '[]'
    done
}

@test "a loop changes what is known of the indices" {
    echo 'main(xs) =
    let ys = map(x -> 3 * x, xs) in
    let {sum, _} = loop {s, i} = {0, 0} while s < 10 do {s + ys[i], i + 1} in
    map(y -> y - sum, ys)
default [5, -3, 2, 0, 7, 1, -6, 4, 4, 2, 9]' >serial.bmf
    finds 'index promotion'
    grep -q P_Scan found.bmf
    fails_alike '[5, -3, 2, 0, 7, 1, -6, 4, 4, 2, 9]' '[1, 1, 0, 0, 0, 0, 0, 0, 2]' '[1]' '[]'
    [ "$(tr '\n' ' ' <codes)" = '0 0 2 2 ' ]
}

@test "by key: tables of the parts where that has the same bits, and the number of keys is known" {
    echo 'main(xs) = let names = [7, 8, 9, 10] in reduce_by_key(+, 0, length(names), map(x -> {abs(x), 3 * x}, xs))
default [1, -3, 2, 0, 3, 1, -2, 1, 0, 0, 3]' >serial.bmf
    finds 'promotion by key'
    ! grep -q P_Reduce_by_key found.bmf || fail "$(cat found.bmf)"
    fails_alike '[1, -3, 2, 0, 3, 1, -2, 1, 0, 0, 3]' '[1, 1, 1, 1, 1, 1, 4]' '[]' '[3]'
    [ "$(tr '\n' ' ' <codes)" = '0 2 0 0 ' ]
    for sum in 'reduce_by_key(+, 0.0, 4, map(x -> {x mod 4, 0.1}, xs))' 'reduce_by_key(+, 1, 4, map(x -> {x mod 4, x}, xs))' \
        'reduce_by_key(+, 0, length(xs), map(x -> {x mod 4, x}, xs))'; do
        echo "main(xs) = $sum
default [1, 3, 2, 0, 3, 1, 2, 1, 0, 0, 3]" >serial.bmf
        finds 'promotion by key'
        grep -q P_Reduce_by_key found.bmf
        fails_alike '[1, 3, 2, 0, 3, 1, 2, 1, 0, 0, 3]'
    done
    # a default that is not the identity, of an operator that chooses; one on tuples, with its identity; no keys; the largest table
    local table low='let low({x, y}, {u, v}) = {min(x, u), max(y, v)}
'
    for table in 'reduce_by_key(max, 5, 4, map(x -> {x mod 4, x - 2}, xs))' 'reduce_by_key(low, {9223372036854775807, -9223372036854775808}, 4, map(x -> {x mod 4, {x, x * x}}, xs))' \
        'reduce_by_key(+, 0, 0, filter({k, x} -> k > 3, map(x -> {x, x}, xs)))' 'reduce_by_key(+, 0, 1024, map(x -> {341 * x, x}, xs))'; do
        echo "${low}main(xs) = $table
default [1, 3, 2, 0, 3, 1, 2, 1, 0, 0, 3]" >serial.bmf
        finds 'promotion by key'
        ! grep -q P_Reduce_by_key found.bmf || fail "$table: $(cat found.bmf)"
        fails_alike '[0, 0, 2, 0, 2]' '[1, 3, 2, 0, 3, 1, 2, 1, 0, 0, 3]' '[]' '[2, -1]' '[4]'
    done
    echo 'main(xs) = reduce_by_key(+, 0, 1025, map(x -> {341 * x, x}, xs))
default [1, 3, 2, 0, 3, 1, 2, 1, 0, 0, 3]' >serial.bmf
    finds 'promotion by key'
    grep -q P_Reduce_by_key found.bmf
    echo 'main(xs) = reduce_by_key(+, 0.0, 4, map(x -> {x mod 4, 0.5}, xs))
default [1, 3, 2, 0, 3, 1, 2, 1, 0, 0, 3]' >serial.bmf
    parallel --free
    lacks P_Reduce_by_key
    grep -q 'promotion by key' said
}

@test "constants are not sent; what has to be computed is" {
    echo 'main(xs) = let table = [4, 0, 5] in map(x -> reduce(max, 0, map(y -> x + y, table)), xs)
default [5, -3, 2, 0, 7, 1, -6, 4, 4, 2, 9]' >serial.bmf
    parallel
    grep -q 'distl promotion' said
    lacks P_Distl
    echo 'main({k, xs}) = let table = [4, k, 5] in map(x -> reduce(max, 0, map(y -> x + y, table)), xs)
default {3, [5, -3, 2, 0, 7, 1, -6, 4, 4, 2, 9]}' >serial.bmf
    parallel
    grep -q P_Distl parallel.bmf
    # computed, though always the same
    echo 'main(xs) = let table = map(i -> i * i + 1, iota(5)) in map(x -> reduce(max, 0, map(y -> x + y mod 7, table)), xs)
default [5, -3, 2, 0, 7, 1, -6, 4, 4, 2, 9]' >serial.bmf
    parallel
    grep -q P_Distl parallel.bmf
    # changed by a loop
    echo 'main(xs) = let {table, _} = loop {t, i} = {[4, 0, 5], 0} while i < 2 do {map(y -> y + 1, t), i + 1} in map(x -> reduce(max, 0, map(y -> x + y, table)), xs)
default [5, -3, 2, 0, 7, 1, -6, 4, 4, 2, 9]' >serial.bmf
    parallel
    grep -q P_Distl parallel.bmf
}

@test "arguments by name, in any order" {
    echo 'main(xs, k) = xs |> map(x -> x * k) |> reduce(+, 0)' >serial.bmf
    echo '[1, 2, 3, 4]' >xs.bmfdata
    "$BMF" parallelise serial.bmf --arg k=10 --arg xs.bmfdata --machine quick.machine --procs 2 -o found.bmf >said
    run "$MPIRUN" -n 2 "$BMF" run found.bmf --arg xs.bmfdata --arg 10
    assert_output 100
    run "$BMF" parallelise serial.bmf --arg n=10 --arg xs=xs.bmfdata --machine quick.machine --procs 2
    assert_failure 2
    assert_output "bmf: --arg n=10: main has no parameter n"
}

@test "operators on tuples: those of components, and those that are said to be associative" {
    echo 'let low({x, y}, {u, v}) = {min(x, u), max(y, v)}
main(xs) = reduce(low, {7, -7}, map(x -> {x * x, x}, filter(x -> x > 0, xs)))
default [5, -3, 2, 0, 7, 1, -6, 4, 4, 2, 9]' >serial.bmf
    parallel
    grep -q 'reduce promotion' said
    echo 'let add({x, y}, {u, v}) = {x + u, y + v}
main(xs) = reduce(add, {0.0, 0.0}, map(x -> {x, x * x}, xs))
default [0.5, -3.0, 2.0, 0.1, 7.0]' >serial.bmf
    parallel
    lacks 'P_Reduce (B_Alltup'
    grep -q 'sums of reals in another order round otherwise' said
    # nothing says which x comes first
    echo 'let last(x, y) = if y == 0 then x else y # associative
main(xs) = reduce(last, map(x -> x * 3, xs))
default [5, -3, 2, 0, 7, 1, -6]' >serial.bmf
    parallel
    grep -q 'P_Reduce$\|P_Reduce (B_If' parallel.bmf
    # after a filter a processor may have no element, and no identity is known
    sed -i 's/map(x -> x \* 3, xs)/filter(x -> x > 4, map(x -> x + 1, xs))/' serial.bmf
    parallel
    grep -q 'a processor may have no element' said
}

@test "what does not depend on a list does not wait for it" {
    echo 'main(rows) = let table = zip(iota(length([7, 8, 9])), [7, 8, 9]) in
reduce(max, -100, map(x -> reduce(min, 99, map({i, t} -> i * x - t, table)), map(x -> x * x, rows)))
default [5, -3, 2, 0, 7, 1, -6, 4, 4, 2]' >serial.bmf
    parallel
    grep -q 'P_Reduce (B_Op (B_Max))' parallel.bmf
    # no program that is looked at gathers the list for the table, which may be split itself
    "$BMF" parallelise serial.bmf --machine quick.machine --procs 4 --json >all.json
    python3 -c 'import json, re
found = [re.sub(r"\s+", " ", c["program"]) for c in json.load(open("all.json"))["candidates"]]
gathering = [text for text in found if re.search(r"B_Allvec \[[^]]*\] ?\. ?P_Reduce \(B_Op \(B_Conc\)\)", text)]
assert len(found) > 4 and not gathering, gathering'
}

@test "a program that is hardly faster is not worth its messages" {
    echo "main(xs, ys) = reduce(+, 0, map(x -> x + 1, xs)) + reduce(+, 0, map(y -> y - 1, ys))
default {[5, -3, 2, 0, 7, 1, -6, 4, 4], [$(seq -s ', ' 1500)]}" >serial.bmf
    "$BMF" parallelise serial.bmf --machine quick.machine --procs 3 --json >all.json
    # ys is split; xs as well would be 1 % faster, with twice the messages
    python3 -c 'import json
found = [c for c in json.load(open("all.json"))["candidates"] if not c["rough"]]
fastest = min(found, key=lambda c: c["seconds"])
assert fastest["seconds"] < found[0]["seconds"] <= 1.02 * fastest["seconds"], found
assert found[0]["messages"] == 4 and fastest["messages"] == 8, found'
}

@test "what is found for examples without processors is as fast as the examples" {
    as_fast_as_by_hand 14-matrix-product matrix_product_loops 16-maximum-segment-sum 17-histogram 22-unit-square 24-nested-split 28-jacobi gauss life norm
}

@test "programs that are slower already are given up while they are recorded" {
    python3 -c "import numpy as np; np.save('some.npy', np.arange(5000) % 20)"
    # computing costs next to nothing, a message 1 ms: lists inside of the list never pay
    cat >slow.machine <<'END'
name = "slow";
compute = { operations_us = { other = 0.01; }; };
network = { type = "hockney"; latency_us = 1000.0; bandwidth_mb_per_s = 100.0; };
END
    serial="$BMF_SOURCE_DIR/examples/serial/11-factorials.bmf"
    "$BMF" parallelise "$serial" --machine slow.machine --procs 4 --arg some.npy --json >all.json
    python3 - <<'END'
import json
all = json.load(open("all.json"))["candidates"]
kept = [c for c in all if not c["given_up"]]
gone = [c for c in all if c["given_up"]]
assert kept and all[:len(kept)] == kept, all
assert any("inner lists" in c["laws"] for c in gone), all
assert all[0]["laws"] and not any("inner lists" in c["laws"] for c in kept), all
best = all[0]["seconds"]
for number, c in enumerate(gone):
    assert c["hi"] is None and c["seconds"] > 2 * best * 0.9, (best, c)
    open(f"gone{number}.bmf", "w").write(c["program"])
END
    # what it says is a lower bound: the whole takes longer
    for program in gone?.bmf; do
        "$BMF" predict "$program" --machine slow.machine --procs 4 --arg some.npy --json >whole.json
        python3 - "$program" <<'END'
import json, sys
given_up = [c for c in json.load(open("all.json"))["candidates"] if c["given_up"]]
bound = given_up[int(sys.argv[1][4])]["seconds"]
whole = json.load(open("whole.json"))["runs"][0]["seconds"]
assert whole >= bound * 0.999, (whole, bound)
END
    done
    run -0 "$BMF" parallelise "$serial" --machine slow.machine --procs 4 --arg some.npy
    assert_output --partial "given up there"
    assert_output --regexp " > +[0-9.]+ m?s .*inner lists"
    # nothing is given up where nothing takes twice as long as what is known
    printf 'main(xs) = map(x -> x + x, xs)\ndefault [1, 2, 3, 4]\n' >few.bmf
    run -0 "$BMF" parallelise few.bmf --machine quick.machine --procs 2
    refute_output --partial "given up"
}

@test "random serial programs keep their values" {
    random_programs_keep_their_values 20 20
}

@test "taking random elements has the values, and fails with the messages, of the serial programs" {
    random_picks_fail_alike 40 4
}

@test "bad input is refused" {
    echo 'B_Map (B_Op (B_Neg)) [1, 2, 3]' >serial.bmf
    refused 'for which machine' serial.bmf --procs 2
    refused 'for how many processors' serial.bmf --machine ideal
    refused 'one number of processors' serial.bmf --machine ideal --procs 2,4
    refused 'which program' --machine ideal --procs 2
    echo 'P_Map (B_Op (B_Length)) . P_Split (B_Num 2) [1, 2, 3]' >serial.bmf
    refused 'is parallel already' serial.bmf --machine ideal --procs 2
    echo 'B_Map (B_Op (B_Nothing)) [1, 2, 3]' >serial.bmf
    refused 'serial.bmf:1' serial.bmf --machine ideal --procs 2
}

@test "of programs whose times differ by no more than chance, the one with the fewest messages" {
    echo 'main(xs) = map(x -> x * x, xs)
default [5, -3, 2, 0, 7, 1, -6, 4, 4, 2, 9, 3]' >serial.bmf
    echo 'name = "noisy"; relative_error = 0.0;
compute = { operations_us = { B_Conc = 0.0; other = 1000.0; }; };
network = { type = "sheet"; sheet = "noisy.sheet"; };' >noisy.machine
    # 12 ms and no messages, or 6 ms and 5.4 ms for two messages
    local noise samples serial entry='family = "point-to-point"; element_bytes = 8; d = [1, 8192]; startup = "none"; size = "d"; k = 0.0;
errors = [0.001, 0.0, 0.0]; freedom = 100.0;'
    while read -r noise samples serial; do
        echo "format = \"bmf sheet 1\"; title = \"noisy\"; units = \"us\"; logarithm = \"natural\";
entries = ( { operation = \"send\"; c = 1.0; noise = $noise; $entry },
            { operation = \"recv\"; c = 1350.0; noise = $noise; $entry },
            { operation = \"recvmin\"; c = 1.0; noise = $noise; $entry } );" >noisy.sheet
        "$BMF" parallelise serial.bmf --machine noisy.machine --procs 2 --samples $samples --json >all.json
        python3 -c 'import json, sys
first, second = json.load(open("all.json"))["candidates"]
assert first["serial"] == bool(int(sys.argv[1])) and {first["messages"], second["messages"]} == {0, 2}, (first, second)
parallel = second if first["serial"] else first
assert not first["rough"] and not second["rough"] and 0.011 < parallel["seconds"] < 0.0117, parallel' $serial || fail "$noise $samples"
    done <<<'0.0 20 0
0.5 20 1
0.5 4000 0'
}

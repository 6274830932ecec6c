#!/usr/bin/env bats
# bmf parallelise: programs with the same values, laws only where they hold, operators that are said to be associative.

bats_require_minimum_version 1.5.0

setup()
{
    bats_load_library bats-support
    bats_load_library bats-assert
    export OMP_WAIT_POLICY=passive
    cd "$BATS_TEST_TMPDIR"
    BMF=$BMF_BIN_DIR/bmf
    # Computing costs as much as it has operations, messages next to nothing: splitting pays.
    cat >quick.machine <<'END'
name = "quick";
compute = { operations_us = { other = 1000.0; }; };
network = { type = "hockney"; latency_us = 0.001; bandwidth_mb_per_s = 1e6; };
END
}

# refused WORDS LINE..: exit code 2 and one line with these words
refused()
{
    run --separate-stderr "$BMF" parallelise "${@:2}"
    assert_equal "$status" 2
    [[ "${stderr_lines[0]}" == *"$1"* ]] || fail "${stderr_lines[0]}"
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
    ! grep -q 'P_Reduce (B_Op (B_Plus))' parallel.bmf
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
    ! grep -q 'P_Reduce (B_Addr' parallel.bmf
    grep -q 'not known to be associative' said
    cat >serial.bmf <<'END'
$Less = B_Op (B_Minus) # associative
B_Reduce ($Less) . B_Map (B_Op (B_Neg)) [1, 2, 3, 4, 5]
END
    refused '$Less is said to be associative and is not: the two ways to combine {' serial.bmf --machine quick.machine --procs 4
}

@test "random serial programs keep their values" {
    python3 - <<'END' >programs
import random
random.seed(20)
maps = ["B_Map (B_Op (B_Neg))", "B_Map (B_Op (B_Abs))", "B_Map (B_Op (B_Plus) . B_Alltup [B_Id, B_Con (B_Int 2)])",
        "B_Filter (B_Op (B_Gt) . B_Alltup [B_Id, B_Con (B_Int 1)])", "B_Scan (B_Op (B_Max))", "B_Id",
        "B_Map (B_Op (B_Plus)) . B_Op (B_Distl) . B_Alltup [B_Op (B_Length), B_Id]",
        "B_Map (B_Op (B_Minus)) . B_Op (B_Distl) . B_Alltup [B_Reduce (B_Op (B_Plus)) (B_Con (B_Int 0)), B_Id]",
        "B_Zip (B_Op (B_Times)) . B_Alltup [B_Id, B_Map (B_Op (B_Abs))]",
        "B_Op (B_Conc) . B_Alltup [B_Id, B_Map (B_Op (B_Neg))]"]
ends = ["B_Reduce (B_Op (B_Plus)) (B_Con (B_Int %d))", "B_Reduce (B_Op (B_Min)) (B_Con (B_Int %d))",
        "B_Reduce (B_Op (B_Max)) (B_Con (B_Int %d))", "B_Op (B_Length)", "B_Reduce (B_Op (B_Minus)) (B_Con (B_Int %d))",
        "B_Alltup [B_Reduce (B_Op (B_Plus)) (B_Con (B_Int %d)), B_Op (B_Length), B_Id]"]
for number in range(30):
    parts = [random.choice(maps) for _ in range(random.randint(1, 4))]
    if random.random() < 0.7:
        end = random.choice(ends)
        parts.insert(0, end % random.randint(-3, 3) if "%" in end else end)
    data = [random.randint(-9, 9) for _ in range(random.randint(1, 12))]
    print(" . ".join(parts), data)
END
    while read -r program; do
        echo "$program" >serial.bmf
        "$BMF" run serial.bmf >expected
        "$BMF" parallelise serial.bmf --machine quick.machine --procs 3 --json --samples 2 >all.json
        python3 -c 'import json
for k, c in enumerate(json.load(open("all.json"))["candidates"][:4]):
    open(f"parallel{k}.bmf", "w").write(c["program"])'
        for parallel in parallel?.bmf; do
            "$BMF" run $parallel --procs 3 >value || fail "$program: $(cat $parallel)"
            cmp -s value expected || fail "$program: $(cat $parallel): $(cat value expected)"
        done
        rm parallel?.bmf
    done <programs
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

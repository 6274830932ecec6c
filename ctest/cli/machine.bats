#!/usr/bin/env bats
# bmf machine: what it prints for machine files, where it finds them, that it makes right ones from data sheets, and that
# bad input ends with one line that says where it is.

bats_require_minimum_version 1.5.0

load set_up.bash

setup()
{
    set_up
    COMMAND=machine
    # shellcheck source=ctest/cli/refused.bash
    source "$BMF_SOURCE_DIR/ctest/cli/refused.bash"
    MACHINES=$BMF_SOURCE_DIR/examples/machines
    SHEETS=$BMF_SOURCE_DIR/examples/sheets
}

hockney()
{
    echo "name = \"two\"; processors = 4;"
    echo "network = { type = \"hockney\"; latency_us = 10.0; bandwidth_mb_per_s = 100.0; $1 };"
}

@test "show says what a message takes" {
    hockney "send_us = 2.0; receive_us = 3.0;" >two.machine
    run --separate-stderr "$BMF" machine show two.machine
    assert_success
    [ -z "$stderr" ]
    assert_line "processors: 4"
    assert_line --partial "a message of m bytes takes 10 us + m / 100 MB/s"
    # 2 + 10 us, 1024 bytes at 100 bytes a us, and 3 us to take it
    assert_line --regexp '^ +1024 +2 us +22\.2 us +3 us +25\.2 us$'
}

@test "show describes the T3D as its sheet does" {
    run --separate-stderr "$BMF" machine show t3d-sheet
    assert_success
    # recv = 60 + 0.5 d and isend1 = 30 + 0.09 d us with d = 128 elements; recvmin = 30 + 0.4 d
    assert_line --regexp '^ +1024 +41\.5 us +42\.8 us +81\.2 us +124 us$'
    # allreduce: 300 + 6 * 128 + 2 log(128) us
    assert_line "agreement of 128 processors: 1.08 ms"
    assert_line --partial "outside: messages of 1048576 bytes: the sheet's entry 'recv' ends at 65536"
}

@test "every example is right, and found by its name" {
    for file in "$MACHINES"/*.machine; do
        run --separate-stderr "$BMF" machine check "$file"
        assert_success
        name=$(basename "$file" .machine)
        run --separate-stderr "$BMF" machine check "$name"
        assert_success
        assert_output --partial "machine '$name'"
        run "$BMF" machine show "$name"
        assert_success
    done
}

@test "a machine in the directory comes before an installed one" {
    hockney "" >ideal
    run "$BMF" machine check ideal
    assert_output --partial "machine 'two'"
    mkdir mine
    mv ideal mine/ideal.machine
    run "$BMF" machine check ideal
    assert_output --partial "machine 'ideal'"
    BMF_MACHINES=mine run "$BMF" machine check ideal
    assert_output --partial "machine 'two'"
}

@test "list prints every installed machine" {
    run --separate-stderr "$BMF" machine list
    assert_success
    [ "${#lines[@]}" -eq $(($(find "$MACHINES" -name '*.machine' | wc -l) + 1)) ]
    assert_line --regexp '^t3d-128 +128 +loggp +Cray T3D'
    echo "network = ;" >bad.machine
    BMF_MACHINES=. run --separate-stderr "$BMF" machine list
    assert_success
    assert_line --regexp '^bad +.*bad\.machine:1: syntax error'
}

@test "make writes a machine for a sheet, beside it or elsewhere" {
    cp "$SHEETS/cray-t3d.sheet" here.sheet
    mkdir sub
    run --separate-stderr "$BMF" machine make here.sheet -o here.machine --name 'a "quoted" name' --procs 64
    assert_success
    assert_output ""
    grep -q 'sheet = "here.sheet"' here.machine
    run "$BMF" machine make here.sheet -o sub/there.machine --kernels here.sheet --sharing 2 --congested \
        --single-ports
    assert_success
    grep -q "sheet = \"$(realpath here.sheet)\"" sub/there.machine
    run "$BMF" machine show here.machine
    assert_success
    assert_line 'a "quoted" name'
    assert_line "processors: 64"
    run "$BMF" machine show sub/there.machine --procs 128
    assert_success
    assert_line --partial "as when 2 processors share a memory"
    assert_line --partial "40 + 0.1 p + 0.1 d us"
    assert_line --partial "sends one message at a time"
    run diff <("$BMF" machine show here.machine | tail -3) <("$BMF" machine show t3d-sheet --procs 64 | tail -3)
    assert_success
}

@test "make writes nothing when the sheet will not do" {
    refused "the sheet has no entry 'send', which messages need" make "$SHEETS/workstations.sheet" -o m.machine
    [ ! -e m.machine ]
    refused "cannot read 'none.sheet'" make none.sheet -o m.machine
    refused "no machine file to write" make "$SHEETS/cray-t3d.sheet"
    refused "--sharing goes with --kernels" make "$SHEETS/cray-t3d.sheet" -o m.machine --sharing 2
    refused "--procs needs a whole number" make "$SHEETS/cray-t3d.sheet" -o m.machine --procs many
    refused "none/m.machine" make "$SHEETS/cray-t3d.sheet" -o none/m.machine
    [ ! -e m.machine ]
}

# The parameter file that document 002 shows in 2.4.
parameters()
{
    printf '%s\n' "// System type = network | transputer" "type = ${1:-network};" "start time = 75;" \
        "send byte time = 0.2;" "power = ${2:-1.00};" "topology = ${3:-{2, 2\}};" >Predictor.par
}

@test "make --dvm: the machine of a parameter file of the Predictor" {
    parameters
    run --separate-stderr "$BMF" machine make --dvm Predictor.par -o m.machine
    assert_success
    assert_output ""
    run "$BMF" machine show m.machine
    assert_success
    assert_line "processors: 4"
    # 75 us + 1024 times 0.2 us
    assert_line --regexp '^ +1024 .* 280 us$'
    # power is that of the host by that of the machine: half of it is a machine twice as fast
    parameters transputer 0.5 "{3, 2, 2}"
    "$BMF" machine make --dvm Predictor.par -o m.machine --name grid
    run "$BMF" machine show m.machine
    assert_line "grid"
    assert_line "processors: 12"
    assert_line --partial "2 times as fast"
    # any order, remarks, capitals, no topology
    printf 'SEND  BYTE time=1e-1; // a remark\nPower = 4;start time =0;\n\ntype=\nnetwork ;' >Predictor.par
    "$BMF" machine make --dvm Predictor.par -o m.machine
    run "$BMF" machine show m.machine
    assert_line "processors: any number"
    assert_line --partial "0.25 times as fast"
    run "$BMF" machine make --dvm Predictor.par -o m.machine --procs 7
    run "$BMF" machine show m.machine
    assert_line "processors: 7"
}

@test "make --dvm: a program on the bus takes the messages' sum" {
    parameters network 1 "{8}"
    "$BMF" machine make --dvm Predictor.par -o m.machine
    # 7 messages of 8 bytes, one at a time: 7 (75 + 1.6) us in all
    echo "P_Split (B_Num 8) [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]" >split.bmf
    BMF_SCHEDULE=split=direct "$BMF" predict split.bmf --machine m.machine --procs 8 --trace p.trace >/dev/null
    run bash -c "$BMF convert p.trace --to csv -o - | awk -F, '\$4 == \"receive\" && \$11 > last { last = \$11 }
        \$4 == \"send\" && (!first || \$10 < first) { first = \$10 } END { print last - first }'"
    assert_output 536200
}

@test "make --dvm: mistakes are one line with file and line" {
    local file
    fails()    # TEXT-OF-FILE MESSAGE
    {
        printf "$1" >Predictor.par
        refused "$2" make --dvm Predictor.par -o m.machine
        [ ! -e m.machine ]
    }
    fails 'type = network;\nlatency = 3;' "Predictor.par:2: unknown key 'latency'; known: type, start time,"
    fails 'type = bus;' "Predictor.par:1: the type is network or transputer, not 'bus'"
    fails 'type = network;\n\nstart time = -1;' "Predictor.par:3: a number of at least 0 expected at '-1;'"
    fails 'type = network;\nstart time = 75' "Predictor.par:2: ';' expected at 'the end of the file'"
    fails 'type = network;\ntype = network;' "Predictor.par:2: 'type' is there twice"
    fails 'type = network; start time = 1;' "Predictor.par: 'send byte time' is missing"
    fails 'power = 0;' "Predictor.par:1: a number above 0 expected"
    fails 'topology = {2,, 2};' "Predictor.par:1: a number of processors expected at ', 2};'"
    fails 'topology = {1, 2, 3, 4, 5};' "Predictor.par:1: a topology has at most 4 dimensions"
    fails 'topology = {65536, 65536};' "Predictor.par:1: the topology has more than"
    fails 'topology = {2 2};' "Predictor.par:1: ',' or '}' expected at '2};'"
    fails '= 3;' "Predictor.par:1: a key expected at '= 3;'"
    fails 'type = transputer; start time = 1; send byte time = 1;' "Predictor.par: 'topology' is missing"
    fails '' "Predictor.par: 'type' is missing"
    refused "cannot read 'none.par'" make --dvm none.par -o m.machine
    parameters
    refused "its topology has 4 processors, not 5" make --dvm Predictor.par -o m.machine --procs 5
    refused "not from both" make "$SHEETS/cray-t3d.sheet" --dvm Predictor.par -o m.machine
    refused "go with a sheet" make --dvm Predictor.par --congested -o m.machine
    refused "no sheet" make -o m.machine
}

@test "bad machine files end with one line that names file and line" {
    hockney "
        latncy_us = 1.0;" >m.machine
    refused "m.machine:3: unknown key 'latncy_us'; near: latency_us" check m.machine
    hockney "
        send_us = -1.0;" >m.machine
    refused "m.machine:3: 'send_us' must be a number of at least 0, not -1" check m.machine
    hockney "receive_us = 1e999;" >m.machine
    refused "m.machine:2: 'receive_us' must be finite" show m.machine
    hockney "" >m.machine
    refused "m.machine:1: machine 'two' has 4 processors, not 5" check m.machine --procs 5
    refused "m.machine:1: machine 'two' has 4 processors, not 5" show m.machine --procs 5
    echo 'network = { type = "sheet"; sheet = "none.sheet"; };' >m.machine
    refused "m.machine:1: cannot read './none.sheet'" check m.machine
    echo 'network = { type = "torus"; };' >m.machine
    refused "m.machine:1: unknown type 'torus'; known: " check m.machine
    refused "cannot read machine './none.machine': No such file or directory" check ./none.machine
    refused "there is no machine 'none', neither here nor installed; installed: " check none
    refused "Is a directory" check ./
    head -c 3000 /dev/urandom >m.machine
    run --separate-stderr "$BMF" machine check m.machine
    assert_failure 2
    [ "${#stderr_lines[@]}" -eq 1 ]
}

@test "bad usage is refused" {
    refused "no command for machines"
    refused "unknown command 'draw'; known: show, check, list, make" draw
    refused "no machine" show
    refused "too many arguments" check ideal ideal
    refused "too many arguments" list ideal
    refused "unknown option '--colour'" show ideal --colour
    refused "'--procs' needs a value" show ideal --procs
    refused "--procs needs a whole number from 1 to 1073741824, not '0'" check ideal --procs 0
    refused "not '4x'" check ideal --procs 4x
}

@test "every help has an example, and lists every type of network" {
    for command in "" show check list make; do
        run --separate-stderr "$BMF" machine $command --help
        assert_success
        assert_output --partial "Example"
    done
    run "$BMF" machine --help
    for type in fixed hockney loggp sheet dvm; do
        assert_line --regexp "^  $type +[a-zA-Z]"
    done
    run "$BMF" --help
    assert_line --partial "machine"
}

@test "every key of every type is described in docs/machines.md" {
    for type in fixed hockney loggp sheet dvm; do
        keys=$(tr '\n' ' ' <"$BMF_SOURCE_DIR/predict/network/network_$type.c" |
            grep -oE '(settings|known)\[\] = \{[^}]*\}' | grep -o '"[a-z_]*"' | tr -d '"')
        [ -n "$keys" ]
        for key in $keys; do
            grep -q "\`$key\`" "$BMF_SOURCE_DIR/docs/machines.md" || fail "$type: $key is not described"
        done
    done
}

# figures OPERATIONS BYTES READ: what bmf-bench machine --json writes
figures()
{
    echo "{\"format\": \"bmf probe 1\", \"operations_per_second\": $1, \"bytes_per_second\": $2, \"read_seconds\": $3}"
}

# seconds MACHINE: what adding up eight numbers takes on one processor
seconds()
{
    "$BMF" predict sum.bmf --machine "$1" --procs 1 --json |
        python3 -c 'import json, sys; print(json.load(sys.stdin)["runs"][0]["best"])'
}

@test "make --probe --target: twice the figures are half the computing" {
    echo 'P_Reduce (B_Op (B_Plus)) . P_Map (B_Reduce (B_Op (B_Plus))) . P_Split (B_Procs) [1, 2, 3, 4, 5, 6, 7, 8]' >sum.bmf
    cat >sum.kernels <<'END'
format = "bmf sheet 1"; title = "sum"; units = "us"; logarithm = "natural";
entries = ( { operation = "stream_reduce.reduce_1_35"; family = "point-to-point"; d = [1, 64]; c = 1.0; size = "d"; k = 8.0; } );
END
    figures 1e9 1e10 1e-7 >here.json
    figures 2e9 2e10 0.5e-7 >twice.json
    figures 1e9 4e10 1e-7 >memory.json
    figures 1e9 1e12 1e-7 >odd.json
    for name in here twice memory odd; do
        run --separate-stderr "$BMF" machine make "$SHEETS/cray-t3d.sheet" --kernels sum.kernels --probe here.json \
            --target $name.json -o $name.machine
        assert_success
        [ -z "$stderr" ]
    done
    # 1 + 8 * 8 us here; the geometric mean of 1 and 4 is 2, and of 1 and 100 is 10 with an error that reaches both
    python3 - "$(seconds here.machine)" "$(seconds twice.machine)" "$(seconds memory.machine)" "$(seconds odd.machine)" <<'END'
import sys
found = [float(text) for text in sys.argv[1:]]
for seconds, faster in zip(found, (1, 2, 2, 10)):
    assert abs(seconds * faster / found[0] - 1) < 1e-6 and abs(found[0] / 65e-6 - 1) < 1e-6, found
END
    grep -q '^relative_error = 0.3;' twice.machine
    grep -q '^relative_error = 9;' odd.machine
    run "$BMF" machine show twice.machine
    assert_line --partial "a processor is 2 times as fast"
}

@test "make --probe --target: what is no result of bmf-bench machine" {
    figures 1e9 1e10 1e-7 >here.json
    # fails CONTENTS TEXT
    fails()
    {
        echo "$1" >there.json
        refused "there.json$2" make "$SHEETS/cray-t3d.sheet" --probe here.json --target there.json -o m.machine
        [ ! -e m.machine ]
    }
    fails '{' ":2: "
    fails '[1]' ": no figures of a machine"
    fails '{"format": "bmf probe 0"}' ": no figures of a machine (format 'bmf probe 0', not 'bmf probe 1')"
    fails '{"format": "bmf probe 1", "bytes_per_second": 1}' ": 'operations_per_second' must be a number above 0"
    fails "$(figures 1e9 -1 1e-7)" ": 'bytes_per_second' must be"
    fails "$(figures 1e9 1e10 0)" ": 'read_seconds' must be"
    fails "$(figures '"1"' 1e10 1)" ": 'operations_per_second' must be"
    fails "$(figures 1e300 1e-300 1)" ": its figures cannot be compared with those of here.json"
    refused "none.json" make "$SHEETS/cray-t3d.sheet" --probe none.json --target here.json -o m.machine
    refused "go together" make "$SHEETS/cray-t3d.sheet" --probe here.json -o m.machine
    refused "not with --dvm" make --dvm F --probe here.json --target here.json -o m.machine
}

# sheet FILE OPERATION:C:K..: times of C + K d us for 0 to 2^20 elements of 8 bytes
sheet()
{
    local entry separator="" IFS=:
    {
        echo 'format = "bmf sheet 1"; title = "level"; units = "us"; logarithm = "natural"; entries = ('
        for entry in "${@:2}"; do
            read -r operation constant slope <<<"$entry"
            echo "$separator{ operation = \"$operation\"; family = \"point-to-point\"; element_bytes = 8;"
            echo "d = [0, 1048576]; c = $constant; size = \"d\"; k = $slope; }"
            separator=,
        done
        echo ');'
    } >"$1"
}

@test "make --inside: messages of both levels, from two sheets" {
    sheet between.sheet isend1:2.0:0.0 recv:10.0:0.008 recvmin:3.0:0.0
    sheet node.sheet send:1.0:0.0 recv:4.5:0.001 recvmin:0.5:0.0
    "$BMF" machine make between.sheet --inside node.sheet --per-node 2 -o levels.machine
    # overheads 1 and 0.5: the smaller ones; 10 - 1.5 and 4.5 - 1.5 us; 8 bytes in 0.008 and 0.001 us
    grep -q 'latency_us = 8.5; bandwidth_mb_per_s = 1000; send_us = 1;' levels.machine
    grep -q 'receive_us = 0.5; node_latency_us = 3; node_bandwidth_mb_per_s = 8000;' levels.machine
    grep -q 'processors_per_node = 2;' levels.machine
    grep -q 'relative_error = 0.02;' levels.machine
    "$BMF" machine check levels.machine --procs 4
    # messages that follow each other: the link's 500 MB/s, which single ones after a pause do not show
    sheet between.sheet isend1:2.0:0.0 recv:10.0:0.008 recvmin:3.0:0.0 gapout:4.0:0.016
    "$BMF" machine make between.sheet --inside node.sheet --per-node 2 -o link.machine
    grep -q 'latency_us = 8.5; bandwidth_mb_per_s = 500; send_us = 1;' link.machine
    sheet between.sheet isend1:2.0:0.0 recv:10.0:0.008 recvmin:3.0:0.0
    sed -i 's/d = \[0, 1048576\]; c = 10.0; size = "d"; k = 0.008;/d = [0, 1024]; c = 10.0; size = "d"; k = 0.016; },\n{ operation = "recv"; family = "point-to-point"; element_bytes = 8; d = [1024, 1048576]; c = 18.192; size = "d"; k = 0.008;/' between.sheet
    "$BMF" machine make between.sheet --inside node.sheet --per-node 2 --kernels between.sheet --sharing 2 -o bent.machine
    # at 1024 elements the equation has 26.384 us, the line from 10 to 18.192 + 0.008 2^20 us 18.2: 45 % off
    grep -q 'relative_error = 0.4[45]' bent.machine
    grep -q 'sharing = 2' bent.machine
}

@test "make --inside: what it needs" {
    sheet between.sheet isend1:2.0:0.0 recv:10.0:0.008 recvmin:3.0:0.0
    sheet still.sheet send:1.0:0.0 recv:4.5:0.0 recvmin:0.5:0.0
    sheet silent.sheet send:1.0:0.0
    refused "still.sheet: the times of 'recv' do not grow with the sizes" make between.sheet --inside still.sheet \
        --per-node 2 -o m.machine
    refused "silent.sheet does not say what 'recv' takes" make silent.sheet --inside between.sheet --per-node 2 -o m.machine
    refused "cannot read 'none.sheet'" make between.sheet --inside none.sheet --per-node 2 -o m.machine
    refused "--inside SHEET and --per-node K go together" make between.sheet --per-node 2 -o m.machine
    refused "--inside SHEET and --per-node K go together" make between.sheet --inside between.sheet -o m.machine
    refused "--inside goes with two sheets" make between.sheet --inside between.sheet --per-node 2 --congested -o m.machine
    [ ! -e m.machine ]
}

# osu LINES: osu_latency of a line of 2 us and 1000 MB/s, and osu_bw
osu()
{
    printf '%s\n' '# OSU MPI Latency Test v7.3' '# Size          Latency (us)' '0 2.00' '1000 3.00' '1000000 1002.0' >latency
    printf '%s\n' '# OSU MPI Bandwidth Test v7.3' '# Size      Bandwidth (MB/s)' '1 4.0' '1000000 990.0' '4000000 1000.0' >bw
}

@test "make --osu: latency, bandwidth and overheads of other benchmarks" {
    osu
    "$BMF" machine make --osu latency --osu bw -o osu.machine
    "$BMF" machine check osu.machine
    grep -q 'latency_us = 1.5; bandwidth_mb_per_s = 1000; send_us = 0.25;' osu.machine
    grep -q 'relative_error = 0.02;' osu.machine
    "$BMF" machine make --osu latency -o alone.machine # the bandwidth of the longest messages
    grep -q 'latency_us = 2; bandwidth_mb_per_s = 1000; send_us = 0;' alone.machine
    printf '%s\n' '#-----' '# Benchmarking PingPong' '# #processes = 2' '#-----' \
        '       #bytes #repetitions      t[usec]   Mbytes/sec' '            0         1000         2.00         0.00' \
        '      1000000           40      1002.00       998.00' '' '# Benchmarking Sendrecv' '        0  1000  9.0 9.0 9.0' >imb
    "$BMF" machine make --osu imb -o imb.machine
    grep -q 'latency_us = 2; bandwidth_mb_per_s = 1000;' imb.machine
}

@test "make --osu: what is no output of such a benchmark" {
    osu
    run --separate-stderr "$BMF" machine make --osu bw -o osu.machine
    assert_equal "$status" 2
    assert_equal "${stderr_lines[0]}" 'bmf: bw has bandwidths only: latencies are needed, too (osu_latency)'
    sed -i 's/^1000 3.00/1000 fast/' latency
    run --separate-stderr "$BMF" machine make --osu latency -o osu.machine
    assert_equal "${stderr_lines[0]}" 'bmf: latency:4: this is no row of a size and a time or bandwidth'
    echo hello >latency
    run --separate-stderr "$BMF" machine make --osu latency -o osu.machine
    assert_equal "$status" 2
    [ ! -e osu.machine ]
    run --separate-stderr "$BMF" machine make --osu latency --dvm latency -o osu.machine
    assert_equal "$status" 2
}

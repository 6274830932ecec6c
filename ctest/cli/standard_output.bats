#!/usr/bin/env bats
# A standard output that cannot be written: a full device, a closed descriptor, a reader that is gone. Every command, and
# the help of each, says so in one line and ends with 1. The commands are those of bmf's own tables: a new one must be
# added here.

bats_require_minimum_version 1.5.0

load set_up.bash

setup()
{
    set_up
    PATH=$BATS_FILE_TMPDIR/launcher:$PATH
}

# paths GROUP...: the commands that its help names, and those below them, without the groups
paths()
{
    local command below
    for command in $("$BMF" "$@" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
        below=$(paths "$@" "$command")
        echo "${below:-$* $command}"
    done | sed 's/^ //'
}

# The arguments with which a command prints something.
printing()
{
    case "$1" in
        calibrate) echo --memory in.sheet --args 20000,200000,20000000 --ranks 1 --launch ./start{p} --repeats 3 --max-spread 100000 -o out.machine -- "$BMF_BIN_DIR/01-sum-of-squares" {n} ;;
        check | core | notation | plan) echo sum.bmf ;;
        format) echo sum.notation ;;
        choose) echo sum.bmf --machine ideal --procs 2 ;;
        run) echo sum.bmf --stats ;;
        compare) echo in.trace in.trace --json ;;
        convert) echo in.trace --to csv -o - ;;
        "cop check" | "cop plan") echo matmul.cop --size 3x3 ;;
        "cop compile") echo matmul.c --size 2x2 --router mpi -o - ;;
        "cop run") echo matmul.c --size 2x2 ;;
        "cop time") echo matmul.cop --size 2x2 ;;
        doctor) echo --json ;;
        language-server) ;;
        "machine check" | "machine show") echo ideal ;;
        "machine list") ;;
        "machine make") echo in.sheet -o out.machine ;;
        mesh) echo run bitrev --size 4x4 ;;
        "model best" | "model eval") echo life -p 1..4 -d 20 ;;
        "model check") echo life ;;
        "model fit") echo fit-*.trace --param n -o out.model ;;
        "model list") ;;
        "model plot") echo life -p 1..4 -d 20 -o out.svg ;;
        parallelise) echo serial.bmf --machine ideal --procs 2 ;;
        permute) echo --bits 4 --elem 8 --matrix gray --json ;;
        predict) echo sum.bmf --machine ideal --procs 2 ;;
        replay) echo in.trace --machine ideal ;;
        report) echo in.trace --html - ;;
        "sheet calc") echo in.sheet send 2 8 ;;
        "sheet compare") echo in.sheet in.sheet ;;
        "sheet fit") echo in.raw -o out.sheet ;;
        "sheet kernels") echo in.trace -o out.kernels ;;
        "sheet measure") echo --list ;;
        "sheet plot") echo in.sheet send -o - ;;
        "sheet schedules") echo --seconds 1 --procs 2 --skeletons split -o out.costs ;;
        "sheet show") echo in.sheet ;;
        "sweep compare") echo in.sweep in.sweep ;;
        "sweep run") echo -p 1 -n 1,2 -o out.sweep -- "$BMF_BIN_DIR/01-sum-of-squares" {n} ;;
        "sweep show") echo in.sweep ;;
        trace) echo in.trace ;;
        validate) echo sum.bmf --machine ideal --ranks 1 --launch ./start{p} --repeats 1 ;;
        *) return 1 ;;
    esac
}

# Files that arguments name, once for all tests.
setup_file()
{
    BMF=$BMF_BIN_DIR/bmf
    export OMP_WAIT_POLICY=passive
    cd "$BATS_FILE_TMPDIR"
    # of the MPI that bmf is built with, which bmf doctor looks for
    mkdir launcher
    ln -s "$(command -v "${MPIRUN:-mpirun.mpich}")" launcher/mpirun
    cat >sum.bmf <<'END'
P_Reduce (B_Op (B_Plus)) . P_Map (B_Reduce (B_Op (B_Plus)) (B_Con (B_Real 0)) . B_Map (B_Op (B_Times) . B_Alltup [B_Id, B_Id])) . P_Split (B_Procs) [1.0, 2.0, 3.0]
END
    echo 'B_Map (B_Op (B_Neg)) [1, 2, 3]' >serial.bmf
    echo 'main(xs) = reduce(+, xs)' >sum.notation
    printf 'Content-Length: %s\r\n\r\n%s' 46 '{"jsonrpc":"2.0","id":1,"method":"initialize"}' 44 \
        '{"jsonrpc":"2.0","id":2,"method":"shutdown"}' 33 '{"jsonrpc":"2.0","method":"exit"}' >requests
    cp "$BMF_SOURCE_DIR/ctest/cli/hostile/bigd.raw" in.raw
    cp "$BMF_SOURCE_DIR/examples/sheets/two-cores.sheet" in.sheet
    cp "$BMF_SOURCE_DIR"/examples/cop/matmul.* .
    "$BMF" run sum.bmf --procs 2 --trace in.trace
    "$BMF" sweep -p 1 -n 1,2 -o in.sweep -- "$BMF_BIN_DIR/01-sum-of-squares" {n}
    printf '%s\n' 'program "rules", "n"' 'ranks 1' 'call collective "bcast" root 0 bytes 8*d' >rules.model
    for p in 1 2 4; do
        for n in 8 16 32; do
            "$BMF" predict rules.model --machine ideal --procs $p --set n=$n --trace fit-$p-$n.trace
        done
    done
    printf '#!/bin/sh\nexec "$@"\n' >start1
    chmod +x start1
}

prepare()
{
    cp -r "$BATS_FILE_TMPDIR"/. .
    # A pipe whose reader has gone.
    mkfifo pipe
    exec 6<>pipe 7>pipe 6>&-
}

# unwritable HOW ARGUMENT...: bmf with such a standard output, and requests to read, ends with 1 and one line
unwritable()
{
    local how=$1 code=0
    shift
    case "$how" in
        full) timeout 60 "$BMF" "$@" <requests >/dev/full 2>said || code=$? ;;
        closed) timeout 60 "$BMF" "$@" <requests >&- 2>said || code=$? ;;
        gone) timeout 60 "$BMF" "$@" <requests >&7 2>said || code=$? ;;
    esac
    [ "$code" -eq 1 ] || fail "bmf $* ($how): exit code $code: $(cat said)"
    [ "$(wc -l <said)" -eq 1 ] || fail "bmf $* ($how): $(cat said)"
    grep -q '^bmf: cannot write to standard output' said || fail "bmf $* ($how): $(cat said)"
}

@test "every command says in one line that standard output cannot be written, and ends with 1" {
    prepare
    commands=$(paths)
    [ "$(wc -l <<<"$commands")" -ge 20 ] || fail "too few commands: $commands"
    while read -r -u 5 command; do
        # What stands there is another program's, which takes the place of this one.
        if [ "$command" = record ]; then continue; fi
        arguments=$(printing "$command") || fail "bmf $command is missing in this test"
        "$BMF" $command $arguments <requests >printed 2>said || fail "bmf $command $arguments: $(cat said)"
        case "$command" in
            "machine make" | "model plot" | "sweep run")
                [ ! -s printed ] || fail "bmf $command is not silent any more"
                rm -f out.*
                continue
                ;;
        esac
        [ -s printed ] || fail "bmf $command $arguments prints nothing"
        for how in full closed gone; do
            unwritable $how $command $arguments
        done
    done 5<<<"$commands"
}

@test "so does the help of every command and group" {
    prepare
    while read -r -u 5 command; do
        for how in full closed gone; do
            unwritable $how $command --help
        done
    done 5< <(paths; printf "machine\nsheet\n\n")
    unwritable full --version
}

@test "help says what the exit codes mean, of all commands alike" {
    while read -r -u 5 command; do
        help=$("$BMF" $command --help | tr -s '\n ' ' ')
        for text in "Exit codes: 0 success; 1 failed: " "standard output that cannot be written; " \
                    "2 bad usage or bad input, or a file that cannot be read or written, a full disk included."; do
            [[ $help == *"$text"* ]] || fail "bmf $command --help does not say: $text"
        done
    done 5< <(paths; printf "machine\nsheet\n\n")
}

@test "output files that cannot be written are another thing: exit code 2" {
    prepare
    for command in "convert in.trace --to csv -o" "report in.trace --html" "sheet plot in.sheet send -o" \
                   "machine make in.sheet -o"; do
        run --separate-stderr "$BMF" $command /dev/full
        assert_failure 2
        [ "${#stderr_lines[@]}" -eq 1 ] || fail "$stderr"
        [[ $stderr == "bmf: cannot write '/dev/full'"* ]] || fail "$stderr"
    done
}

@test "a program that is predicted ends by a broken pipe as usual" {
    prepare
    printf '#!/bin/sh\n/bin/echo x >&7\n[ $? -eq 141 ] && touch ended\nexit 0\n' >program
    chmod +x program
    run "$BMF" predict --machine ideal --procs 2 -- ./program
    [ -e ended ] || fail "the program does not get SIGPIPE: $output"
}

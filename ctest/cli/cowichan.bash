# What the tests of the Cowichan programs share.

load_cowichan()
{
    bats_load_library bats-support
    bats_load_library bats-assert
    cd "$BATS_TEST_TMPDIR"
    export OMP_WAIT_POLICY=passive
    recorder=$BMF_BUILD_DIR/libbmf-record.so
    programs=$BMF_BUILD_DIR/cowichan
}

# plain RANKS PROGRAM ARGUMENT..: a program of MPI alone; blocking calls wait politely if ranks may share cores
plain()
{
    if [ "$1" -gt 2 ] && [ -e "$recorder" ]; then
        "$MPIRUN" -n "$1" env BMF_RECORD_OPTIONS=polite LD_PRELOAD="$recorder" "$programs/$2" "${@:3}"
    else
        "$MPIRUN" -n "$1" "$programs/$2" "${@:3}"
    fi
}

# Every program with the ways it can go, one a line; elastic with few iterations, each of which is n reductions.
cowichan_programs=(mandel 'mandel --threads 3' randmat half life 'life --threads 2' thresh 'thresh --fraction 0.5'
    invperc 'invperc --fraction 0.6' outer 'outer --method copy --threads 2' 'elastic --iters 4' product sor gauss
    'gauss --pivot' norm 'norm --reduce 1' winnow 'winnow --stride 1' vecdiff)

# check_all "RANKS.." "SIZES..": every program equals its reference, and its result is the same on any number of ranks.
check_all()
{
    local program ranks n line sum
    declare -A sums
    for program in "${cowichan_programs[@]}"; do
        for n in $2; do
            for ranks in $1; do
                # shellcheck disable=SC2086 # a program and its arguments
                line=$(plain "$ranks" $program --n "$n" --check) || { echo "$program --n $n on $ranks ranks: $line"; return 1; }
                sum=${line##* }
                : "${sums[$program $n]:=$sum}"
                [ "$sum" = "${sums[$program $n]}" ] || { echo "$program --n $n differs on $ranks ranks"; return 1; }
            done
        done
    done
}

# plain_results: what the programs in plain MPI make of the files of cowichan_versions.py
plain_results()
{
    plain 1 mandel --n "$1" --out out-mandel.npy
    plain 1 randmat --n "$1" --out out-randmat.npy
    local program
    for program in half thresh life norm; do
        plain 1 $program --in plain-$program.npy --out out-$program.npy
    done
    plain 1 winnow --in plain-winnow.npy --mask plain-mask.npy --out out-winnow.npy
    plain 1 outer --in plain-outer.npy --out out-outer.npy --vector-out out-distances.npy
    for program in product gauss sor; do
        plain 1 $program --in plain-system.npy --vector plain-vector.npy --out out-$program.npy
    done
    plain 1 vecdiff --in plain-first.npy --vector plain-second.npy --out out-vecdiff.npy
}

cowichan_language=(mandel randmat half thresh life norm winnow outer product gauss sor vecdiff)

# in_language RANKS PROGRAM: of examples/cowichan/, on its file
in_language()
{
    local out=(--out "$2.out.npy")
    [ "$2" != vecdiff ] || out=()
    BMF_THREADS=1 "$MPIRUN" -n "$1" "$BMF_BIN_DIR/bmf" run "$BMF_SOURCE_DIR/examples/cowichan/$2.bmf" --arg "$2.npy" "${out[@]}" >"$2.out"
}

# check_language "RANKS.." "SIZES..": the programs in the language find what those in plain MPI find
check_language()
{
    local n ranks program
    for n in $2; do
        python3 "$BMF_SOURCE_DIR/ctest/cli/cowichan_versions.py" make "$n"
        plain_results "$n" >/dev/null
        for ranks in $1; do
            rm -f ./*.out.npy
            for program in "${cowichan_language[@]}"; do
                in_language "$ranks" "$program" || { echo "$program, n $n, $ranks ranks failed"; return 1; }
            done
            python3 "$BMF_SOURCE_DIR/ctest/cli/cowichan_versions.py" compare "${cowichan_language[@]}" ||
                { echo "n $n, $ranks ranks"; return 1; }
        done
    done
}

# check_skeletons "RANKS.." "SIZES..": the programs on bmf's skeletons find what those in plain MPI find, to the last bit
check_skeletons()
{
    local n ranks program found expected
    for n in $2; do
        for program in mandel randmat half life thresh outer product sor gauss norm vecdiff; do
            expected=$(plain 1 $program --n "$n")
            for ranks in $1; do
                # The skeletons wait politely by themselves.
                found=$("$MPIRUN" -n "$ranks" "$programs/skeletons" $program --n "$n" --check) || return 1
                [ "${found##* }" = "${expected##* }" ] || { echo "$program --n $n differs on $ranks ranks: $found"; return 1; }
            done
        done
    done
}

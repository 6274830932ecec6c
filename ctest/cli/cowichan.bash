# What the tests of the Cowichan programs share.

load_cowichan()
{
    bats_load_library bats-support
    bats_load_library bats-assert
    cd "$BATS_TEST_TMPDIR"
    export OMP_WAIT_POLICY=passive
    polite=$BMF_BUILD_DIR/libbmf_polite.so
    programs=$BMF_BUILD_DIR/cowichan
}

# plain RANKS PROGRAM ARGUMENT..: a program of MPI alone; blocking calls wait politely if ranks may share cores
plain()
{
    if [ "$1" -gt 2 ]; then
        "$MPIRUN" -n "$1" -genv LD_PRELOAD "$polite" "$programs/$2" "${@:3}"
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

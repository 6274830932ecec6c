# What the tests of fitted programs share.

# record RANKS FILE PROGRAM ARGUMENT..
record()
{
    timeout 100 "$MPIRUN" -n "$1" "$BMF" record --polite -o "$2" -- "$COWICHAN/$3" "${@:4}" > output
}

# fit PROGRAM "RANKS.." "SIZES.." ARGUMENT..: PROGRAM.model
fit()
{
    local ranks n
    for ranks in $2; do
        for n in $3; do
            record "$ranks" "$1-$ranks-$n.trace" "$1" --n "$n" "${@:4}"
        done
    done
    "$BMF" model fit "$1"-*.trace --param n -o "$1.model" --exact > "$1.fit"
}

# events TRACE: what ranks call, without times
events()
{
    "$BMF" convert "$1" --to csv -o - | awk -F, '$4 != "kernel" || $6 ~ /steps/' | cut -d, -f2-9,12
}

# same PROGRAM RANKS N ARGUMENT..: the model does what a recording does
same()
{
    "$BMF" predict "$1.model" --machine t3d-sheet --procs "$2" --set n="$3" --samples 2 --trace predicted.trace > table
    record "$2" there.trace "$1" --n "$3" "${@:4}"
    events predicted.trace > predicted.events
    events there.trace > there.events
    [ "$(wc -l < there.events)" -gt 20 ] || fail "few events: $(wc -l < there.events)"
    cmp predicted.events there.events || fail "$1 at n = $3 on $2: $(diff predicted.events there.events | head -5)"
}

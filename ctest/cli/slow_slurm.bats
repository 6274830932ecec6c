#!/usr/bin/env bats
# Every job of docs/cluster.md, submitted to a real Slurm with four nodes on this machine (scripts/cluster --slurm); a job
# that is cancelled in the middle, and a node that dies. Skipped where there is no Slurm.

bats_require_minimum_version 1.5.0

setup_file()
{
    export FILES=$BATS_FILE_TMPDIR/files
    mkdir -p "$FILES"
    # The jobs of the page, and what they work on.
    awk -v folder="$FILES" '/^<!-- job: / { name = $3; next }
        name && /^```sh/ { out = folder "/" name ".sh"; next }
        /^```/ { if (out) close(out); out = name = "" }
        out { print > out }' "$BMF_SOURCE_DIR/docs/cluster.md"
    cp "$BMF_SOURCE_DIR/examples/25-k-means.bmf" "$FILES/k-means.bmf"
    /usr/bin/python3 "$BMF_SOURCE_DIR/ctest/cli/language_examples.py" make k-means "$FILES"
    # A tenth of them: three calibrations share the cores of this host.
    /usr/bin/python3 -c 'import numpy, sys; numpy.save(sys.argv[2], numpy.load(sys.argv[1])[:100_000])' \
        "$FILES/input.npy" "$FILES/points.npy"
}

setup()
{
    bats_load_library bats-support
    bats_load_library bats-assert
    unset BMF_PROCS BMF_TRACE BMF_SCHEDULE BMF_PLAN BMF_FREE BMF_THREADS
    cd "$FILES"
    PATH=$BMF_BIN_DIR:$PATH
}

# on_slurm NODES SCRIPT: runs it in bash with such a Slurm around it
on_slurm()
{
    run timeout 500 "$BMF_SOURCE_DIR/scripts/cluster" --slurm "$1" -- bash -c "$2"
    [ "$status" -ne 77 ] || skip "$output"
}

# The answer of one process that plays eight.
answer()
{
    bmf run k-means.bmf --arg points.npy --bmf-procs 8
}

@test "the jobs of the page that run the program" {
    on_slurm 4 'sbatch -W mpirun.sh && sbatch -W srun.sh && sbatch -W doctor.sh'
    assert_success
    local expected
    expected=$(answer)
    for job in mpirun srun; do
        grep -qxF "$expected" $job.out || fail "$job: $(cat $job.out)"
        grep -q " on 8 processors, 8 ranks of 1 thread" $job.out || fail "$job: $(cat $job.out)"
    done
    [ -s run.html ]
    grep -qE '^(fine|slow) +cores +' doctor.out
    grep -qE '^fine +job +a job of Slurm with 2 nodes, 4 ranks' doctor.out
}

@test "srun without --mpi=pmi2: one line that says so, not eight answers" {
    on_slurm 4 'srun -N 4 -n 8 bmf run k-means.bmf --arg points.npy 2>&1'
    assert_failure
    [ "$(grep -c 'srun started 8 processes, but each of them is alone' <<<"$output")" -eq 1 ]
    refute_output --partial "$(answer)"
}

@test "the array of calibrations, and a prediction from it" {
    on_slurm 4 'sbatch -W array.sh'
    assert_success
    for ranks in 1 2 4; do
        [ -s ranks-$ranks.machine ] || fail "$(cat array-$ranks.out)"
    done
    run bmf predict k-means.bmf --machine ranks-4.machine --procs 4,16 --arg points.npy --json
    assert_success
}

@test "messages between two nodes become a machine" {
    on_slurm 4 'sbatch -W network.sh; cat network.out'
    assert_success
    run bmf machine check network.machine
    assert_success
}

@test "messages between nodes and inside of one become a machine of two levels" {
    on_slurm 4 'sbatch -W node.sh; cat node.out'
    assert_success
    assert_line --regexp '^ +8 '
    grep -q 'type = "cluster"' levels.machine
}

@test "a calibration that is cancelled goes on where it was" {
    on_slurm 4 '
        rm -rf ranks-2.machine*
        sed "s/--array=1,2,4/--array=2/; s/--repeats 3/--repeats 12/" array.sh >cancelled.sh
        id=$(sbatch --parsable cancelled.sh)
        until [ "$(find ranks-2.machine.runs -name "*.trace" 2>/dev/null | wc -l)" -ge 5 ]; do sleep 0.1; done
        scancel "$id"
        while squeue -h -j "$id" 2>/dev/null | grep -q .; do sleep 0.2; done
        echo "machine: $(ls ranks-2.machine 2>/dev/null), kept: $(find ranks-2.machine.runs -name "*.trace" | wc -l)"
        touch cancelled
        sbatch -W cancelled.sh && cat array-2.out'
    assert_success
    assert_output --regexp 'machine: , kept: [0-9]+'
    [ -s ranks-2.machine ]
}

@test "a node dies: the job ends, nobody waits for its ranks" {
    cat >endless.bmf <<'END'
P_Reduce (B_Op (B_Plus)) . P_Map (B_Reduce (B_Op (B_Plus)) . B_Map (B_While (B_Op (B_Lt) . B_Alltup [B_Id, B_Con (B_Int 9000000000000000000)]) (B_Op (B_Plus) . B_Alltup [B_Id, B_Con (B_Int 1)]))) . P_Split (B_Procs) [1, 2, 3, 4]
END
    cat >endless.sh <<'END'
#!/bin/sh
#SBATCH --nodes=2 --ntasks-per-node=2 --time=10 --no-requeue --output=endless.out
mpirun.mpich bmf run endless.bmf
END
    # The processes of a node: its slurmd, and the daemons of job steps, which write into its log.
    on_slurm 2 '
        id=$(sbatch --parsable endless.sh)
        until [ "$(pgrep -fc "^bmf run endless.bmf")" -eq 4 ]; do sleep 0.2; done
        kill -9 "$(cat "$BMF_SLURM_FOLDER/slurmd-n1.process")"
        for step in $(pgrep -f "slurmstepd: \[$id"); do
            ! ls -l "/proc/$step/fd" | grep -q slurmd-n1.log || kill -9 "$step"
        done
        for ((k = 0; k < 400; k++)); do
            state=$(scontrol show job "$id" | sed -n "s/.*JobState=\([A-Z_]*\).*/\1/p")
            case $state in RUNNING | COMPLETING) sleep 0.2 ;; *) break ;; esac
        done
        for ((k = 0; k < 100 && $(pgrep -fc "^bmf run endless.bmf"); k++)); do sleep 0.2; done
        echo "state $state, $(pgrep -fc "^bmf run endless.bmf") processes left"'
    assert_output --regexp 'state (NODE_FAIL|FAILED), 0 processes left'
}

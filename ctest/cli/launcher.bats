#!/usr/bin/env bats
# Processes that the launcher of another MPI started are not N programs that each do the whole work: one line names the
# remedy, with exit code 2.

bats_require_minimum_version 1.5.0

load set_up.bash

setup()
{
    set_up
    unset BMF_INDEPENDENT
    echo 'B_Reduce (B_Op (B_Plus)) [1, 2, 3]' >sum.bmf
    PATH=$BMF_BIN_DIR:$PATH
}

# started NAME RANK SIZE COMMAND..: as such a launcher starts process RANK of SIZE
started()
{
    local name=$1 rank=$2 size=$3
    shift 3
    case $name in
        openmpi) run --separate-stderr env OMPI_COMM_WORLD_RANK="$rank" OMPI_COMM_WORLD_SIZE="$size" "$@" ;;
        srun) run --separate-stderr env SLURM_PROCID="$rank" SLURM_STEP_NUM_TASKS="$size" "$@" ;;
    esac
}

@test "the first of several processes says what is wrong" {
    local name
    for name in openmpi srun; do
        started $name 0 4 bmf run sum.bmf
        assert_failure 2
        assert_output ""
        [ "${#stderr_lines[@]}" -eq 1 ]
        [[ $stderr == *"started 4 processes, but each of them is alone"* ]]
        [[ $stderr == *"start them by"*"mpi"* ]]
    done
}

@test "the others are silent" {
    local name
    for name in openmpi srun; do
        started $name 3 4 bmf run sum.bmf
        assert_failure 2
        assert_output ""
        [ -z "$stderr" ]
    done
}

@test "programs in C, too" {
    started openmpi 0 2 "$BMF_BIN_DIR/01-sum-of-squares" 10
    assert_failure 2
    [[ $stderr == "bmf: mpirun of Open MPI started 2 processes"* ]]
    started openmpi 1 2 "$BMF_BIN_DIR/01-sum-of-squares" 10
    assert_failure 2
    [ -z "$stderr" ]
}

@test "commands that one process runs are run by the first" {
    started srun 0 4 bmf machine list
    assert_success
    assert_output --partial "decmpp-2048"
    started srun 1 4 bmf machine list
    assert_success
    assert_output ""
}

@test "BMF_INDEPENDENT=1, one process, and the library's own launcher" {
    BMF_INDEPENDENT=1 started openmpi 1 4 bmf run sum.bmf
    assert_success
    assert_output 6
    started srun 0 1 bmf run sum.bmf
    assert_output 6
    started openmpi 0 4 "$MPIRUN" -n 1 bmf run sum.bmf
    assert_success
    assert_output 6
    started openmpi 0 4 "$MPIRUN" -n 2 bmf run sum.bmf
    assert_success
    assert_output 6
}

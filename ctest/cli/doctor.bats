#!/usr/bin/env bats
# bmf doctor: what is slow or wrong is said, with its remedy. Hosts are copies of /proc and /sys, made here.

bats_require_minimum_version 1.5.0

load set_up.bash

setup()
{
    set_up
    unset BMF_JIT UCX_TLS OMP_WAIT_POLICY GOMP_SPINCOUNT
    unset SLURM_JOB_NUM_NODES SLURM_NTASKS OMP_NUM_THREADS
    PATH=$BMF_BIN_DIR:$PATH
}

# host CLOCK GOVERNOR DRIVER HUGEPAGES RELEASE: a copy of a host's files, in ./host
host()
{
    local sys=host/sys/devices/system
    mkdir -p $sys/clocksource/clocksource0 $sys/cpu/cpu0/cpufreq host/sys/kernel/mm/transparent_hugepage host/proc/sys/kernel
    echo "$1" >$sys/clocksource/clocksource0/current_clocksource
    echo "$2" >$sys/cpu/cpu0/cpufreq/scaling_governor
    echo "$3" >$sys/cpu/cpu0/cpufreq/scaling_driver
    echo "$4" >host/sys/kernel/mm/transparent_hugepage/enabled
    echo "$5" >host/proc/sys/kernel/osrelease
}

# verdict SUBJECT: of it in JSON
verdict()
{
    bmf doctor --root host --json "${@:2}" | python3 -c 'import json, sys
print([f["verdict"] for f in json.load(sys.stdin)["findings"] if f["subject"] == sys.argv[1]][0])' "$1"
}

@test "a host with everything slow" {
    host hpet powersave acpi-cpufreq "always madvise [never]" 5.10.0-28-amd64
    run bmf doctor --root host
    assert_line --regexp '^slow +clock +hpet, a reading costs [0-9]+ ns$'
    assert_line --partial "clocksource=tsc"
    assert_line --regexp '^slow +frequency +governor powersave'
    assert_line --regexp '^slow +huge pages +switched off$'
    assert_line --regexp '^slow +direct copies +Linux 5.10.0-28-amd64: '
}

@test "a host with everything fine" {
    host tsc powersave intel_pstate "[always] madvise never" 6.1.0-18-amd64
    local subject
    for subject in clock frequency "huge pages" "direct copies"; do
        run verdict "$subject"
        assert_output fine
    done
}

@test "the launcher of another MPI in PATH is wrong, and the exit code says so" {
    local other=orterun said='mpirun is that of Open MPI' remedy="mpirun.mpich or mpiexec.hydra"
    if bmf --version | grep -q "Open MPI"; then
        other=mpiexec.hydra
        said='mpirun is .*/bin/mpiexec.hydra, but bmf is built with Open MPI'
        remedy="Open MPI's own launcher"
    fi
    mkdir bin
    printf '#!/bin/sh\n' >bin/$other
    chmod +x bin/$other
    ln -s $other bin/mpirun
    host tsc performance acpi-cpufreq "[always] madvise never" 6.1.0
    PATH=$PWD/bin:$PATH run bmf doctor --root host
    assert_failure 1
    assert_line --regexp "^wrong +mpirun +$said"
    assert_line --partial "$remedy"
    assert_line --regexp '^1 wrong, '
}

@test "ranks, threads and the environment" {
    run env OMP_WAIT_POLICY=ACTIVE UCX_TLS=tcp,self BMF_DEBUG=1 bmf doctor --bmf-threads 1024
    assert_line --regexp '^slow +cores +1 ranks of 1024 threads on [0-9]+ cores? of this host'
    assert_line --regexp '^slow +OpenMP waiting +'
    assert_line --regexp '^slow +transports +UCX_TLS=tcp,self'
    assert_line --regexp '^slow +environment +BMF_DEBUG=1'
    run env SLURM_JOB_NUM_NODES=4 bmf doctor
    assert_line --regexp '^slow +job +a job of Slurm with 4 nodes, but one rank$'
}

@test "many ranks print one table" {
    run "$MPIRUN" -n 64 bmf doctor
    [ "$(grep -c "this directory" <<<"$output")" -eq 1 ]
    assert_line --regexp '^(slow|fine) +cores +64 ranks '
}

@test "bad usage" {
    run --separate-stderr bmf doctor leg
    assert_failure 2
    [[ $stderr == "bmf: unexpected argument 'leg' (see \`bmf doctor --help\`)" ]]
}

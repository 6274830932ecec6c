/** @file
 * Marks in an MPI program for `bmf record` and `bmf predict --mpi`: phases, steps of computing, parameters. This header
 * is all there is: nothing needs to be linked, and nothing happens unless the recorder is loaded
 * (docs/mpi-programs.md). Fortran programs `call bmf_phase('input')`, `bmf_phase_end()`, `bmf_compute(steps)` and
 * `bmf_value('n', value)`, with double precision numbers, and are linked with -lbmf-record, which does nothing by
 * itself. None is collective. */
#ifndef BMF_MARK_H
#define BMF_MARK_H

#ifdef __cplusplus
extern "C" {
#endif

/** The recorder's functions; absent without it. */
extern void bmf_record_phase(const char *name) __attribute__((weak));
/** See bmf_phase_end. */
extern void bmf_record_phase_end(void) __attribute__((weak));
/** See bmf_compute. */
extern void bmf_record_steps(double steps) __attribute__((weak));
/** See bmf_value. */
extern void bmf_record_value(const char *name, double value) __attribute__((weak));

/** Ends the phase before and begins a phase: a region of the trace. Its time is that of the rank it took longest on. */
static inline void bmf_phase(const char *name)
{
    if (bmf_record_phase)
        bmf_record_phase(name);
}

/** Ends the phase. */
static inline void bmf_phase_end(void)
{
    if (bmf_record_phase_end)
        bmf_record_phase_end();
}

/** Says that the computing since the last call took so many steps. */
static inline void bmf_compute(double steps)
{
    if (bmf_record_steps)
        bmf_record_steps(steps);
}

/** Stores a parameter of the program in the trace, such as ("n", 160). */
static inline void bmf_value(const char *name, double value)
{
    if (bmf_record_value)
        bmf_record_value(name, value);
}

#ifdef __cplusplus
}
#endif
#endif

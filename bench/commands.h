/* The subcommands of bmf-bench. argv[0] is the subcommand's name. Collective; each returns the exit code. */
#ifndef BENCH_COMMANDS_H
#define BENCH_COMMANDS_H

#include "bmf.h"

int bench_skeletons(bmf_context *ctx, int argc, char **argv);
int bench_permute(bmf_context *ctx, int argc, char **argv);
int bench_language(bmf_context *ctx, int argc, char **argv);
int bench_sheets(bmf_context *ctx, int argc, char **argv);
int bench_predict(bmf_context *ctx, int argc, char **argv);
int bench_edn(bmf_context *ctx, int argc, char **argv);
int bench_mesh(bmf_context *ctx, int argc, char **argv);

#endif

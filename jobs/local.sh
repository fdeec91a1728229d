#!/bin/bash
# A sweep or a dataset on this machine without Slurm: starts again and resumes until it is complete.
#
#   TRACE=jac.ptr MACHINE=cluster.par STORE=jac.h5 MODE=3 jobs/local.sh
#   DESIGN=design.toml STORE=data.h5 jobs/local.sh
#
# SIGINT (Ctrl-C) and SIGTERM store what there is and end it with exit code 3; the same command goes on.
#
# settings    TRACE, MACHINE, STORE   as in sweep.sbatch, or
#             DESIGN, STORE           as in dataset.sbatch
#   optional  MODE, EXTRA, RANKS, LAUNCHER, MPIRUN_OPTIONS, GRIDCAST  as there
#             ROUND_SECONDS           ends every start after this time, as a time limit would
set -u

# shellcheck source=jobs/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh" || exit 2

require_settings STORE
find_gridcast
choose_launcher
# Ctrl-C goes to all processes of the terminal's group; mpirun would end the ranks at once.
launch=(setsid "${launch[@]}")

read -r -a extra <<<"${EXTRA:-}"
[ -z "${ROUND_SECONDS:-}" ] || extra+=(--time-limit "$ROUND_SECONDS")
if [ -n "${DESIGN:-}" ]; then
  command=(dataset "$DESIGN")
else
  require_settings TRACE MACHINE
  read -r -a traces <<<"$TRACE"
  [ -z "${MODE:-}" ] || extra+=(--mode "$MODE")
  command=(sweep "${traces[@]}" --machine "$MACHINE")
fi

code=$STOPPED
while [ "$code" = "$STOPPED" ] && [ "$end_requested" = no ]; do
  run_stored "$STORE" "${command[@]}" "${extra[@]}"
  code=$?
done
exit "$code"

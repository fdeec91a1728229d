#!/bin/bash
# One rank under mpirun: runs COMMAND, and rank 0 writes its process, then its exit code to FILE. With --enable-recovery,
# without which no rank may be lost, Open MPI's mpirun itself returns 0 whatever the ranks return.
#
#   mpirun ... rank.sh FILE COMMAND [ARGUMENT...]
set -u

file=$1
shift
if [ "${OMPI_COMM_WORLD_RANK:-${PMIX_RANK:-${PMI_RANK:-0}}}" != 0 ]; then
  exec "$@"
fi
# shellcheck source=jobs/common.sh
. "$(dirname "${BASH_SOURCE[0]}")/common.sh" || exit 2
# mpirun hands the signal to the whole group or to this script alone; the job script has told about it.
trap 'drain USR1 2>/dev/null' USR1
echo "process $$" >"$file"
launch_and_wait "$@"
code=$?
echo "$code" >"$file"
exit "$code"

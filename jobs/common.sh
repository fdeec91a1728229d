# shellcheck shell=bash
# Shared by the job scripts: finds gridcast and the launcher, runs a sweep so that it can be stopped
# and resumed, and has Slurm start the job again when there is more to do. Sourced by bash.

# Exit codes of gridcast.
readonly DONE=0 FAILED=1 BAD_INPUT=2 STOPPED=3
# In its place when rank 0 was killed or the launcher failed: the store tells what to do then.
readonly NO_CODE=137

common_folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
code_file=""
trap 'rm -f "$code_file"' EXIT

say() { printf '%s %s\n' "$(date -u +%Y-%m-%dT%H:%M:%SZ)" "$*" >&2; }

refuse() {
  printf '%s: %s\n' "${0##*/}" "$*" >&2
  exit "$BAD_INPUT"
}

# require_settings NAME...: these variables have values.
require_settings() {
  local name
  for name in "$@"; do
    [ -n "${!name:-}" ] || refuse "$name is not set; see the head of the script for the settings"
  done
}

# Sets the array `gridcast`: $GRIDCAST, else the release build beside this folder, else the PATH.
find_gridcast() {
  local built=$common_folder/../build/release/gridcast
  if [ -n "${GRIDCAST:-}" ]; then
    gridcast=("$GRIDCAST")
  elif [ -x "$built" ]; then
    gridcast=("$built")
  else
    gridcast=(gridcast)
  fi
  command -v "${gridcast[0]}" >/dev/null ||
    refuse "no executable ${gridcast[0]}; set GRIDCAST to the path of gridcast"
}

# This Slurm job. The number of an array's last task is that of the array: requeued by it, all would be.
slurm_job=${SLURM_ARRAY_JOB_ID:+${SLURM_ARRAY_JOB_ID}_$SLURM_ARRAY_TASK_ID}
slurm_job=${slurm_job:-${SLURM_JOB_ID:-}}

# A field of this Slurm job as `scontrol show job` prints it.
job_field() {
  scontrol --oneliner show job "$slurm_job" 2>/dev/null | grep -o "\b$1=[^ ]*" | head -n 1 | cut -d= -f2-
}

# Whether this is the batch script of a Slurm job, not a shell inside an allocation.
in_batch_job() {
  [ -n "$slurm_job" ] && [ "$(job_field BatchFlag)" = 1 ]
}

# How many ranks: $RANKS; in a Slurm job its tasks or, if none were asked for, one per processor.
rank_count() {
  if [ -n "${RANKS:-}" ]; then
    echo "$RANKS"
  elif [ -n "${SLURM_NTASKS:-}" ]; then
    echo "$SLURM_NTASKS"
  elif [ -n "${SLURM_CPUS_ON_NODE:-}" ]; then
    echo $((SLURM_CPUS_ON_NODE * ${SLURM_JOB_NUM_NODES:-1}))
  else
    nproc
  fi
}

# srun, mpirun or none. On one node mpirun comes first: only there ranks may be lost without the end
# of the step, while a PMIx step of srun ends with its first killed task.
launcher_kind() {
  if [ "${LAUNCHER:-auto}" != auto ]; then
    echo "$LAUNCHER"
  elif [ "$(rank_count)" = 1 ]; then
    echo none
  elif [ -n "$slurm_job" ] && srun --mpi=list 2>&1 | grep -qw pmix &&
    { [ "${SLURM_JOB_NUM_NODES:-1}" != 1 ] || ! command -v mpirun >/dev/null; }; then
    echo srun
  else
    echo mpirun
  fi
}

# Sets the array `launch`, the words before gridcast, and `code_file`, where rank 0 leaves its exit code
# if the launcher does not return it.
choose_launcher() {
  local ranks
  ranks=$(rank_count)
  case "$(launcher_kind)" in
    none) launch=() ;;
    srun) launch=(srun "--mpi=${SRUN_MPI:-pmix}" "--ntasks=$ranks") ;;
    mpirun)
      # Ranks wait without computing and jobs share nodes, so that binding to cores would only hurt.
      # Options other than Open MPI's: set MPIRUN_OPTIONS.
      read -r -a launch <<<"mpirun ${MPIRUN_OPTIONS---enable-recovery --oversubscribe --bind-to none}"
      code_file=$(mktemp --tmpdir gridcast.XXXXXX) || exit "$FAILED"
      launch+=(-n "$ranks" "$common_folder/rank.sh" "$code_file")
      if [ "$(id -u)" = 0 ]; then
        export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
      fi
      ;;
    *) refuse "LAUNCHER=$LAUNCHER: expected auto, srun, mpirun or none" ;;
  esac
}

# stored STORE FIELD: a field of `gridcast status --json`; nothing if there is no store.
stored() {
  "${gridcast[@]}" status "$1" --json - 2>/dev/null | grep -o "\"$2\":[^,}]*" | head -n 1 | cut -d: -f2 | tr -d '"'
}

# drain SIGNAL: tells gridcast to stop. Always as SIGUSR1, which mpirun and srun hand on to the ranks;
# at SIGTERM they would kill them. `end_requested` says that whoever sent it wants no next start.
interrupted=no
end_requested=no
drain() {
  interrupted=yes
  # shellcheck disable=SC2034 # local.sh reads it
  [ "$1" = USR1 ] || end_requested=yes
  say "SIG$1: storing what there is"
  [ -z "${launched:-}" ] || kill -USR1 "$launched" 2>/dev/null
}

# launch_and_wait COMMAND...: its exit code, whatever signals this shell gets meanwhile.
launch_and_wait() {
  local code=$FAILED next
  # In the background, because bash runs a trap only after the command in the foreground has ended.
  "$@" &
  launched=$!
  while :; do
    interrupted=no
    wait "$launched"
    next=$?
    [ "$next" = 127 ] && [ "$code" != "$FAILED" ] && break # it had ended when the signal came
    code=$next
    [ "$interrupted" = yes ] || break
  done
  launched=""
  return "$code"
}

# run_stored STORE ARGUMENT...: runs gridcast with these arguments on the store, the first time and
# every later one with the same command line. Returns DONE, FAILED, BAD_INPUT, or STOPPED if there is more to do and this run got on with
# it; a run that is stopped before its first result would be stopped again for ever.
run_stored() {
  local file=$1 code before after reported
  shift
  before=$(stored "$file" evaluated)
  [ -z "$code_file" ] || : >"$code_file"
  launch_and_wait "${launch[@]}" "${gridcast[@]}" "$@" --store "$file" --resume=auto
  code=$?
  if [ -n "$code_file" ]; then
    read -r reported <"$code_file" || reported=$NO_CODE
    code=$reported
  fi
  case "$code" in
    "$DONE" | "$FAILED" | "$BAD_INPUT") return "$code" ;;
  esac
  if [ "$code" != "$STOPPED" ]; then
    say "exit code $code: rank 0 or the launcher was lost"
    [ "$(stored "$file" state)" != complete ] || return "$DONE"
  fi
  after=$(stored "$file" evaluated)
  if [ "$code" = "$STOPPED" ] && [ "$(stored "$file" state)" = running ]; then
    say "$file: an earlier start of this job still ends"
    return "$STOPPED"
  fi
  if [ "${after:-0}" -le "${before:-0}" ]; then
    say "$file: stopped before the first new result (${after:-0} evaluated); not started again." \
      "More time or a smaller problem per job is needed, or ranks are killed (memory?)"
    return "$FAILED"
  fi
  return "$STOPPED"
}

# finish CODE: ends the script; a stopped batch job goes back into the queue first.
finish() {
  local code=$1
  trap - USR1 TERM INT
  if [ "$code" = "$STOPPED" ] && in_batch_job; then
    # A job that was cancelled is no longer RUNNING; a preempted one in its grace time is.
    if [ "$(job_field JobState)" != RUNNING ]; then
      say "job $slurm_job was cancelled: not queued again; submit it again to resume"
    else
      # Said before: the request ends this script, sometimes at once.
      say "job $slurm_job is to be queued again and will resume"
      scontrol requeue "$slurm_job" ||
        say "job $slurm_job cannot be queued again; submit it again to resume"
    fi
  fi
  exit "$code"
}

trap 'drain USR1' USR1
trap 'drain TERM' TERM
trap 'drain INT' INT

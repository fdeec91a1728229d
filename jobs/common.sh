# shellcheck shell=bash
# Shared by the job scripts: finds gridcast and the launcher, runs a sweep so that it can be stopped
# and resumed, and has Slurm start the job again when there is more to do. Sourced by bash.

# Exit codes of gridcast.
readonly DONE=0 FAILED=1 BAD_INPUT=2 STOPPED=3

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
  local built
  built=$(dirname "${BASH_SOURCE[0]}")/../build/release/gridcast
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

# A field of this Slurm job as `scontrol show job` prints it.
job_field() {
  scontrol --oneliner show job "$SLURM_JOB_ID" 2>/dev/null | grep -o -m 1 "\b$1=[^ ]*" | head -n 1 | cut -d= -f2-
}

# Whether this is the batch script of a Slurm job, not a shell inside an allocation.
in_batch_job() {
  [ -n "${SLURM_JOB_ID:-}" ] && [ "$(job_field BatchFlag)" = 1 ]
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
  elif [ -n "${SLURM_JOB_ID:-}" ] && srun --mpi=list 2>&1 | grep -qw pmix &&
    { [ "${SLURM_JOB_NUM_NODES:-1}" != 1 ] || ! command -v mpirun >/dev/null; }; then
    echo srun
  else
    echo mpirun
  fi
}

# Sets the array `launch`: the words before gridcast.
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
      launch+=(-n "$ranks")
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

# run_stored STORE ARGUMENT...: runs gridcast with these arguments on the store, which is resumed if it
# exists. Returns DONE, FAILED, BAD_INPUT, or STOPPED if there is more to do and this run got on with
# it; a run that is stopped before its first result would be stopped again for ever.
run_stored() {
  local store=$1 code before after
  shift
  local -a resume=()
  [ ! -e "$store" ] || resume=(--resume)
  before=$(stored "$store" evaluated)
  launch_and_wait "${launch[@]}" "${gridcast[@]}" "$@" --store "$store" "${resume[@]}"
  code=$?
  case "$code" in
    "$DONE" | "$FAILED" | "$BAD_INPUT") return "$code" ;;
  esac
  # With lost ranks the launcher's exit code tells nothing about the store.
  if [ "$code" != "$STOPPED" ]; then
    say "exit code $code: ranks or launcher were lost"
    [ "$(stored "$store" state)" != complete ] || return "$DONE"
  fi
  after=$(stored "$store" evaluated)
  if [ "${after:-0}" -le "${before:-0}" ]; then
    say "$store: stopped before the first new result (${after:-0} evaluated); not started again." \
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
      say "job $SLURM_JOB_ID was cancelled: not queued again; submit it again to resume"
    elif scontrol requeue "$SLURM_JOB_ID"; then
      say "job $SLURM_JOB_ID queued again; it will resume"
    else
      say "job $SLURM_JOB_ID cannot be queued again; submit it again to resume"
    fi
  fi
  exit "$code"
}

trap 'drain USR1' USR1
trap 'drain TERM' TERM
trap 'drain INT' INT

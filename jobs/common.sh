# shellcheck shell=bash
# Shared by the job scripts: finds gridcast and the launcher, runs a sweep so that it can be stopped
# and resumed, and has Slurm start the job again when there is more to do. Sourced by bash.

# Exit codes of gridcast.
readonly DONE=0 FAILED=1 BAD_INPUT=2 STOPPED=3
# In its place when rank 0 was killed or the launcher failed: the store tells what to do then.
readonly NO_CODE=137
# A job that loses ranks before its first new result is started again so many times.
readonly MOST_LOST=3
# So many steps of a job are tried until a rank runs.
readonly MOST_STEPS=4
# Until a rank runs; more than --start-limit, with which ranks end themselves.
: "${START_SECONDS:=90}"
# From the end of rank 0 to that of the launcher.
: "${END_SECONDS:=60}"

common_folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
code_file=""
signs=""
signed=0
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
# of the run.
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
    # Without these the other tasks wait for a killed one for ever, and srun, when all others have ended, for
    # one whose step daemon was lost.
    srun)
      launch=(srun "--mpi=${SRUN_MPI:-pmix}" --kill-on-bad-exit=1 --wait=60 "--ntasks=$ranks")
      # Over trees, the default of Slurm 22.05 where ranks wait for each other, one leaves MPI_Init now and then
      # while another one cannot take messages yet, which ends with a segmentation fault.
      export SLURM_PMIX_FENCE="${SLURM_PMIX_FENCE:-ring}"
      ;;
    mpirun)
      # Ranks wait without computing and jobs share nodes, so that binding to cores would only hurt. On
      # several nodes, the loss of a rank under --enable-recovery would hang the others.
      # Options other than Open MPI's: set MPIRUN_OPTIONS.
      local options="--oversubscribe --bind-to none"
      [ "${SLURM_JOB_NUM_NODES:-1}" != 1 ] || options="--enable-recovery $options"
      read -r -a launch <<<"mpirun ${MPIRUN_OPTIONS-$options}"
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
drained=no
end_requested=no
drain() {
  interrupted=yes
  drained=yes
  # shellcheck disable=SC2034 # local.sh reads it
  [ "$1" = USR1 ] || end_requested=yes
  say "SIG$1: storing what there is"
  [ -z "${launched:-}" ] || kill -USR1 "$launched" 2>/dev/null
}

# launch_and_wait COMMAND...: its exit code, whatever signals this shell gets meanwhile.
launch_and_wait() {
  local code=$FAILED next starter=""
  # In the background, because bash runs a trap only after the command in the foreground has ended.
  "$@" &
  launched=$!
  if [ -n "${GRIDCAST_SIGNS:-}" ] && [ -n "$signs" ]; then
    watch_launcher "$launched" &
    starter=$!
  fi
  while :; do
    interrupted=no
    wait "$launched"
    next=$?
    [ "$next" = 127 ] && [ "$code" != "$FAILED" ] && break # it had ended when the signal came
    code=$next
    [ "$interrupted" = yes ] || break
  done
  launched=""
  [ -z "$starter" ] || kill "$starter" 2>/dev/null
  return "$code"
}

# size_of FILE: its bytes.
size_of() { stat -c %s "$1" 2>/dev/null || echo 0; }

# is_alive PID: whether there is such a process that has not ended.
is_alive() { [ -e "/proc/$1" ] && ! grep -q '^State:[[:space:]]*[ZX]' "/proc/$1/status" 2>/dev/null; }

# read_rank_0: sets `reported` to the exit code of rank 0 if it left one under mpirun, and returns whether it has
# ended or was lost.
read_rank_0() {
  local word number
  reported=$NO_CODE
  [ -n "$code_file" ] && read -r word number <"$code_file" 2>/dev/null || return 1
  if [ "$word" = process ]; then
    ! is_alive "$number"
  else
    reported=$word
  fi
}

# watch_launcher LAUNCHER: ends it if no rank tells in $signs that it runs, and if it outlives rank 0 (the mpirun
# of Open MPI 4.1 may hang if a rank is lost while it connects). Runs beside the launcher.
watch_launcher() {
  local before=$signed waiting=0 ending=0
  while kill -0 "$1" 2>/dev/null; do
    sleep 1 >/dev/null 2>&1
    if read_rank_0; then
      ((++ending < END_SECONDS)) || break
    elif [ "$(size_of "$signs")" = "$before" ]; then
      ((++waiting < START_SECONDS)) || break
    fi
  done
  kill -0 "$1" 2>/dev/null || return 0
  if [ "$ending" -gt 0 ]; then
    say "rank 0 ended $END_SECONDS seconds ago: the launcher hangs and is ended"
  else
    say "no rank runs $START_SECONDS seconds after the start: the launcher hangs and is ended"
    echo lost >>"$signs"
  fi
  kill -TERM "$1" 2>/dev/null
  sleep 10 >/dev/null 2>&1
  kill -KILL "$1" 2>/dev/null
}

# launch_stored STORE ARGUMENT...: gridcast with these arguments on the store; its exit code, NO_CODE if rank 0 left
# none.
launch_stored() {
  local file=$1 code reported step
  shift
  [ -z "$code_file" ] || : >"$code_file"
  # What a step daemon that was killed leaves on its node is in the way of each step of its number: of a requeued
  # job, the first ones.
  for ((step = 1; step <= MOST_STEPS; ++step)); do
    launch_and_wait "${launch[@]}" "${gridcast[@]}" "$@" --store "$file" --resume=auto
    code=$?
    # srun may return 0 although no task ran.
    [ "$code" != "$DONE" ] || [ "$(stored "$file" state)" = complete ] || code=$NO_CODE
    if [ "${launch[0]:-}" != srun ] || [ "$code" = "$DONE" ] || [ "$code" = "$BAD_INPUT" ] || [ "$drained" = yes ] ||
      [ "$(size_of "$signs")" != "$signed" ]; then
      break
    fi
    say "exit code $code before a rank ran (step $step of at most $MOST_STEPS)"
  done
  if [ -n "$code_file" ]; then
    read_rank_0
    code=$reported
  fi
  return "$code"
}

# start_again STORE BEFORE LOST: whether another start will get on with the store, which had so many
# rows before this one. A start that lost ranks did not fail for want of time, but neither is it repeated
# for ever.
start_again() {
  local after lost
  after=$(stored "$1" evaluated)
  if [ "${after:-0}" -gt "${2:-0}" ]; then
    : >"$signs"
  elif [ "$3" = no ]; then
    say "$1: stopped before the first new result (${after:-0} evaluated); not started again." \
      "More time or a smaller problem per job is needed"
    return 1
  else
    lost=$(grep -c '^again' "$signs" 2>/dev/null)
    if [ "${lost:-0}" -ge "$MOST_LOST" ]; then
      say "$1: ranks were lost in $((lost + 1)) starts before the first new result (memory?);" \
        "not started again"
      return 1
    fi
    echo again >>"$signs"
    say "$1: ranks were lost before the first new result; to be started again"
  fi
}

# run_stored STORE ARGUMENT...: runs gridcast with these arguments on the store, the first time and
# every later one with the same command line. Returns DONE, FAILED, BAD_INPUT, or STOPPED if there is
# more to do and another start will get on with it.
run_stored() {
  local file=$1 code before lost=no
  shift
  # What gridcast and this script say about starts, until one gets on.
  signs=$file.signs
  touch "$signs" 2>/dev/null && export GRIDCAST_SIGNS=$signs
  signed=$(size_of "$signs")
  before=$(stored "$file" evaluated)
  launch_stored "$file" "$@"
  code=$?
  ! tail -c "+$((signed + 1))" "$signs" 2>/dev/null | grep -q '^lost' || lost=yes
  case "$code" in
    "$DONE" | "$BAD_INPUT") lost=no ;;
    "$FAILED" | "$STOPPED") ;;
    *)
      say "exit code $code: rank 0 or the launcher was lost"
      lost=yes
      ;;
  esac
  if [ "$code" = "$STOPPED" ] && [ "$(stored "$file" state)" = running ]; then
    say "$file: an earlier start of this job still ends"
    return "$STOPPED"
  fi
  if [ "$lost" = yes ] && [ "$(stored "$file" state)" = complete ]; then
    code=$DONE
  elif [ "$lost" = yes ] || [ "$code" = "$STOPPED" ]; then
    code=$FAILED
    ! start_again "$file" "$before" "$lost" || return "$STOPPED"
  fi
  rm -f "$signs"
  return "$code"
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

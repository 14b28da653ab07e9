# shellcheck shell=bash
# What set-up says: one line for each thing it does, with its time; on failure the reason and a way out.
# All of it goes to stderr, so that the standard output of `./renga run -c CMD` is the program's alone.

readonly SETUP_LOG=${SETUP_LOG:-$SETUP_DIR/setup.log}
readonly LOG_TAIL_LINES=100
readonly LOCK_WAIT_S=1800
# Waits that are shorter stay silent.
readonly SILENCE_S=2
# Between lines about one step, without a terminal.
readonly LINES_EVERY_S=10

say() { printf 'renga: %s\n' "$*" >&2; }

# fail REASON [WAY_OUT ...]: ends set-up with status 1; each further argument is a line of advice.
fail() {
  printf 'renga: error: %s\n' "$1" >&2
  shift
  (($# == 0)) || printf '  %s\n' "$@" >&2
  exit 1
}

# wait_for_lock DESCRIPTOR FILE: locks it; says after a while which command has it, which wrote that into the file.
wait_for_lock() {
  flock --wait "$SILENCE_S" "$1" && return
  say "waiting for another ./renga ($(cat "$2"))"
  flock --wait "$LOCK_WAIT_S" "$1" ||
    fail "another ./renga has been setting up for $LOCK_WAIT_S s ($(cat "$2"))" "End it by \`kill\` and its pid, then try again"
}

# announce TEXT: says it after a while, so that what is quick stays silent; on a terminal the line then counts the
# seconds, elsewhere another line follows every LINES_EVERY_S. Ends when it is killed or the script is gone.
announce() {
  local passed_s=$SILENCE_S
  sleep "$SILENCE_S"
  [[ -t 2 ]] || say "$1 ..."
  while kill -0 "$$" 2>/dev/null; do
    passed_s=$((passed_s + 1))
    if [[ -t 2 ]]; then
      printf '\r\033[Krenga: %s ... %d s' "$1" "$passed_s" >&2
    elif ((passed_s % LINES_EVERY_S == 0)); then
      say "$1 ... $passed_s s"
    fi
    sleep 1
  done
}

# step TEXT COMMAND...: runs the command with its output in the log; shows that output if it fails.
# Returns the command's status. `set -e` has no effect inside: the commands check by `||`.
step() {
  local text=$1 began=$SECONDS status=0 announcer log_from
  shift
  mkdir -p "$SETUP_DIR"
  printf '\n== %s\n' "$text" >>"$SETUP_LOG"
  log_from=$(($(wc -c <"$SETUP_LOG") + 1))
  announce "$text" &
  announcer=$!
  "$@" >>"$SETUP_LOG" 2>&1 </dev/null || status=$?
  kill "$announcer" 2>/dev/null || true
  wait "$announcer" 2>/dev/null || true
  [[ ! -t 2 ]] || printf '\r\033[K' >&2
  if ((status != 0)); then
    tail -c "+$log_from" "$SETUP_LOG" | tail -n "$LOG_TAIL_LINES" | sed 's/^/    /' >&2
    say "$text: failed after $((SECONDS - began)) s (log: $SETUP_LOG)"
  elif ((SECONDS - began > 0)); then
    say "$text: done, $((SECONDS - began)) s"
  fi
  return "$status"
}

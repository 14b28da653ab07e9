# shellcheck shell=bash
# What set-up says: one line for each thing it does, with its time; on failure the reason and a way out.
# All of it goes to stderr, so that the standard output of `./renga run -c CMD` is the program's alone.

say() { printf 'renga: %s\n' "$*" >&2; }

# fail REASON [WAY_OUT ...]: ends set-up with status 1; each further argument is a line of advice.
fail() {
  printf 'renga: error: %s\n' "$1" >&2
  shift
  (($# == 0)) || printf '  %s\n' "$@" >&2
  exit 1
}

# tick TEXT: rewrites one line each second with the time passed, until killed.
tick() {
  local began=$SECONDS
  while sleep 1; do printf '\rrenga: %s ... %d s' "$1" $((SECONDS - began)) >&2; done
}

# step TEXT COMMAND...: runs it with its output in the log, shows the time passed (on a terminal while it runs),
# and shows the end of the log if it fails. Returns the command's status.
step() {
  local text=$1 began=$SECONDS ticker='' status=0
  shift
  mkdir -p "$SETUP_DIR"
  printf '\n== %s\n' "$text" >>"$SETUP_LOG"
  if [[ -t 2 ]]; then
    printf 'renga: %s ...' "$text" >&2
    tick "$text" &
    ticker=$!
  else
    say "$text ..."
  fi
  "$@" >>"$SETUP_LOG" 2>&1 </dev/null || status=$?
  if [[ -n $ticker ]]; then
    kill "$ticker" 2>/dev/null || true
    wait "$ticker" 2>/dev/null || true
    printf '\r\033[K' >&2
  fi
  if ((status != 0)); then
    say "$text: failed after $((SECONDS - began)) s; the end of $SETUP_LOG:"
    tail -n "$LOG_TAIL_LINES" "$SETUP_LOG" | sed 's/^/    /' >&2
  else
    say "$text: done ($((SECONDS - began)) s)"
  fi
  return "$status"
}

count() { local n=$1; if [ $n -gt 0 ]; then echo $n; count $((n - 1)); fi; }
count 5
outer() { x=inner; return 9; }
x=before; outer; echo $? $x
args() { echo $# "$1" "$*"; shift; echo "$@"; }
args a 'b c' d
unset -f args; args 2>/dev/null || echo gone

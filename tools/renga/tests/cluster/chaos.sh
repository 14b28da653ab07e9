# What a cluster does while its link and its boards fail: files, pipes, programs and signals across boards, each tried
# until it succeeds, and then it must be right. A board that starts again runs all of it again.
set -o pipefail
mkdir -p /chaos && cd /chaos || exit 1
starts=$(($(cat starts 2> /dev/null || echo 0) + 1))
echo $starts > starts.new && mv starts.new starts && sync
echo "start $starts"
failed=

# again COMMAND ARGUMENTS: until it succeeds.
again() {
    for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
        "$@"
        status=$?
        [ $status = 0 ] && return
        failed="$failed $1:$status"
        sleep 0.1
    done
    echo "never: $*:$failed"
    exit 1
}

# right FILE COMMAND: the file holds what the command says.
right() {
    sh -c "$2" | cmp -s - "$1" && return
    echo "WRONG: $1 is not $2: $(wc "$1")"
    exit 1
}

# What a board has written and not synced ends with it (docs/design/leases.md).
write() { remote -b b sh -c "seq $1 $2 > far.$1 && sync" && right far.$1 "seq $1 $2"; }
pipe() { seq $1 $2 | remote -b b sort -rn | remote -b b cat > piped.$1 && right piped.$1 "seq $1 $2 | sort -rn"; }
near() { remote -b b seq $1 $2 | tac > near.$1 && right near.$1 "seq $1 $2 | tac"; }
copy() { remote -b b sh -c "cp far.$1 copy.$1 && sync" && right copy.$1 "seq $1 $2"; }
move() { { [ ! -e copy.$1 ] || remote -b b mv copy.$1 moved.$1; } && right moved.$1 "seq $1 $2"; }
append() { cp far.$1 long.$1 && remote -b b sh -c "seq 1 9 >> long.$1 && sync" && right long.$1 "seq $1 $2; seq 1 9"; }

sums() {
    far=$(remote -b b md5sum far.$1) || return
    [ "$far" = "$(md5sum far.$1)" ] && return
    echo "WRONG sum: $far"
    exit 1
}

names() {
    both=$(remote -b b sh -c 'remote -b a uname -n && uname -n') || return
    [ "$both" = "a
b" ] && return
    echo "WRONG names: $both"
    exit 1
}

# A program's own status is not that of a board that died.
ends() {
    remote -b b sh -c 'exit 7'
    status=$?
    [ $status = 7 ] || return $status
}

stops() {
    remote -b b sleep 100 &
    kill $!
    wait $! 2> /dev/null
    status=$?
    [ $status = 143 ] || return $status
}

for round in 1 2 3; do
    from=$((round * 100))
    to=$((from * 4 + 900))
    for step in write pipe near names copy sums append move ends stops; do
        again $step $from $to
    done
    echo "round $round"
done
sync
echo "failed:$failed"
echo done

# Edit a file with `sed -i`, which renames without a sync: on board a, then on b.
# Prints `ack 1` when the first version is permanent.
cd /root || exit 1
seq 1 401 | sed 's/^/version 1 line /' > file && sync && echo 'ack 1'
version=2
while [ $version -le 8 ]; do
    board=a
    [ $version -ge 5 ] && board=b
    remote -b $board sed -i "s/^version [0-9]*/version $version/" file
    sleep 0.01
    version=$((version + 1))
done
exit 0

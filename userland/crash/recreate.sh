# Remove a file and write it again without any sync: on board a, then on b. This replaces nothing, so the file may be lost.
# Prints `ack N` when version N is permanent.
cd /root || exit 1
seq 1 401 > file && sync && echo 'ack 1'
version=2
while [ $version -le 9 ]; do
    board=a
    [ $version -ge 6 ] && board=b
    remote -b $board sh -c "rm file; seq $version $((version + 400)) > file; sleep 0.01" &&
        [ $((version % 4)) = 1 ] && sync && echo "ack $version"
    version=$((version + 1))
done
exit 0

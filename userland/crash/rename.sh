# Replace a file by rename without any sync, as `sed -i` and most editors do: on board a, then on b.
# Prints `ack 1` when the first version is permanent.
cd /root || exit 1
seq 1 401 > file
sync && echo 'ack 1'
for version in 2 3 4; do
    seq $version $((version + 400)) > file.new && mv file.new file
    sleep 0.01
done
remote -b b sh -c 'for version in 5 6 7 8; do
    seq $version $((version + 400)) > file.new && mv file.new file
    sleep 0.01
done'
exit 0

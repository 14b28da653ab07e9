# Replace a directory by another one, whose files are permanent before: on board a, then on b.
# Prints `ack N` when version N is permanent.
cd /root || exit 1
mkdir tree && seq 1 200 > tree/first && seq 1 300 > tree/second && sync && echo 'ack 1'
version=2
while [ $version -le 6 ]; do
    board=a
    [ $version -ge 4 ] && board=b
    remote -b $board sh -c "
        mkdir tree.new && seq $version $((version + 199)) > tree.new/first && seq $version $((version + 299)) > tree.new/second &&
        sync && mv tree tree.old && mv tree.new tree && sync && echo ack $version && rm -r tree.old"
    version=$((version + 1))
done
exit 0

# Deliver messages to a maildir, from both boards in turn: write to `tmp`, sync, rename to `new`.
# Prints `ack N` when message N is delivered.
cd /root || exit 1
mkdir -p mail/tmp mail/new && sync
number=1
while [ $number -le 10 ]; do
    board=a
    [ $((number % 2)) = 0 ] && board=b
    remote -b $board sh -c "
        seq $number $((number + 400)) > mail/tmp/$number && sync mail/tmp/$number && mv mail/tmp/$number mail/new/$number &&
        sync mail/new && echo ack $number"
    number=$((number + 1))
done
exit 0

# Append lines to a log and sync each, from both boards in turn, as mail servers and journals do.
# Prints `ack N` when line N is permanent.
cd /root || exit 1
number=1
while [ $number -le 12 ]; do
    board=a
    [ $((number % 2)) = 0 ] && board=b
    remote -b $board sh -c "echo 'line $number of the log' >> log && sync log && echo ack $number"
    number=$((number + 1))
done
exit 0

# Write records to a file that is opened with O_SYNC, from both boards in turn. Needs `--image dev`.
# Prints `ack N` when the write of record N has returned.
cd /root || exit 1
number=1
while [ $number -le 12 ]; do
    board=a
    [ $((number % 2)) = 0 ] && board=b
    remote -b $board python3 -c "
import os
file = os.open('records', os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_SYNC)
os.write(file, b'%06d' % $number + b'x' * 3000 + b'\n')
print('ack', $number)"
    number=$((number + 1))
done
exit 0

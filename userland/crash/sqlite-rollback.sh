# Insert rows into a database of sqlite in mode delete, a transaction each: on board a, then on b. Needs `--image dev`.
# Prints `ack N` when the transaction of row N is committed.
cd /root || exit 1
sqlite3 base 'PRAGMA journal_mode = delete; CREATE TABLE rows (number INTEGER PRIMARY KEY, text);' && sync && echo 'ack 0'
number=1
while [ $number -le 8 ]; do
    board=a
    [ $number -ge 5 ] && board=b
    remote -b $board sqlite3 base "PRAGMA synchronous = EXTRA; INSERT INTO rows VALUES ($number, hex(zeroblob(1000)));" &&
        echo "ack $number"
    number=$((number + 1))
done
exit 0

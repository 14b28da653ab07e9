# What: a server without its check of `/proc/PID/smaps`; a client, a subscriber and the benchmark on the other board
# Package: redis-server
# Expect: renga
redis-server --port 6400 --bind 0.0.0.0 --protected-mode no --ignore-warnings ARM64-COW-BUG --save '' --daemonize yes --dir $PWD --logfile log
for n in 1 2 3 4 5 6 7 8 9 10; do redis-cli -p 6400 ping > /dev/null 2>&1 && break; sleep 1; done
c() { there redis-cli -h $HERE -p 6400 "$@"; }
c ping; c set name renga; c get name; c incr n; c incr n; c rpush l 1 2 3; c lrange l 0 -1
there timeout 5 redis-cli -h $HERE -p 6400 --csv subscribe news > said & 
sleep 2; redis-cli -p 6400 publish news hello; wait; cat said
there redis-benchmark -h $HERE -p 6400 -n 300 -c 5 -t set,get --csv | cut -d, -f1
redis-cli -p 6400 save
redis-cli -p 6400 shutdown nosave; echo $?
[ -s dump.rdb ] && echo saved
grep -E "Failed|Could not|Fatal" log | cut -d" " -f6-
rm -f log dump.rdb

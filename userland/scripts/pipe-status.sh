seq 100000 | head -n 1; echo $?
(sleep 0; echo late) | cat
cat /dev/null | wc -c; echo x | true; echo $?
seq 20000 | sort -r | uniq | wc -l
mkfifo pipe 2>/dev/null; test -p pipe && echo fifo

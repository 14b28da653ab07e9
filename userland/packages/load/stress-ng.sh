# What: stressors with verified results
# Package: stress-ng
# Expect: fork 0
for what in 'cpu 1 --cpu-method crc16' 'pipe 1' 'fork 1' 'switch 1' 'malloc 1' 'mmap 1' 'futex 1' 'sem 1' 'sock 1' 'timer 1' 'hdd 1 --hdd-bytes 1m' 'vm 1 --vm-bytes 1m' \
  'fifo 1' 'dir 1 --dir-dirs 16' 'poll 1' 'epoll 1' 'eventfd 1' 'sigfd 1' 'shm 1' 'msg 1' 'pthread 1' 'memfd 1 --memfd-bytes 1m' 'inotify 1' 'mq 1'; do
  name=${what%% *}
  timeout 60 stress-ng --temp-path . --verify --oom-avoid --$what --$name-ops 20 -t 20 > log 2>&1
  echo $name $?
done
rm -f log

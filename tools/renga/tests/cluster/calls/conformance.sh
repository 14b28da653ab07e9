# Run on Linux and on each board, in a folder of its own: says the same everywhere.
mkdir "$1" && cd "$1" || exit 1
/tmp/arguments
/tmp/jobs </dev/console
/tmp/whole torn
/tmp/whole eintr
for part in mappings files users parents; do
	echo $part
	/tmp/packages $part
done
for part in processes times executes words timers; do
	echo $part
	/tmp/threads $part
done
/tmp/interfaces
# Linux has such a file system to mount.
mount -t sysfs sysfs /sys 2>/dev/null
for fact in address addr_len carrier flags ifindex mtu operstate tx_queue_len type; do
	echo $fact $(cat /sys/class/net/lo/$fact)
done
ls /sys/class/net | grep -x lo
grep lo /proc/net/if_inet6 | grep -v ^fd
cp /bin/sleep program
./program 3 &
sleep 0.3
cp /bin/true program 2>/dev/null
echo copy $?
(true >program) 2>/dev/null
echo cut $?
truncate -s 0 program 2>/dev/null
echo truncate $?
(echo x >>program) 2>/dev/null
echo append $?
mv program moved && cp /bin/true program
echo replace $?
cp /bin/true open
exec 7>>open
./open 2>/dev/null
echo written $?
exec 7>&-
./open
echo closed $?
printf '#!/bin/sh\necho script\n' >script
chmod +x script
exec 7>>script
./script 2>/dev/null
echo written $?
exec 7>&-
./script
wait
cp /bin/true moved
echo ended $?
touch -d 1960-05-05 old
touch -d '1969-12-31 23:59:58 UTC' late
stat -c '%Y %y' old late

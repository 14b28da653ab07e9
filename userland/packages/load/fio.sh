# What: random reads and writes verified, by processes and by threads
# Package: fio
# Expect: err= 0
fio --name=p --filename=data --size=1m --bs=4k --rw=randrw --verify=crc32c --ioengine=psync --numjobs=1 --minimal > out 2>&1; echo $? $(cut -d';' -f5 out)
fio --name=t --filename=data --size=1m --bs=4k --rw=randread --thread --numjobs=2 --ioengine=sync --group_reporting > out 2>&1; echo $?
grep -o 'err= [0-9]*' out
fio --name=m --filename=data --size=256k --bs=4k --rw=write --ioengine=mmap > out 2>&1; echo $?
rm -f data out

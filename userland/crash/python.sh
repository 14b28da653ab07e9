# Replace a file with python's os.replace without a sync: on board a, then on b. Needs `--image dev`.
# Prints `ack 1` when the first version is permanent.
cd /root || exit 1
seq 1 401 > file && sync && echo 'ack 1'
replace='
import os, sys, time
for version in map(int, sys.argv[1:]):
    with open("file.new", "w") as file:
        file.writelines("%d\n" % line for line in range(version, version + 401))
    os.replace("file.new", "file")
    time.sleep(0.01)'
python3 -c "$replace" 2 3 4
remote -b b python3 -c "$replace" 5 6 7 8
exit 0

# What: a tree copied, changed and copied again; from the daemon on the other board
# Package: rsync
# Expect: the same
mkdir -p from/deep && for n in $(seq 40); do seq $n 500 > from/deep/$n; done && ln -s deep/1 from/link
rsync -a from/ to && diff -r from to && echo the same
echo more >> from/deep/7
rsync -ai from/ to
printf '[tree]\npath = %s/from\nuse chroot = no\nuid = root\ngid = root\n' $PWD > config
rsync --daemon --no-detach --port 8730 --config config --address 0.0.0.0 &
sleep 2
there rsync -a rsync://$HERE:8730/tree/ over; echo daemon $?
diff -r from over && echo over the boards
kill $! && wait
rm -f config

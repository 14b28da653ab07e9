# Every way to change files, in the folder where it is run. The same script runs on each board and on the host, which
# must leave the same tree.
set -e
umask 022
# Create, write, append, overwrite in the middle, sparse.
echo one > created
echo two >> created
seq 5000 > numbers
printf XYZ | dd of=numbers bs=1 seek=9000 conv=notrunc 2>/dev/null
printf end | dd of=sparse bs=1 seek=300000 2>/dev/null
: > empty
# Truncate down, up and to nothing.
seq 3000 > shorter; truncate -s 1234 shorter
echo longer > longer; truncate -s 70000 longer
seq 100 > nothing; : > nothing
# Rename: onto a new name, over a file, into a folder, a folder, a folder over an empty one.
echo renamed > old; mv old new
echo winner > first; echo loser > second; mv first second
mkdir folder; echo moved > moved; mv moved folder/
mkdir wandering; echo inside > wandering/file; mv wandering folder/arrived
mkdir source target; echo content > source/file; mv -T source target
# Links of both kinds; one dangles.
echo linked > linked; ln linked hard; echo more >> hard
ln -s linked soft; ln -s ../elsewhere dangling; ln -s folder/arrived way
echo through >> soft; echo by-way > way/by-way
name=0123456789; ln -s $name$name$name$name$name$name$name$name long-link
# Unlink: one of two names, an open file, many.
echo gone > gone; rm gone
rm hard
echo open > open; exec 3< open; rm open; cat <&3 > kept; exec 3<&-
i=0; while [ $i -lt 40 ]; do echo $i > many$i; i=$((i + 1)); done
rm many1*
# Folders, deep and removed.
mkdir -p deep/a/b/c/d/e/f; echo bottom > deep/a/b/c/d/e/f/file
mkdir -p short/lived/tree; rmdir short/lived/tree; rmdir short/lived; rmdir short
mkdir full; touch full/file; rmdir full 2>/dev/null && exit 20
rm -r full
# Modes.
echo mode > mode; chmod 640 mode; chmod u+x mode
mkdir private; chmod 700 private; echo read-only > read-only; chmod 444 read-only
# Times.
echo dated > dated; touch -d '2001-02-03 04:05:06' dated
echo dated > dated-by-reference; touch -r dated dated-by-reference
stat -c '%n %s %a %h %F' linked mode longer shorter soft numbers > facts
stat -c '%n %Y' dated dated-by-reference >> facts
# What must be refused.
mkdir exists 2>/dev/null; mkdir exists 2>/dev/null && exit 21
ln linked new 2>/dev/null && exit 22
cat nosuch 2>/dev/null && exit 23
cat created/below 2>/dev/null && exit 24
mv folder folder/arrived/loop 2>/dev/null && exit 25
sync

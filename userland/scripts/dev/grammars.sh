# A real grammar, that of awk, by byacc and by bison.
cp ../../sources/original-awk/awkgram.y .
byacc -d -o byacc.c awkgram.y
echo $?
bison -y -d -o bison.c awkgram.y
echo $?
cksum awkgram.y byacc.c byacc.h bison.c bison.h
for grammar in ../../sources/byacc/test/*.y; do
  byacc -o one.c $grammar > said 2>&1
  echo $? $(cksum < one.c) $(cksum < said)
done

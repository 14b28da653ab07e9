# What: a detached session: keys reach its shell, the screen is captured
# Package: screen
# Expect: typed 42
export TERM=xterm SCREENDIR=$PWD/sessions
mkdir -m 700 sessions
screen -d -m -S one sh
echo started $?
sleep 1
screen -S one -p 0 -X stuff 'echo typed $((6 * 7)) | tee out; echo > done\n'
for n in 1 2 3 4 5 6 7 8 9 10; do [ -e done ] && break; sleep 1; done
cat out
screen -S one -p 0 -X hardcopy copy
sleep 1
grep '^typed' copy
screen -S one -X quit
echo ended $?
rm -rf sessions copy

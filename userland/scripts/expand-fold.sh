printf 'a\tb\tc\n' | expand; printf 'a\tb\n' | expand -t 4
printf '        x\n' | unexpand -a | cat -A
echo 'the quick brown fox jumps over the lazy dog' | fold -w 10
echo 'the quick brown fox jumps over' | fold -s -w 12

seq 5 > f
cat f - f < /dev/null | wc -l
tac f; rev <<END
hello
END
cat -n f; cat -e f | head -n 1

echo '2 3 + p 4 * p' | dc
echo '10 3 / p' | dc
expr 7 \* 6; expr 10 / 3; expr abcdef : 'abc\(.*\)'; expr length hello
expr 3 \> 4; echo $?

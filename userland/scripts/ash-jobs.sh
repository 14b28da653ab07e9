(echo first; exit 4) & one=$!
wait $one; echo $?
for i in 1 2 3; do (exit $i) & done
wait; echo all $?
sh -c 'exit 5' & wait $!; echo $?

ulimit -n 16; ulimit -n
: > f
awk 'BEGIN { for (i = 10; i < 40; i++) print i > ("g" i) }' 2> err; echo awk $?
sed 's/g[0-9]*/gN/' err
ls g* | wc -l | awk '{ print ($1 > 4 && $1 < 14) }'; rm g*
(for i in 3 4 5 6 7 8 9; do eval "exec $i< f"; done; echo last $?)
(ulimit -n 4; cat f f; exec 3< f; echo three $?; exec 4< f; echo four $?) 2> err; echo $?
sed 's/.*f:/f:/' err
(ulimit -n 3; cat f) 2>&1; echo $?
(ulimit -n 6; echo a | cat | cat | cat; echo $?)
(ulimit -n 2; echo b | cat) 2> err; echo $?
sed 's/.*: can/can/' err
(ulimit -n 0; : < f) 2>&1 | sed 's/.*: //'; echo $?
ulimit -n

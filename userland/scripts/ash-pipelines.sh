seq 1 100 | grep 7 | tail -n 3 | while read n; do echo "got $n"; done
echo 'a:b:c' | { IFS=: read x y z; echo $z$y$x; }
{ echo out; echo err >&2; } 2>&1 | sort
seq 5 | (read a; read b; echo $a$b; cat)
yes | head -n 4 | wc -l

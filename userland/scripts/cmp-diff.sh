seq 10 > a; seq 10 | sed 's/5/five/' > b
cmp a a && echo same
cmp a b; echo $?
diff a b; echo $?
diff -u a b | tail -n +3
mkdir x y; cp a x; cp b y/a; diff -r x y; echo $?

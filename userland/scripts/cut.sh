printf 'a:b:c:d\n1:2:3:4\nplain\n' > f
cut -d: -f2 f; cut -d: -f2- f; cut -d: -f1,4 f; cut -s -d: -f3 f
cut -c2-3 f; cut -b1 f; echo 'x y z' | cut -d' ' -f3

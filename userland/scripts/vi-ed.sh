seq 5 > f
printf '2d\n$a\nlast\n.\n1,$s/3/three/\nw\nq\n' | ed f > /dev/null 2>&1 && cat f || echo no ed

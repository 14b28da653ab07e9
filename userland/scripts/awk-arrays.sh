printf 'b\na\nc\na\nb\na\n' | awk '{ n[$1]++ } END { for (k in n) print n[k], k }' | sort
awk 'BEGIN { split("x y z", p); print p[3] p[2] p[1]; print substr("abcdef", 2, 3), index("hello", "l") }'
echo 'foo123bar' | awk '{ gsub(/[0-9]+/, "-"); print; print match($0, /b/) }'
awk 'function f(n) { return n < 2 ? 1 : n * f(n - 1) } BEGIN { print f(10) }'

echo one > f; echo two >> f; cat < f
exec 3> g; echo via3 >&3; exec 3>&-; cat g
ls nosuchfile 2> err || echo failed $?
test -s err && echo has error
exec 4< f; read line <&4; echo $line; read line <&4; echo $line; exec 4<&-
: > f; wc -c f
echo x >&- 2>/dev/null || echo closed
set -C; (echo again > g) 2>/dev/null || echo noclobber

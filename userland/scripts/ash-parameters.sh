v=/usr/local/lib/file.tar.gz
echo ${v##*/} ${v%/*} ${v%%.*} ${v#*.} ${#v}
echo ${unset:-default} ${unset-dash} "${v:+set}"
echo ${assigned:=now} $assigned
set -- one two three; echo $# $2 "${3}"; shift 2; echo $1
echo ${v/local/global} ${v:5:5}
(: ${must:?is missing}) 2>/dev/null || echo refused

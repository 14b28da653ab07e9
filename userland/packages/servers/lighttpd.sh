# What: files and a script's output served to the other board's curl
# Package: lighttpd
# Expect: from a script
seq 100000 > page
printf '#!/bin/sh\necho Content-Type: text/plain\necho\necho from a script $QUERY_STRING\n' > s.cgi; chmod +x s.cgi
cat > conf <<C
server.modules = ("mod_cgi")
server.document-root = "$PWD"
server.port = 8081
server.pid-file = "$PWD/pid"
server.errorlog = "$PWD/errors"
cgi.assign = (".cgi" => "/bin/sh")
C
/usr/sbin/lighttpd -f conf; echo started $?
sleep 1
there curl -s http://$HERE:8081/page | cmp - page && echo the same
there curl -s http://$HERE:8081/s.cgi?q
kill $(cat pid); echo stopped $?
rm -f conf pid errors

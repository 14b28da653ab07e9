echo hello > f; mkdir d; ln -s f l
stat -c '%n %s %F' f d l | sed 's/d [0-9]* /d SIZE /'; stat -L -c %F l
for t in e f d h L s r w; do test -$t f && echo "f -$t"; test -$t l && echo "l -$t"; test -$t d && echo "d -$t"; done
stat nosuch 2>/dev/null || echo missing

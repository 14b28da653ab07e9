f() { (cd /; pwd); pwd | sed 's,.*/,,' | tr -d '\n' | wc -c | awk '{ print ($1 > 0) }'; }
f; (a=1; echo $a); echo ${a:-unset}
( ( ( echo nested ) ) ); { echo group; }
umask 077; touch u; stat -c %a u; umask 022; (umask 0; touch v; stat -c %a v); touch w; stat -c %a w

test 3 -gt 2 && echo gt; [ abc = abc ] && echo eq; [ -z '' ] && echo empty
[ -f /etc/passwd -a -r /etc/passwd ] && echo readable; [ ! -e nosuch ] && echo absent
[ 1 -eq 1 -o 1 -eq 2 ] && echo or; test -x /bin/sh && echo x
[ 'a b' != 'a c' ]; echo $?; [ 5 -lt x ] 2>/dev/null; echo $?

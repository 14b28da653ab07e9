echo -n no newline; echo; echo -e 'a\tb\nc'; echo -- x
printf '%d %5d|%-5d|%05d %x %X %o\n' 42 42 42 42 255 255 8
printf '%s %10s|%-10s|%.2s\n' a b c defg
printf '%c%c %% \\ \101\n' xyz q
printf '%s-%s\n' 1 2 3 4
printf '%e %g %.3f\n' 3.5 0.0001 2.71828

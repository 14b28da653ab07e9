touch b a .hidden; mkdir dir; echo 12345 > sized; chmod 604 a; ln -s a link
ls; ls -a; ls -1 -r; ls -d dir; ls -F; ls -p
ls -l sized | awk '{ print $1, $5 }'; ls -l a | cut -c1-10; ls -ld dir | cut -c1-10
ls -S | head -n 1; ls nosuch 2>/dev/null; echo $?; ls -A; ls *a*

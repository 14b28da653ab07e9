mkdir a a/b; mkdir -p x/y/z; mkdir a 2>/dev/null || echo exists
rmdir a 2>/dev/null || echo not empty
rmdir a/b a; rmdir -p x/y/z; ls
mkdir -m 700 p; stat -c %a p
cd p; pwd | sed 's,.*/,,'; cd ..; test -d p && echo dir
rmdir nosuch 2>/dev/null || echo missing; touch f; rmdir f 2>/dev/null || echo not a directory

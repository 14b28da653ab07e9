# Runs the scripts that are named behind $1, each in an empty folder, at the place $1 (linux, a, b); prints the name of
# each, its output, and its status. Their environment names the board that they run on (HERE) and the other one (THERE);
# `there COMMAND` runs one on that, and `as-user COMMAND` one as the user `user`.
umask 022
export LC_ALL=C TZ=UTC HOME=/root TERM=xterm
unset OLDPWD
case $1 in
  a) export HERE=a THERE=b REMOTE='remote -b b' ;;
  b) export HERE=b THERE=a REMOTE='remote -b a' ;;
  *) export HERE=localhost THERE=localhost REMOTE= ;;
esac
mkdir bin said work
printf '#!/bin/sh\nexec $REMOTE "$@"\n' > bin/there
printf '#!/bin/sh\nexec chroot --skip-chdir --userspec=1000:1000 --groups=1000 / "$@"\n' > bin/as-user
chmod +x bin/*
export PATH=$PWD/bin:/usr/bin:/usr/sbin:/bin:/sbin
place=$PWD
shift
for name; do
  mkdir $place/work/$name && cd $place/work/$name
  timeout -k 5 300 sh $place/$name.sh > $place/said/$name 2>&1 < /dev/null
  status=$?
  echo "== $name"
  cat $place/said/$name
  printf '\nstatus %s\n' $status
done

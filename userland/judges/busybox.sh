# Busybox's own tests: what `runtest` says of each case of each applet.
cd testsuite
chmod +x *.tests runtest
# Where `runtest` looks for the program and its features.
cp ../config ../.config
cp /bin/busybox ..
gcc -O1 -o echo-ne ../scripts/echo.c
export bindir=${PWD%/*} ECHO=$PWD/echo-ne
for applet in $(ls -d */ *.tests | sed 's:/$::; s:\.tests$::' | sort -u); do
  case $applet in mount | mount.testroot) continue ;; esac
  timeout -k 5 120 busybox sh ./runtest -v $applet > ../said/$applet 2>&1 < /dev/null
  echo "$? $applet"
  sed -nE "s/^(PASS|FAIL|SKIPPED|UNTESTED): /\1 $applet: /p" ../said/$applet
done

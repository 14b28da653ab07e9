# The tests of coreutils that `asked` names: ok, fail or skip, as the test itself ends; late if it takes longer than it may,
# broken if it says that it could not begin.
cd coreutils
# Installed programs have to stand where a build leaves them; what other packages bring under the same names is not asked.
built_programs=
for program in $(sh build-aux/gen-lists-of-programs.sh --list-progs); do
  name=${program#ginst}
  [ $program = $name ] || name=inst$name
  installed=$(PATH=/usr/bin:/usr/sbin which $name) || continue
  case $program:$($installed --version 2>&1) in
    test:* | *'coreutils) '*)
      ln -s $installed src/$program
      built_programs="$built_programs $program"
      ;;
  esac
done
# Helpers of the tests that a build would have made, and what it would have found out.
gcc -O1 -o src/getlimits ../getlimits.c
for have in UTIMENSAT LUTIMES LINKAT OPENAT INOTIFY PTHREAD_T; do
  echo "#define HAVE_$have 1"
done > config.h
export built_programs CONFIG_HEADER=$PWD/config.h VERSION=9.1 PACKAGE_VERSION=9.1 EXEEXT=
export SHELL=/bin/bash PERL=perl AWK=awk EGREP='grep -E' CC=gcc MAKE=make LOCALE_FR=none LOCALE_FR_UTF8=none
export host_os=linux-gnu host_triplet=aarch64-unknown-linux-gnu fail=0 TMPDIR=/tmp PATH=$PWD/src:$PATH
export srcdir=. top_srcdir=. abs_srcdir=$PWD abs_top_srcdir=$PWD abs_top_builddir=$PWD
for name in $(cat ../asked); do
  script=tests/$name.sh
  export CU_TEST_NAME=coreutils,$(echo $name | tr / -)
  timeout -k 5 60 bash $script > said 2>&1 9>&1 < /dev/null
  case $? in
    0) verdict=ok ;;
    77) verdict=skip ;;
    99) verdict=broken ;;
    124 | 137) verdict=late ;;
    *) verdict=fail ;;
  esac
  echo $verdict $name
  if [ $verdict != ok ]; then
    mkdir -p ../said/${name%/*}
    mv said ../said/$name
  fi
done

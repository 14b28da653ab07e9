# Runs the judge $1 (ash-dash, ash-busybox, busybox, coreutils) where its sources are; its verdicts, one a line with the
# case's name behind it, go to `verdicts`, what its cases said to `said/`.
umask 022
export LC_ALL=C TZ=UTC0 HOME=/root
unset OLDPWD
mkdir -p said
case $1 in
  ash-*) sh ./ash.sh "${1#ash-}" ;;
  *) sh "./$1.sh" ;;
esac > verdicts 2> said/errors
echo "$1: $(wc -l < verdicts) verdicts"

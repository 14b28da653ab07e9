# Runs the tests of ash with the shell $1: verdicts, one a line with the case's name behind it, go to `verdicts`, what its cases
# said instead of what they should to `said/`.
umask 022
export LC_ALL=C TZ=UTC0 HOME=/root
unset OLDPWD
mkdir -p said
sh ./ash.sh "$1" > verdicts 2> said/errors
echo "$1: $(wc -l < verdicts) verdicts"

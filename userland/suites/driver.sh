# Runs the tests of the judge $1 with what else it is told: verdicts, one a line with the case's name behind it, go to `verdicts`,
# what cases said that did not end well to `said/`.
umask 022
export LC_ALL=C TZ=UTC0 HOME=/root
unset OLDPWD
mkdir -p said
sh ./"$@" > verdicts 2> said/errors
echo "$*: $(wc -l < verdicts) verdicts"

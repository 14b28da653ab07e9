# Runs the conformance suite $1 with the other arguments: writes a verdict and the case's name to each line of `verdicts`,
# and the output of cases that fail to `said/`.
umask 022
export LC_ALL=C TZ=UTC0 HOME=/root
unset OLDPWD
mkdir -p said
sh ./"$@" > verdicts 2> said/errors
echo "$*: $(wc -l < verdicts) verdicts"

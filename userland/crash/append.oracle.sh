# The log has whole lines only, in order, and each that was acknowledged.
acknowledged=' '
while read -r word number; do
    if [ "$word" = ack ]; then acknowledged="$acknowledged$number "; fi
done
cd /root || exit 1
[ -e log ] || : > log
found=' '
last=0
while read -r first number rest; do
    if [ "$first $rest" != 'line of the log' ] || [ "$number" -le "$last" ]; then
        echo "a damaged line behind line $last: $first $number $rest"
        exit 1
    fi
    found="$found$number "
    last=$number
done < log
for number in $acknowledged; do
    case $found in
        *" $number "*) ;;
        *) echo "line $number was acknowledged and is lost"; exit 1 ;;
    esac
done
exit 0

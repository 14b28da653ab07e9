# The file has each record that was acknowledged, in order and whole. The one after those may be there in part.
acknowledged=' '
while read -r word number; do
    if [ "$word" = ack ]; then acknowledged="$acknowledged$number "; fi
done
cd /root || exit 1
found=' '
[ -e records ] && found=" $(grep -aE '^[0-9]{6}x{3000}$' records | cut -c 1-6 | sed 's/^0*//' | tr '\n' ' ')"
for number in $acknowledged; do
    case $found in
        *" $number "*) ;;
        *) echo "record $number was acknowledged and is lost or not whole"; exit 1 ;;
    esac
done
exit 0

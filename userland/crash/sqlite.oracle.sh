# The database is sound and has each row that was acknowledged.
created=
acknowledged=
while read -r word number; do
    if [ "$word" = ack ]; then
        created=yes
        [ "$number" = 0 ] || acknowledged="$acknowledged $number"
    fi
done
[ -n "$created" ] || exit 0
cd /root || exit 1
sound=$(sqlite3 base 'PRAGMA integrity_check;' 2>&1)
[ "$sound" = ok ] || { echo "sqlite says: $sound"; exit 1; }
for number in $acknowledged; do
    [ "$(sqlite3 base "SELECT length(text) FROM rows WHERE number = $number;")" = 2000 ] && continue
    echo "row $number was acknowledged and is lost"
    exit 1
done
exit 0

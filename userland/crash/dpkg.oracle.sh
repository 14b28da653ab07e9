# `status` is whole and not older than acknowledged; `status-old`, if it is there, is whole.
acknowledged=0
while read -r word version; do
    if [ "$word" = ack ]; then acknowledged=$version; fi
done
[ "$acknowledged" = 0 ] && exit 0
cd /root || exit 1
for file in status status-old; do
    [ -e $file ] || { [ $file = status-old ] && continue; echo 'status is gone'; exit 1; }
    read -r version < $file || { echo "$file is empty"; exit 1; }
    seq "$version" $((version + 400)) | cmp -s - $file || { echo "$file is not a whole version"; exit 1; }
    [ $file = status-old ] || [ "$version" -ge "$acknowledged" ] || { echo "$acknowledged was acknowledged, not $version"; exit 1; }
done
exit 0

# The file is one whole version, not older than the last one that was acknowledged.
acknowledged=0
while read -r word version; do
    if [ "$word" = ack ]; then acknowledged=$version; fi
done
cd /root || exit 1
if [ ! -e file ]; then
    [ "$acknowledged" = 0 ] && exit 0
    echo "version $acknowledged was acknowledged, and there is no file"
    exit 1
fi
read -r version < file
seq "$version" $((version + 400)) | cmp -s - file || { echo "the file is not a whole version"; exit 1; }
[ "$version" -ge "$acknowledged" ] && exit 0
echo "version $acknowledged was acknowledged, and the file is version $version"
exit 1

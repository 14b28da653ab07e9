# The file is gone or the beginning of one version, not older than acknowledged. It has no bytes of another file.
acknowledged=0
while read -r word version; do
    if [ "$word" = ack ]; then acknowledged=$version; fi
done
cd /root || exit 1
[ -s file ] || exit 0
version=$acknowledged
while [ "$version" -le 9 ]; do
    seq "$version" $((version + 400)) | head -c "$(wc -c < file)" | cmp -s - file && exit 0
    version=$((version + 1))
done
echo "the file is the beginning of no version from $acknowledged on: $(wc -c < file) bytes, $(head -n 1 file)"
exit 1

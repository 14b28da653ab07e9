# Once the first version is permanent, the file is always one whole version.
grep -q '^ack 1' || exit 0
cd /root || exit 1
read -r version < file || { echo "the file is empty or gone"; exit 1; }
seq "$version" $((version + 400)) | cmp -s - file && exit 0
echo "the file is not a whole version: $(wc -c < file) bytes from $version on"
exit 1

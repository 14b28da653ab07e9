# Once the first version is permanent, the file is always one whole version.
grep -q '^ack 1' || exit 0
cd /root || exit 1
read -r word version rest < file || { echo 'the file is empty or gone'; exit 1; }
seq 1 401 | sed "s/^/version $version line /" | cmp -s - file && exit 0
echo "the file is not a whole version: $(wc -c < file) bytes, $word $version $rest"
exit 1

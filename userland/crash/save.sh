# Replace a file by rename, each version synced first, as editors and databases do: on board a, then on b.
# Prints `ack N` when version N is permanent.
cd /root || exit 1
save() {
    seq "$1" $(($1 + 400)) > file.new && sync file.new && mv file.new file && sync . && echo "ack $1"
}
version=1
while [ $version -le 4 ]; do
    save $version
    version=$((version + 1))
done
remote -b b sh -c '
    save() {
        seq "$1" $(($1 + 400)) > file.new && sync file.new && mv file.new file && sync . && echo "ack $1"
    }
    for version in 5 6 7 8; do save $version; done'
exit 0

# `tree` is whole and not older than acknowledged. Between the two renames `tree.old` and `tree.new` are whole instead.
acknowledged=0
while read -r word version; do
    if [ "$word" = ack ]; then acknowledged=$version; fi
done
[ "$acknowledged" = 0 ] && exit 0
cd /root || exit 1
version=0
whole() {
    read -r version < "$1/first" || return 1
    seq "$version" $((version + 199)) | cmp -s - "$1/first" && seq "$version" $((version + 299)) | cmp -s - "$1/second"
}
if [ -d tree ]; then
    whole tree || { echo "tree is not whole: $(ls -l tree)"; exit 1; }
    [ "$version" -ge "$acknowledged" ] && exit 0
    echo "version $acknowledged was acknowledged, and tree is version $version"
    exit 1
fi
whole tree.new || { echo 'tree is not there, and tree.new is not whole'; exit 1; }
whole tree.old && [ "$version" -ge "$acknowledged" ] && exit 0
echo "tree is not there, and tree.old is not whole or older than version $acknowledged"
exit 1

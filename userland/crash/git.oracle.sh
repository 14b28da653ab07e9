# The repository is sound and has each commit that was acknowledged.
acknowledged=0
while read -r word number; do
    if [ "$word" = ack ]; then acknowledged=$number; fi
done
[ "$acknowledged" = 0 ] && exit 0
cd /root/work || exit 1
said=$(git fsck --full 2>&1) || { echo "git fsck: $said"; exit 1; }
number=$(git show HEAD:file | head -n 1)
[ "$number" -ge "$acknowledged" ] || { echo "commit $acknowledged was acknowledged, and HEAD is $number"; exit 1; }
git show HEAD:file | cmp -s - /dev/null && { echo 'the file of HEAD is empty'; exit 1; }
exit 0

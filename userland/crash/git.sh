# Commit to a repository of git with `core.fsync = all`: on board a, then on b. Needs `--packages git`.
# Prints `ack N` when commit N is permanent: git does not sync the directory of its references, so the script does.
cd /root || exit 1
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a
git init -q work && git -C work config core.fsync all && git -C work config gc.auto 0 && sync && cd work || exit 1
number=1
while [ $number -le 4 ]; do
    board=a
    [ $number -ge 3 ] && board=b
    remote -b $board sh -c "
        seq $number $((number + 400)) > file && git add file && git commit -q -m $number && sync && echo ack $number"
    number=$((number + 1))
done
exit 0

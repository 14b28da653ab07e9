# What: commits, a branch, a merge, grep by threads, a clone, and a push over the other board
# Package: git
# Expect: Merge branch 'side'
export GIT_AUTHOR_NAME=me GIT_AUTHOR_EMAIL=me@a GIT_COMMITTER_NAME=me GIT_COMMITTER_EMAIL=me@a
export GIT_AUTHOR_DATE='2026-01-01T00:00:00Z' GIT_COMMITTER_DATE='2026-01-01T00:00:00Z'
git init -q -b main one && cd one
for n in $(seq 60); do echo "line $n of text" > file$n; done
git add . && git commit -qm first && git rev-parse HEAD
git checkout -qb side && echo side >> file1 && git commit -qam side
git checkout -q main && echo main >> file2 && git commit -qam main && git merge -q side -m "Merge branch 'side'"
git log --format='%h %s' | head -n 3
git grep --threads=4 -c '7 of' | sort | head -n 3
git gc -q && git fsck && git count-objects
cd ..
there git clone -q one two && cd two && echo two > file3 && git commit -qam two && there git push -q origin HEAD:pushed
git -C ../one log --format='%h %s' -n 1 pushed
cd .. && rm -rf one two

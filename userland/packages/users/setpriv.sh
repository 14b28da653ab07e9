# What: a command with the ids and groups of a user, and without privileges to come
# Package: util-linux
# Expect: uid=1000(user) gid=1000(user) groups=1000(user)
# Differs: wants kept capabilities (`PR_SET_KEEPCAPS`: `EINVAL`)
setpriv --reuid 1000 --regid 1000 --clear-groups id; echo $?
setpriv --no-new-privs grep NoNewPrivs /proc/self/status; echo $?

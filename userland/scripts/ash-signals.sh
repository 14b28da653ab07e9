trap 'echo caught USR1' USR1
kill -USR1 $$
trap 'echo bye' EXIT
(trap 'echo sub; exit 2' TERM; kill -TERM $(sh -c 'echo $PPID'); sleep 1) ; echo $?
trap '' INT; kill -INT $$; echo still here
trap - USR1

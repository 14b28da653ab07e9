true; echo $?; false; echo $?
(exit 7); echo $?
sh -c 'exit 300'; echo $?
nosuchcommand 2>/dev/null; echo $?
sh -c 'kill -9 $$'; echo $?
sh -c 'kill -TERM $$'; echo $?
! true; echo $?
true | false; echo $?
exit 3

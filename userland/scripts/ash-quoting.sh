a='single "inside"'; b="double 'inside' $a"
echo "$a" "$b" \$HOME "tab	end"
printf '%s|' "$a" '' "x y"; echo
echo "back\\slash" 'back\\slash' "a\"b"
set -f; echo *; set +f
IFS=,; list=1,2,3; for i in $list; do echo "<$i>"; done

name=world
cat <<END
hello $name $((6 * 7)) `echo nested`
END
cat <<'END'
no $expansion `here`
END
cat <<-END
	tab stripped
	END
sort <<END | tr a-z A-Z
pear
apple
END

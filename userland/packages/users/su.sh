# What: root becomes a user without a password; a user becomes root with the right password only
# Package: util-linux
# Expect: uid=1000(user) gid=1000(user) groups=1000(user)
su user -c id; echo $?
su - user -c 'pwd; echo $USER $HOME'; echo $?
echo 'root:secret' | chpasswd
cat > dialogue <<'D'
set timeout 20
log_user 0
foreach password {secret wrong} {
  spawn -noecho as-user su root -c "id -u"
  expect "assword: "
  send "$password\r"
  expect eof
  puts "$password: [string trim $expect_out(buffer)] [lindex [wait] 3]"
}
D
expect -f dialogue
rm dialogue

# What: a login on a terminal: with a password, into a shell with its own session
# Package: login
# Expect: user 1000 a terminal
# Differs: `ps` finds no terminal of the new session; not examined yet
echo 'user:secret' | chpasswd
cat > dialogue <<'D'
set timeout 30
log_user 0
spawn -noecho login
expect "login: "
send "user\r"
expect "assword: "
send "secret\r"
expect -re {[$#] $}
send "test -t 0 && echo \$(id -un) \$(id -u) a term''inal > /tmp/login-said; ps -o tty= -p \$\$ | cut -c1-4 >> /tmp/login-said; exit 4\r"
expect eof
puts "status [lindex [wait] 3]"
D
expect -f dialogue
cat /tmp/login-said
rm -f /tmp/login-said dialogue

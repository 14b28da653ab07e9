# What: a login on this board from the other, by key: a command, a terminal, a file copied
# Package: openssh-server
# Expect: root on the board of the server
mkdir -p /run/sshd keys
chmod 700 keys
ssh-keygen -q -t ed25519 -N '' -f keys/host
ssh-keygen -q -t ed25519 -N '' -f keys/me
cp keys/me.pub keys/allowed
cat > config <<C
Port 2222
HostKey $PWD/keys/host
AuthorizedKeysFile $PWD/keys/allowed
StrictModes no
UsePAM no
PidFile $PWD/pid
Subsystem sftp internal-sftp
C
/usr/sbin/sshd -f config -E log
echo started $?
sleep 1
options="-o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR -i $PWD/keys/me"
there ssh $options -p 2222 root@$HERE "[ \$(uname -n) = $(uname -n) ] && echo \$(id -un) on the board of the server; exit 3"
echo status $?
there ssh $options -p 2222 -tt root@$HERE 'test -t 0 && echo a terminal' < /dev/null
there ssh $options -p 2222 root@$HERE 'cat > copied' < config && cmp ~/copied config && echo copied
seq 1 50000 > numbers
there scp -q $options -P 2222 numbers root@$HERE:$PWD/arrived
cmp numbers arrived && echo arrived
kill $(cat pid)
[ $? = 0 ] || cat log
rm -rf keys config log pid ~/copied

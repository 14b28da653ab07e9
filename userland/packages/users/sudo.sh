# What: an ordinary user runs a command as root, and is refused another
# Package: sudo
# Expect: uid=0(root) gid=0(root) groups=0(root)
mkdir -p /etc/sudoers.d
echo 'user ALL=(root) NOPASSWD: /usr/bin/id' > /etc/sudoers.d/user
chmod 440 /etc/sudoers.d/user
sudo -n id -un; echo root $?
as-user sudo -n id; echo allowed $?
as-user sudo -n cat /etc/sudoers; echo refused $?

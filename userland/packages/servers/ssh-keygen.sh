# What: keys made, and a file signed and verified
# Package: openssh-client
# Expect: Good "file" signature for me
for type in ed25519 ecdsa; do
  ssh-keygen -q -t $type -N '' -C me -f $type
  ssh-keygen -y -f $type | cut -d' ' -f1
done
echo text > text
ssh-keygen -q -Y sign -f ed25519 -n file text
echo "me $(cat ed25519.pub)" > allowed
ssh-keygen -Y verify -f allowed -I me -n file -s text.sig < text | cut -d' ' -f1-5
rm -f ed25519* ecdsa* text.sig allowed

# Real pages, by nroff and by mandoc.
for page in gawk find tar sort; do
  cp /usr/share/man/man1/$page.1* . 2> /dev/null
  [ ! -f $page.1.gz ] || gunzip -f $page.1.gz
  nroff -man $page.1 > $page.nroff
  echo nroff $page $?
  mandoc -T utf8 $page.1 > $page.mandoc
  echo mandoc $page $?
done
wc *.nroff *.mandoc
cksum *.nroff *.mandoc

touch f; mkdir d
for m in 644 700 u+x,g-r a=r 4755 +t; do chmod $m f; stat -c '%a %A' f; done
chmod -R 750 d; stat -c %a d
chmod 000 f; stat -c %a f; chmod nonsense f 2>/dev/null || echo bad mode

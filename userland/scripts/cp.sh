mkdir -p s/t; echo one > s/f; echo two > s/t/g; ln -s f s/link; chmod 640 s/f
cp s/f copy; cat copy; cp -r s r; cat r/t/g
cp -a s a; readlink a/link; stat -c %a a/f
cp -p s/f kept; stat -c %a kept
cp s 2>/dev/null || echo usage; cp nosuch x 2>/dev/null || echo missing
mkdir dir; cp s/f s/t/g dir; ls dir

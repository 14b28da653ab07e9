for p in /usr/lib a /a/ a/b/c.txt . / ''; do echo "$(basename "$p") $(dirname "$p")"; done
basename /x/y.txt .txt

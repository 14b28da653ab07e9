i=0; while [ $i -lt 150 ]; do echo $i > file$i; i=$((i + 1)); done
ls | wc -l; cat file* | sort -n | tail -n 1; rm file*0; ls | wc -l
i=0; while [ $i -lt 150 ]; do rm -f file$i; i=$((i + 1)); done; ls | wc -l

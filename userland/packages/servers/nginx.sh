# What: files served to the other board's curl, by two worker processes
# Package: nginx-light
# Expect: the same
seq 100000 > page
cat > conf <<C
worker_processes 2;
error_log $PWD/errors;
pid $PWD/pid;
user root;
events { worker_connections 64; }
http { access_log off; client_body_temp_path $PWD/t; proxy_temp_path $PWD/t; fastcgi_temp_path $PWD/t; uwsgi_temp_path $PWD/t; scgi_temp_path $PWD/t;
  sendfile on;
  server { listen 8080; location / { root $PWD; } location /hello { return 200 "hello\n"; } } }
C
/usr/sbin/nginx -c $PWD/conf; echo started $?
sleep 1
there curl -s http://$HERE:8080/hello
there curl -s http://$HERE:8080/page | cmp - page && echo the same
there curl -s -o /dev/null -w '%{http_code}\n' http://$HERE:8080/none
there curl -s -r 10-19 http://$HERE:8080/page
/usr/sbin/nginx -c $PWD/conf -s stop 2> /dev/null; echo stopped $?
grep -vc notice errors
rm -rf conf errors pid t

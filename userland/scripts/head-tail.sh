seq 30 > f
head -n 3 f; tail -n 3 f; head -c 10 f; echo; tail -c 6 f; tail -n +28 f; head -n -27 f
head -n 1 f f 2>&1; seq 100000 | head -n 2

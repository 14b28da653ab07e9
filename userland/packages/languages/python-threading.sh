# What: threads with locks, conditions, barriers, queues, an executor
# Package: python3
# Expect: sum 4000
cat > t.py <<'P'
import threading, queue, concurrent.futures, time
n, lock = 0, threading.Lock()
def add():
    global n
    for _ in range(1000):
        with lock: n += 1
threads = [threading.Thread(target=add) for _ in range(4)]
[t.start() for t in threads]; [t.join() for t in threads]
print('sum', n)
q, got = queue.Queue(4), []
def take():
    while (item := q.get()) is not None: got.append(item)
t = threading.Thread(target=take); t.start()
for i in range(50): q.put(i)
q.put(None); t.join()
print('queue', sum(got))
with concurrent.futures.ThreadPoolExecutor(8) as pool: print(list(pool.map(lambda x: x * x, range(8))))
b = threading.Barrier(3, timeout=20)
ts = [threading.Thread(target=b.wait) for _ in range(2)]; [t.start() for t in ts]; b.wait(); [t.join() for t in ts]
e = threading.Event(); print('timeout', e.wait(0.05))
many = [threading.Thread(target=e.wait) for _ in range(40)]; [t.start() for t in many]; print(threading.active_count()); e.set(); [t.join() for t in many]
print('timer', end=' '); t = threading.Timer(0.01, lambda: print('fired')); t.start(); t.join()
P
python3 t.py; rm t.py

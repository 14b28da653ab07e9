# What: pools, queues, pipes, shared values, locks and a manager between processes
# Package: python3
# Expect: squares [0, 1, 4, 9, 16, 25, 36, 49]
cat > m.py <<'P'
import multiprocessing as mp, multiprocessing.shared_memory as sm
def square(x): return x * x
def add(value, n):
    for _ in range(n):
        with value.get_lock(): value.value += 1
def echo(c):
    c.send(c.recv()[::-1]); c.close()
def put(q, n): q.put(n * 10)
def fill(name): s = sm.SharedMemory(name); s.buf[:5] = b'renga'; s.close()
def note(d, n): d[n] = n * n
def main(method):
    ctx = mp.get_context(method)
    print(method)
    with ctx.Pool(2) as pool: print('squares', pool.map(square, range(8)))
    v = ctx.Value('i', 0)
    ps = [ctx.Process(target=add, args=(v, 200)) for _ in range(3)]; [p.start() for p in ps]; [p.join() for p in ps]
    print('value', v.value)
    a, b = ctx.Pipe(); p = ctx.Process(target=echo, args=(b,)); p.start(); a.send('agner'); print('pipe', a.recv()); p.join()
    q = ctx.Queue(); ps = [ctx.Process(target=put, args=(q, n)) for n in range(3)]; [p.start() for p in ps]
    print('queue', sorted(q.get() for _ in ps)); [p.join() for p in ps]
    s = sm.SharedMemory(create=True, size=100); p = ctx.Process(target=fill, args=(s.name,)); p.start(); p.join()
    print('shared', bytes(s.buf[:5]), p.exitcode); s.close(); s.unlink()
    if method == 'spawn': return
    with ctx.Manager() as m:
        d = m.dict(); ps = [ctx.Process(target=note, args=(d, n)) for n in range(3)]; [p.start() for p in ps]; [p.join() for p in ps]
        print('manager', dict(sorted(d.items())))
if __name__ == '__main__':
    for method in 'fork', 'spawn': main(method)
P
python3 m.py; rm m.py

# What: a loop with a server and clients, a subprocess, timeouts, a thread, a signal
# Package: python3
# Expect: clients [10, 20, 30]
cat > s.py <<'P'
import asyncio, os, signal
async def serve(r, w):
    n = int(await r.readline()); w.write(b'%d\n' % (n * 10)); await w.drain(); w.close()
async def ask(port, n):
    r, w = await asyncio.open_connection('127.0.0.1', port)
    w.write(b'%d\n' % n); answer = int(await r.readline()); w.close(); return answer
async def main():
    server = await asyncio.start_server(serve, '127.0.0.1', 0)
    port = server.sockets[0].getsockname()[1]
    print('clients', await asyncio.gather(*(ask(port, n) for n in (1, 2, 3))))
    p = await asyncio.create_subprocess_exec('tr', 'a-z', 'A-Z', stdin=-1, stdout=-1)
    print((await p.communicate(b'upper'))[0], p.returncode)
    try: await asyncio.wait_for(asyncio.sleep(9), 0.05)
    except asyncio.TimeoutError: print('timeout')
    print(await asyncio.to_thread(sum, range(10)))
    got = asyncio.Event(); asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, got.set)
    os.kill(os.getpid(), signal.SIGUSR1); await asyncio.wait_for(got.wait(), 5); print('signal')
asyncio.run(main())
P
python3 s.py; rm s.py

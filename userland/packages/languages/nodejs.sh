# What: promises, files, a server and its client, a worker thread, a child process, compiled code
# Package: nodejs
# Expect: worker 42
cat > n.js <<'J'
const { Worker, isMainThread, parentPort } = require('worker_threads');
if (!isMainThread) { parentPort.on('message', n => { parentPort.postMessage(n * 2); parentPort.close(); }); return; }
const fs = require('fs'), http = require('http'), { execFileSync } = require('child_process'), crypto = require('crypto');
(async () => {
  let s = 0; for (let i = 0; i < 300000; i++) s = (s * 31 + i) % 1000003; console.log('loop', s);
  await fs.promises.writeFile('f', 'renga'); console.log((await fs.promises.readFile('f')).toString());
  console.log(execFileSync('tr', ['a-z', 'A-Z'], { input: 'upper' }).toString());
  console.log(crypto.pbkdf2Sync('a', 'b', 10, 8, 'sha256').toString('hex'));
  const server = http.createServer((q, r) => r.end('got ' + q.url)).listen(0, '127.0.0.1', () => {
    http.get({ host: '127.0.0.1', port: server.address().port, path: '/x' }, r => { r.on('data', d => console.log(d.toString())); r.on('end', () => server.close()); });
  });
  const w = new Worker(__filename); w.on('message', n => console.log('worker', n)); w.postMessage(21);
  await new Promise(done => w.on('exit', done)); console.log('timer', await new Promise(d => setTimeout(d, 10, 'fired')));
})();
J
node n.js; echo $?; rm -f n.js f

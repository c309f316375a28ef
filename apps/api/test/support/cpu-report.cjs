/**
 * Loaded into a gateway before its program: answers each connection to the socket in CPU_REPORT_SOCKET with the CPU
 * time, in microseconds, that the process and its main thread have used. Linux only.
 */
const { readFileSync } = require('node:fs');
const { createServer } = require('node:net');

createServer((socket) => {
  const { user, system } = process.cpuUsage();
  const [nanoseconds] = readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ');
  const report = { process: user + system, mainThread: Number(nanoseconds) / 1000 };
  socket.on('error', () => undefined).end(JSON.stringify(report));
})
  .listen(process.env.CPU_REPORT_SOCKET)
  .unref();

import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import fc from 'fast-check';
import { dropContinues } from './continue-filter.js';

const HEAD = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok';

/** Sends these requests, and returns the bytes that undici would read from the arriving pieces. */
function read(pieces: string[], written: (string | Buffer)[] = [HEAD]): string {
  const socket = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() }) as Socket;
  dropContinues(socket);
  for (const chunk of written) socket.write(chunk);
  let text = '';
  for (const piece of pieces) {
    socket.push(Buffer.from(piece, 'latin1'));
    for (let chunk = socket.read() as Buffer | null; chunk !== null; chunk = socket.read() as Buffer | null)
      text += chunk.toString('latin1');
  }
  return text;
}

it.each([
  ['one', 'HTTP/1.1 100 Continue\r\n\r\n'],
  ['several', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(5)],
  ['one without a reason', 'HTTP/1.1 100\r\n\r\n'],
  ['one with headers', 'HTTP/1.1 100 Continue\r\nServer: x\r\nX-Y: z\r\n\r\n'],
  ['one of HTTP/1.0', 'HTTP/1.0 100 Continue\r\n\r\n'],
])('removes 100 Continue before a response, however it is split: %s', (_, interim) => {
  fc.assert(
    fc.property(fc.array(fc.nat(interim.length + OK.length), { maxLength: 6 }), (cuts) => {
      const all = interim + OK;
      const ends = [...cuts, all.length].sort((a, b) => a - b);
      const pieces = ends.map((end, index) => all.slice(ends[index - 1] ?? 0, end));
      expect(read(pieces.filter((piece) => piece !== ''))).toBe(OK);
    }),
  );
});

it.each([
  ['another interim response', 'HTTP/1.1 103 Early Hints\r\n\r\n' + OK],
  ['a status of 1000', 'HTTP/1.1 1000 Odd\r\n\r\n'],
  ['no HTTP', 'SSH-2.0-OpenSSH_9.2\r\n'],
  ['a body that looks like one', 'HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n'],
])('leaves %s', (_, response) => {
  expect(read([response])).toBe(response);
  expect(read([...response])).toBe(response);
});

it('leaves a body that arrives in pieces, also while the body of the request is written', () => {
  const socket = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() }) as Socket;
  dropContinues(socket);
  socket.write(HEAD);
  socket.push('HTTP/1.1 200 OK\r\n\r\n');
  expect(String(socket.read())).toBe('HTTP/1.1 200 OK\r\n\r\n');
  socket.write(Buffer.from('the body, HTTP/1.1\r\n'));
  socket.push('HTTP/1.1 100 Continue\r\n\r\n');
  expect(String(socket.read())).toBe('HTTP/1.1 100 Continue\r\n\r\n');
});

it('removes it before each response of a connection', () => {
  const socket = new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() }) as Socket;
  dropContinues(socket);
  for (let request = 0; request < 3; request++) {
    socket.write(HEAD);
    socket.push('HTTP/1.1 100 Continue\r\n\r\n' + OK);
    expect(String(socket.read())).toBe(OK);
  }
});

it('keeps at most 16 kB of a head that does not end', () => {
  const head = `HTTP/1.1 100 Continue\r\nX: ${'x'.repeat(1000)}`;
  expect(read([head])).toBe('');
  expect(read([head, 'x'.repeat(20_000)])).toBe(head + 'x'.repeat(20_000));
});

it('removes at most a hundred 100 Continue responses, and leaves what follows, which undici refuses', () => {
  const flood = 'HTTP/1.1 100 Continue\r\n\r\n';
  expect(read([flood.repeat(100) + OK])).toBe(OK);
  expect(read([flood.repeat(99), flood.repeat(1000), OK])).toBe(flood.repeat(999) + OK);
});

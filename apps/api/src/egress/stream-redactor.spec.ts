import { once } from 'node:events';
import { Readable } from 'node:stream';
import * as fc from 'fast-check';
import { atOnce, type ShortSteps } from '../platform/short-steps.js';
import { Redactor } from './redaction.js';
import { StreamRedactor } from './stream-redactor.js';

const SECRET = 'sk-live/a+b%c1234567';
const redactor = new Redactor([SECRET]);

const finish = async <Result>(steps: ShortSteps<Result>): Promise<Result> => atOnce(steps);

const streamRedactor = (terms: Partial<ConstructorParameters<typeof StreamRedactor>[1]>): StreamRedactor =>
  new StreamRedactor(redactor, {
    isText: true,
    hasEvents: true,
    isAsSent: true,
    work: finish,
    onBinary: () => undefined,
    isBroken: () => false,
    ...terms,
  });

async function streamed(chunks: Buffer[], { isText = true, hasEvents = false } = {}): Promise<Buffer> {
  const stream = Readable.from(chunks, { objectMode: false }).pipe(streamRedactor({ isText, hasEvents }));
  return Buffer.concat((await stream.toArray()) as Buffer[]);
}

function cut(bytes: Buffer, places: number[]): Buffer[] {
  const borders = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return borders.slice(1).map((end, n) => bytes.subarray(borders[n], end));
}

const spellings = fc.constantFrom(
  SECRET,
  encodeURIComponent(SECRET),
  JSON.stringify(SECRET).replaceAll('/', '\\/'),
  Buffer.from(SECRET).toString('base64'),
  Buffer.from(SECRET).toString('hex'),
  Array.from(SECRET, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
);
const filler = fc.string({ maxLength: 40, unit: fc.constantFrom(...'ab :,.=%\\"\u00fc') });
/** Escapes before a secret would change how it is read. */
const plain = fc.string({ maxLength: 40, unit: fc.constantFrom(...'ab :,.="\u00fc') });
const places = fc.array(fc.nat(), { maxLength: 30 });

it('redacts every spelling wherever chunks begin, whether or not the answer says that it is text', async () => {
  await fc.assert(
    fc.asyncProperty(spellings, plain, plain, places, fc.boolean(), async (secret, before, after, borders, isText) => {
      const whole = Buffer.from(before + secret + after);
      const text = (await streamed(cut(whole, borders), { isText })).toString();
      expect(text).toContain('[REDACTED]');
      expect(text).not.toContain(secret);
    }),
  );
});

it.each(['\u00fc', '\u20ac', '\u{1f511}'])('redacts a secret after %s that a chunk cuts', async (character) => {
  const whole = Buffer.from(`${character}${SECRET}`);
  for (let at = 1; at < Buffer.byteLength(character); at++) {
    expect((await streamed(cut(whole, [at]), { isText: false })).toString()).toBe(`${character}[REDACTED]`);
  }
});

it('does not change a text without the secret', async () => {
  await fc.assert(
    fc.asyncProperty(filler, places, fc.boolean(), async (text, borders, hasEvents) => {
      const whole = Buffer.from(text);
      expect((await streamed(cut(whole, borders), { hasEvents })).equals(whole)).toBe(true);
    }),
  );
});

it('does not change binary answers, even with parts of characters at the borders of chunks', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), places, async (bytes, borders) => {
      const whole = Buffer.from(bytes);
      expect((await streamed(cut(whole, borders), { isText: false })).equals(whole)).toBe(true);
    }),
  );
});

it.each([
  ['large chunks', 8192, true, 1],
  ['small chunks', 100, true, 3],
  ['decoded chunks', 8192, false, 3],
])(
  'takes one turn for all large chunks of an undecoded binary answer, and one turn for each chunk otherwise: %s',
  (_what, bytes, isAsSent, turns) => {
    let [taken, reported] = [0, 0];
    const onBinary = (): void => void (reported += 1);
    const work = <Result>(steps: ShortSteps<Result>): Result => {
      taken += 1;
      return atOnce(steps);
    };
    const stream = streamRedactor({ isText: false, hasEvents: false, isAsSent, work, onBinary });
    for (let n = 0; n < 3; n++) stream.write(Buffer.alloc(bytes, 0xff));
    expect(reported).toBe(1);
    expect((stream.read() as Buffer).equals(Buffer.alloc(3 * bytes, 0xff))).toBe(true);
    expect(taken).toBe(turns);
  },
);

it('never reveals 8 characters of a secret at the end', async () => {
  for (let length = 8; length < SECRET.length; length++) {
    const text = (await streamed([Buffer.from(`before ${SECRET.slice(0, length)}`)])).toString();
    expect(text).toBe('before [REDACTED]');
  }
});

it('redacts the events of one chunk as it redacts each alone', async () => {
  const part = fc.nat({ max: SECRET.length }).map((length) => SECRET.slice(0, length));
  const last = fc.constantFrom('', '}', ']', '"}', '%', '\\', ' ', '\n }', '\u00fc', '+', '/');
  const end = fc.constantFrom('\n\n', '\r\n\r\n', '\r\r');
  const event = fc.oneof(
    fc.tuple(plain, fc.oneof(spellings, part), last, end).map((parts) => Buffer.from(`data: ${parts.join('')}`)),
    end.map(Buffer.from),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 1, maxLength: 5 }), async (events) => {
      const together = await streamed([Buffer.concat(events)], { hasEvents: true });
      const alone = Buffer.concat(events.map((each) => atOnce(redactor.redactEnd(each))));
      expect(together.toString()).toBe(alone.toString());
    }),
    { numRuns: 1000 },
  );
});

it('decides in linear time that many empty events need no redaction', () => {
  let reads = 0;
  for (const mixed of ['\n\n\r\r', '\n\n\r\n', '\r\r\n\n\n']) {
    const text = Buffer.from(`}${mixed.repeat(500)}`);
    const counted = new Proxy(text, {
      get: (bytes, name) => {
        if (name === 'toString') return bytes.toString.bind(bytes);
        reads += 1;
        return bytes[Number(name)];
      },
    });
    const ends = Array.from({ length: text.length >> 1 }, (_, n) => 2 * n + 3).filter((end) => end <= text.length);
    reads = 0;
    expect(redactor.leavesAlone(counted, counted.toString('latin1'), ends)).toBe(true);
    expect(reads).toBeLessThan(4 * text.length);
  }
});

it('passes the events of one chunk in one piece when none of them holds anything to redact', async () => {
  const stream = streamRedactor({});
  const pieces: string[] = [];
  stream.on('data', (piece: Buffer) => pieces.push(piece.toString()));
  const events = 'data: {"content":"a sk-live of 100%\\n"}\n\n'.repeat(3);
  stream.write(events);
  await once(stream, 'data');
  expect(pieces).toEqual([events]);
});

it('passes each complete event at once, and keeps what separates events', async () => {
  for (const end of ['\n\n', '\r\n\r\n', '\r\r']) {
    const stream = streamRedactor({});
    // The event ends with the beginning of the secret.
    stream.write(`data: s${end}`);
    await once(stream, 'readable');
    expect((stream.read() as Buffer).toString()).toBe(`data: s${end}`);
    stream.write(`data: ${SECRET.slice(0, 12)}${end}`);
    await once(stream, 'readable');
    expect((stream.read() as Buffer).toString()).toBe(`data: [REDACTED]${end}`);
  }
});

import fc from 'fast-check';
import { sseParser, type ServerSentEvent } from './sse.js';

function parse(chunks: string[]): ServerSentEvent[] {
  const events: ServerSentEvent[] = [];
  const feed = sseParser((event) => events.push(event));
  for (const chunk of chunks) feed(chunk);
  return events;
}

describe('the parser of server-sent events', () => {
  it('reads name, data and id, and ignores comments', () => {
    expect(parse([': hi\n\nevent: action.created\nid: 7\ndata: {"a":1}\n\n'])).toEqual([
      { event: 'action.created', data: '{"a":1}', id: '7' },
    ]);
  });

  it('joins several data lines and strips one leading space only', () => {
    expect(parse(['data:  a\ndata:b\n\n'])).toEqual([{ event: 'message', data: ' a\nb', id: '' }]);
  });

  it('dispatches nothing without data, and nothing before the empty line', () => {
    expect(parse(['event: x\n\n', 'data: later\n'])).toEqual([]);
  });

  it('skips a byte order mark', () => {
    expect(parse(['\uFEFFdata: x\n\n'])).toHaveLength(1);
  });

  it('gives the same events however the stream is cut and whatever ends its lines', () => {
    const field = fc.constantFrom('data: x', 'data:y', 'event: e', 'id: 1', ': c', 'data', 'other: z', '');
    fc.assert(
      fc.property(
        fc.array(field, { maxLength: 20 }),
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.array(fc.nat({ max: 200 }), { maxLength: 10 }),
        (fields, end, cuts) => {
          const whole = fields.map((each) => each + end).join('');
          const points = [...new Set(cuts.filter((cut) => cut < whole.length))].sort((a, b) => a - b);
          const pieces = [0, ...points].map((from, index) => whole.slice(from, points[index]));
          expect(parse(pieces)).toEqual(parse([fields.map((each) => `${each}\n`).join('')]));
        },
      ),
    );
  });
});

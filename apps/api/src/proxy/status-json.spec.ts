import * as fc from 'fast-check';
import { toStoredResponse } from '../egress/answer.js';
import { jsonPieces } from './status-json.js';

const makeStatus = (body: Buffer) => ({
  status: 'EXECUTED' as const,
  action_id: '0b9e4c0e-8f0e-4b8e-9d9b-0c4e8a1f6a57',
  result: {
    ...toStoredResponse({ status: 200, headers: [['x-name', '"body":""']], body }),
    fromUpstream: false as const,
  },
});
const written = (body: Buffer): string[] => Array.from(jsonPieces(makeStatus(Buffer.alloc(0)), body));

/** Bytes that are repeated beyond the size of a piece, so that characters lie across its ends. */
const bodies = fc
  .tuple(
    fc.oneof(
      fc.string({ unit: 'binary' }).map((text) => Buffer.from(text)),
      fc.uint8Array({ maxLength: 50 }),
    ),
    fc.nat(4000),
  )
  .map(([bytes, times]) => Buffer.concat(Array<Uint8Array>(times).fill(bytes)));

it('the joined pieces are the same JSON value, for any bytes and wherever a piece ends', () => {
  fc.assert(
    fc.property(bodies, (body) => {
      expect(JSON.parse(written(body).join(''))).toEqual(makeStatus(body));
    }),
  );
});

it('makes no piece large, even of bytes that JSON writes as six', () => {
  const pieces = written(Buffer.alloc(1024 * 1024, 1));
  expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(100_000);
  expect(pieces.join('')).toHaveLength(6 * 1024 * 1024 + JSON.stringify(makeStatus(Buffer.alloc(0))).length);
});

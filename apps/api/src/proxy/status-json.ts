import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { StringDecoder } from 'node:string_decoder';
import type { Response } from 'express';
import type { ExecutedStatus } from '#contracts';
import type { ActionEntity } from '#database';
import { toStatusResponse } from '../approvals/action-mapper.js';
import { FREE_BYTES } from '../platform/http/body-budget.js';

/** Base64 of whole triples can be joined. */
const PIECE_BYTES = 3 * 4096;

/** Makes a piece of an answer when it is the agent's turn. */
type TakeTurn = (step: () => void) => void;

/**
 * Writes a status as JSON. JSON can need six bytes for one, so a large result is written in pieces: as one text, it
 * would block other requests for half a second, and take 60 MB of memory.
 */
export function writeStatus(response: Response, action: ActionEntity, turn: TakeTurn): void {
  const { answerRoom } = response.req;
  const { resultBody } = action;
  response.type('application/json');
  if (action.effectiveStatus !== 'EXECUTED' || resultBody === null || resultBody.length <= FREE_BYTES) {
    const json = JSON.stringify(toStatusResponse(action));
    answerRoom.write(Buffer.byteLength(json));
    response.send(json);
    return;
  }
  answerRoom.write(resultBody.length);
  const status = toStatusResponse({ ...action, resultBody: null }) as ExecutedStatus;
  const pieces = jsonPieces(status, resultBody);
  // It fails only if the client is gone.
  void pipeline(Readable.from(inTurns(pieces, turn)), response).catch(() => undefined);
}

/** @param status the status without the body of its result */
export function* jsonPieces(status: ExecutedStatus, body: Buffer): Generator<string, void, void> {
  const isText = isUtf8(body);
  const { body: _empty, ...rest } = status.result;
  // The body is last, so that it can be put between the last quotes.
  const result = { ...rest, ...(!isText && { bodyEncoding: 'base64' }), body: '' };
  const json = JSON.stringify({ ...status, result });
  const end = json.lastIndexOf('"');
  yield json.slice(0, end);
  const decoder = new StringDecoder(isText ? 'utf8' : 'base64');
  for (let at = 0; at < body.length; at += PIECE_BYTES) {
    const text = decoder.write(body.subarray(at, at + PIECE_BYTES));
    yield isText ? JSON.stringify(text).slice(1, -1) : text;
  }
  yield decoder.end() + json.slice(end);
}

async function* inTurns(pieces: Iterator<string, void, void>, turn: TakeTurn): AsyncGenerator<string> {
  for (;;) {
    const { done, value } = await new Promise<IteratorResult<string, void>>((resolve) =>
      turn(() => resolve(pieces.next())),
    );
    if (done) return;
    yield value;
  }
}

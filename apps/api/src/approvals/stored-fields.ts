import type { ActionEntity } from '#database';
import type { ShortSteps } from '../platform/short-steps.js';
import { contentSteps } from '../request-reading/request-content.js';
import { requestFields, type RequestFields } from './request-fields.js';

export type StoredRequest = Pick<ActionEntity, 'method' | 'targetUrl' | 'headers' | 'body' | 'bodyHash'>;

/** The fields of longer bodies are not read. */
export const BODY_MAX_BYTES = 64 * 1024;

/** Whether the body is text, and not too long. */
export const isReadable = ({ body, bodyHash }: StoredRequest): boolean =>
  body === null ? bodyHash === null : Buffer.byteLength(body) <= BODY_MAX_BYTES;

/** The fields of a stored request that `isReadable`. Null: nobody can say what they are. */
export function* fieldsSteps({ method, targetUrl, headers, body }: StoredRequest): ShortSteps<RequestFields | null> {
  return requestFields(targetUrl, yield* contentSteps({ method, targetUrl, headers, body }));
}

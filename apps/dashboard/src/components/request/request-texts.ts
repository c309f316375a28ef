import { readBody } from '../../lib/body.js';
import { bytes as formatBytes } from '../../lib/format.js';
import { sharedMessages } from '../../lib/messages.js';
import { readTarget } from '../../lib/request-target.js';
import type { SuspicionCounts } from '../../lib/text-safety.js';

export interface ShownRequest {
  method: string;
  targetUrl: string;
  headers: Record<string, string | string[]>;
  body: string | null;
  bodyEncoding?: 'base64';
  /** The size of the whole body, if only its beginning is here. */
  bodyBytes?: number | null;
}

/** Warns about invisible or misleading characters in a request. null if there are none. */
export function suspicionText(counts: SuspicionCounts): string | null {
  const parts = (['hidden', 'direction', 'lookalike'] as const).flatMap((kind) =>
    counts[kind] > 0 ? [sharedMessages.suspicions[kind](counts[kind])] : [],
  );
  return parts.length > 0 ? sharedMessages.suspicions.warning(parts.join(', ')) : null;
}

/** All texts in a request that the agent controls. */
export function requestTexts(request: ShownRequest): string[] {
  const target = readTarget(request.targetUrl);
  return [
    target ? target.path : request.targetUrl,
    ...(target?.query.flatMap(({ name, value }) => [name, value]) ?? []),
    ...Object.entries(request.headers).flatMap(([name, value]) => [name, ...[value].flat()]),
    ...(request.body === null ? [] : [readBody(request.body, request.bodyEncoding).text ?? '']),
  ];
}

/** A short form, such as `1.2 kB JSON body · 4 headers`. */
export function requestSize(request: ShownRequest, injectedHeaders: readonly string[]): string {
  const loaded = request.body === null ? 0 : readBody(request.body, request.bodyEncoding).bytes.length;
  const size = request.bodyBytes ?? loaded;
  const noBody = request.bodyEncoding === undefined ? sharedMessages.request.noBody : sharedMessages.request.binaryBody;
  const body = request.body === null ? noBody : `${sharedMessages.request.body} ${formatBytes(size)}`;
  return `${body} · ${sharedMessages.request.headers(Object.keys(request.headers).length + injectedHeaders.length)}`;
}

export function firstHeader(headers: ShownRequest['headers'], name: string): string {
  const found = Object.entries(headers).find(([each]) => each.toLowerCase() === name);
  return found ? ([found[1]].flat()[0] ?? '') : '';
}

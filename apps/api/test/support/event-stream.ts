import type { GatewayEvent } from '#contracts';
import { eventually } from './eventually.js';

export interface EventStream {
  status: number;
  headers: Headers;
  /** All text so far, comments included. */
  text(): string;
  events: GatewayEvent[];
  /** The first matching event, past or future. */
  next(fits: (event: GatewayEvent) => boolean): Promise<GatewayEvent>;
  /** Resolves when the gateway has ended the stream. */
  ended: Promise<void>;
  close(): void;
}

/** Reads `GET /events` as a browser would, over real HTTP. */
export async function openEvents(
  url: string,
  token?: string,
  headers: Record<string, string> = {},
): Promise<EventStream> {
  const controller = new AbortController();
  const response = await fetch(`${url}/events`, {
    headers: { ...headers, ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }) },
    signal: controller.signal,
  });
  let text = '';
  const events: GatewayEvent[] = [];
  const read = async (): Promise<void> => {
    const decoder = new TextDecoder();
    let parsed = 0;
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk as Uint8Array, { stream: true });
      for (let end; (end = text.indexOf('\n\n', parsed)) !== -1; parsed = end + 2) {
        const block = text.slice(parsed, end);
        const data = /^data: (.*)$/m.exec(block)?.[1];
        if (data === undefined) continue;
        const event = JSON.parse(data) as GatewayEvent;
        if (/^event: (.*)$/m.exec(block)?.[1] !== event.type) throw new Error(`event and data differ: ${block}`);
        events.push(event);
      }
    }
  };
  const ended = read();
  ended.catch(() => undefined);
  return {
    status: response.status,
    headers: response.headers,
    text: () => text,
    events,
    next: (fits) => eventually(() => events.find(fits)),
    ended,
    close: () => controller.abort(),
  };
}

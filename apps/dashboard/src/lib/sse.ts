/** A parser for server-sent events (WHATWG HTML, section 9.2.6): EventSource can't send the bearer header, fetch can. */
export interface ServerSentEvent {
  event: string;
  data: string;
  id: string;
}

/** Feed it decoded text in pieces of any size; it calls back once per complete event. */
export function sseParser(onEvent: (event: ServerSentEvent) => void): (chunk: string) => void {
  let rest = '';
  let first = true;
  let endedWithCr = false;
  let event = '';
  let id = '';
  let data: string[] = [];

  function line(text: string): void {
    if (text === '') {
      if (data.length > 0) onEvent({ event: event || 'message', data: data.join('\n'), id });
      event = '';
      data = [];
      return;
    }
    const colon = text.indexOf(':');
    if (colon === 0) return;
    const field = colon === -1 ? text : text.slice(0, colon);
    const value = colon === -1 ? '' : text.slice(text[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'event') event = value;
    else if (field === 'data') data.push(value);
    else if (field === 'id' && !value.includes('\0')) id = value;
  }

  return (chunk) => {
    if (chunk === '') return;
    let text = chunk;
    if (first && text.startsWith('\uFEFF')) text = text.slice(1);
    first = false;
    // A CR at the end of the last piece was taken as the end of a line; its LF may come now.
    if (endedWithCr && text.startsWith('\n')) text = text.slice(1);
    endedWithCr = chunk.endsWith('\r');
    rest += text;
    const lines = rest.split(/\r\n|\r|\n/);
    rest = lines.pop()!;
    for (const each of lines) line(each);
  };
}

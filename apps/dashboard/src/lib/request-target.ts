/** The readable parts of a target URL, decoded where decoding does not change the meaning. */
interface RequestTarget {
  scheme: string;
  /** The host and port that the gateway will connect to. */
  host: string;
  /** Decoded, except `%2F`, `%5C`, `%3F`, `%23`, `%25` and control characters, which would change the meaning. */
  path: string;
  query: { name: string; value: string }[];
}

const KEEP = /%(?:2f|5c|3f|23|25|[01][0-9a-f]|7f)/gi;

function decode(text: string): string {
  const held: string[] = [];
  const rest = text.replace(KEEP, (escape) => {
    held.push(escape);
    return '\0';
  });
  try {
    return decodeURIComponent(rest).replace(/\0/g, () => held.shift()!);
  } catch {
    return text;
  }
}

function decodeQuery(text: string): string {
  try {
    return decodeURIComponent(text.replace(/\+/g, ' '));
  } catch {
    return text;
  }
}

export function readTarget(url: string): RequestTarget | null {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    return null;
  }
  return {
    scheme: parsed.protocol.slice(0, -1),
    host: parsed.host,
    path: decode(parsed.pathname),
    query: readPairs(parsed.search.slice(1)),
  };
}

/** `a=1&b=2` as pairs. Repeated names are kept. Also used for form bodies. */
export const readPairs = (text: string): RequestTarget['query'] =>
  text === ''
    ? []
    : text.split('&').map((pair) => {
        const equals = pair.indexOf('=');
        return equals === -1
          ? { name: decodeQuery(pair), value: '' }
          : { name: decodeQuery(pair.slice(0, equals)), value: decodeQuery(pair.slice(equals + 1)) };
      });

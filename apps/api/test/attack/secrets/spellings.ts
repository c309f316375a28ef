const percent = (text: string): string => encodeURIComponent(text);
const hex = (text: string): string => Buffer.from(text).toString('hex');
/** Breaks a text into lines, inside more text. */
const lines = (text: string, length: number, lineBreak: string): string =>
  Buffer.from(`user-name:${text}:tail of some length`)
    .toString('base64')
    .replace(new RegExp(`.{${length}}`, 'g'), `$&${lineBreak}`);
const escaped = (text: string): string =>
  Array.from({ length: text.length }, (_, n) => `\\u${text.charCodeAt(n).toString(16).padStart(4, '0')}`).join('');
/** The forms in which an upstream may send a secret back. */
export const SPELLINGS: Record<string, (secret: string) => string> = {
  raw: (secret) => secret,
  json: (secret) => JSON.stringify({ secret }),
  base64: (secret) => Buffer.from(secret).toString('base64'),
  'base64 without padding': (secret) => Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  base64url: (secret) => Buffer.from(secret).toString('base64url'),
  'base64 of more': (secret) => Buffer.from(`user-name:${secret}:tail`).toString('base64'),
  'base64 of JSON': (secret) => Buffer.from(JSON.stringify([1, secret])).toString('base64'),
  'JSON with escaped slashes': (secret) => JSON.stringify({ secret }).replaceAll('/', '\\/'),
  'base64 in a query': (secret) => percent(Buffer.from(`user:${secret}`).toString('base64')),
  percent,
  'percent in lower case': (secret) => percent(secret).replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
  form: (secret) => new URLSearchParams({ secret }).toString(),
  hexadecimal: hex,
  'hexadecimal in upper case': (secret) => hex(secret).toUpperCase(),
  'JSON with all characters escaped': escaped,
  'JSON with all characters escaped, upper case': (secret) =>
    escaped(secret).replace(/[0-9a-f]{4}/g, (code) => code.toUpperCase()),
  'percent of every character': (secret) => hex(secret).replace(/../g, '%$&').toUpperCase(),
  'percent of every character, lower case': (secret) => hex(secret).replace(/../g, '%$&'),
  // A header can't hold a raw line break.
  'base64 in lines (MIME)': (secret) => JSON.stringify(lines(secret, 76, '\r\n')),
  'base64 in lines (PEM)': (secret) => JSON.stringify(lines(secret, 64, '\n')),
};

/** Sends one request and keeps its whole answer. `mayHold` lists the secrets that this endpoint issues. */

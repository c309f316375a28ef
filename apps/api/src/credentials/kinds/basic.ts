import type { ConnectionKind } from './injection.js';

/**
 * Texts that APIs want as the password when the user name is the key. They are not redacted, because many texts contain
 * these words.
 */
const NO_PASSWORD = /^(?:x*|-|_|api_?(?:token|key)|token|none|null|unused|ignored|dummy|nopass|x-oauth-basic)$/i;
/** A prefix of keys, a long run of digits and letters, or a UUID. */
const KEY_SHAPE =
  /^(?:[srp]k_|key-|gh[a-z]_|glpat-|xox[a-z]-|SG\.)|^(?=.*\d)(?=.*[a-z]).*[a-z\d]{16}|^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
/** Public identifiers of that shape: Twilio's accounts and keys, and addresses of people. */
const IDENTIFIER = /^(?:AC|SK)[\da-f]{32}$|@/;

/**
 * The halves that an answer must not contain. A user name is mostly an identifier, which answers may contain. But the
 * user name is the key itself if the password is only a placeholder, or if the user name looks like a key.
 */
function secretHalves(username: string, password: string): string[] {
  if (NO_PASSWORD.test(password)) return [username];
  return KEY_SHAPE.test(username) && !IDENTIFIER.test(username) ? [username, password] : [password];
}

/** `Authorization: Basic <base64>` (RFC 7617). Either half may be empty. */
export const basicKind: ConnectionKind = {
  required: () => ['username', 'password'],
  headerNames: () => ['Authorization'],
  valueFault: (name, value) => {
    if (/\p{Cc}/u.test(value)) return 'must not contain control characters';
    return name === 'username' && value.includes(':') ? 'must not contain a colon' : null;
  },
  inject: (_auth, { reveal }) => {
    const [username, password] = [reveal('username'), reveal('password')];
    const pair = Buffer.from(`${username}:${password}`, 'utf8').toString('base64');
    return {
      headers: { Authorization: `Basic ${pair}` },
      query: {},
      secrets: [pair, ...secretHalves(username, password)],
    };
  },
};

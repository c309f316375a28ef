import type { ConnectionKind } from './injection.js';

/** `Authorization: Basic <base64>` (RFC 7617). Either half may be empty. */
export const basic: ConnectionKind = {
  required: () => ['username', 'password'],
  headerNames: () => ['Authorization'],
  valueFault: (name, value) => {
    if (/\p{Cc}/u.test(value)) return 'must not contain control characters';
    return name === 'username' && value.includes(':') ? 'must not contain a colon' : null;
  },
  // A user name is an identifier that answers may legitimately contain, so it is not redacted. If the password is
  // empty, the user name is the key itself.
  inject: (_auth, { reveal }) => {
    const [username, password] = [reveal('username'), reveal('password')];
    const pair = Buffer.from(`${username}:${password}`, 'utf8').toString('base64');
    return {
      headers: { Authorization: `Basic ${pair}` },
      query: {},
      secrets: [pair, password === '' ? username : password],
    };
  },
};

/** Anywhere in a name. */
const SECRET =
  /passw(?:or)?d|passphrase|passcode|secret|token|credential|authorization|authentication|cookie|session|signature|jwt|bearer|hmac|[cx]srf|(?:api|private|access|signing|encryption|account|shared|ssh|master)[\s._-]?key|(?:security|card)[\s._-]?code/i;
/** A whole word of a name: `author` is no `auth`. */
const SECRET_WORD = /^(?:pwd|pass|otp|totp|auth|oauth|sig\d*|pin|cvv2?|cvc2?|sid)$/;

const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/);

/** Whether a field with this name holds a secret. */
export const isSecretField = (name: string): boolean =>
  SECRET.test(name) || wordsOf(name).some((word) => SECRET_WORD.test(word));

/** The same for a header or a parameter. In JSON, a `key` is mostly the name of something. */
export const isSecretParameter = (name: string): boolean => isSecretField(name) || wordsOf(name).at(-1) === 'key';

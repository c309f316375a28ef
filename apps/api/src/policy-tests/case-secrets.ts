import { REDACTED } from '../egress/spans.js';

/**
 * What is recorded has no credentials of the service. But an agent may send a secret of its own, and a case ends up in a
 * repository. So values whose name says that they are secret are left out.
 */

const NAME =
  'passw(?:or)?d|passphrase|secret|token|api[_-]?key|private[_-]?key|credential|authorization|cookie|session|signature';
const SECRET_NAME = new RegExp(NAME, 'i');
const JSON_FIELD = new RegExp(`("[^"\\\\]{0,100}(?:${NAME})[^"\\\\]{0,100}"\\s*:\\s*)"(?:[^"\\\\]|\\\\.)*"`, 'gis');
const FORM_FIELD = new RegExp(`((?:^|[&?])[^=&?#]{0,100}(?:${NAME})[^=&?#]{0,100}=)[^&#]*`, 'gi');

export const withoutSecretHeaders = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, SECRET_NAME.test(name) ? REDACTED : value]));

/** For a URL and for a body: in a JSON text, a form or a query. */
export const withoutSecretFields = (text: string): string =>
  text.replace(JSON_FIELD, `$1"${REDACTED}"`).replace(FORM_FIELD, `$1${REDACTED}`);

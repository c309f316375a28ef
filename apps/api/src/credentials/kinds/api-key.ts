import { DEFAULT_API_KEY_HEADER } from '#contracts/headers';
import { errors } from '../../platform/errors.js';
import type { ConnectionKind, Injection } from './injection.js';
import { headerNameFault, headerValueFault } from './header-value.js';

/** The header in which a credential of an `api_key` service is sent (docs/reference/egress.md#credentials). */
const apiKeyHeader = (name: string): string => (name === 'api_key' ? DEFAULT_API_KEY_HEADER : name);

/** Each credential is a header of its own. */
export const apiKey: ConnectionKind = {
  required: (_auth, stored) => (stored.length > 0 ? [] : ['api_key']),
  headerNames: (_auth, stored) => stored.map(apiKeyHeader),
  nameFault: headerNameFault,
  valueFault: headerValueFault,
  inject: (_auth, { names, reveal }) => {
    if (names.length === 0) throw errors.noCredentials();
    const injection: Injection = { headers: Object.create(null) as Record<string, string>, query: {}, secrets: [] };
    for (const name of names) {
      const value = reveal(name);
      injection.headers[apiKeyHeader(name)] = value;
      injection.secrets.push(value);
    }
    return injection;
  },
};

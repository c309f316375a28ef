import type { AuthSettings } from '#contracts';
import type { ConnectionKind, Injection } from './injection.js';
import { headerValueFault } from './header-value.js';
import { fill, findTemplateKeys } from './template.js';

/** Headers and query parameters composed from templates such as `token {{key}}`. */
export const templates: ConnectionKind = {
  required: (auth) => templateKeys(auth),
  headerNames: (auth) => Object.keys(auth.headers ?? {}),
  valueFault: headerValueFault,
  inject: (auth, { reveal }) => {
    const injection: Injection = {
      headers: filled(auth.headers, reveal),
      query: filled(auth.query, reveal),
      secrets: templateKeys(auth).map(reveal),
    };
    return injection;
  },
};

/** The names of all credentials that the templates contain. */
const templateKeys = ({ headers = {}, query = {} }: AuthSettings): string[] => [
  ...new Set([...Object.values(headers), ...Object.values(query)].flatMap(findTemplateKeys)),
];

const filled = (from: Record<string, string> = {}, reveal: (key: string) => string): Record<string, string> =>
  Object.assign(
    Object.create(null) as Record<string, string>,
    Object.fromEntries(Object.entries(from).map(([name, template]) => [name, fill(template, reveal)])),
  );

import type { ConnectionKind } from './injection.js';
import { headerValueFault } from './header-value.js';

/** `Authorization: Bearer <credential>`. @param name of the credential */
export const bearerKind = (name: string): ConnectionKind => ({
  required: () => [name],
  headerNames: () => ['Authorization'],
  valueFault: headerValueFault,
  inject: (_auth, { reveal }) => {
    const token = reveal(name);
    return { headers: { Authorization: `Bearer ${token}` }, query: {}, secrets: [token] };
  },
});

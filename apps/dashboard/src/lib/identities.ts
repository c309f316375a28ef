import type { Identity } from '#contracts';
import { queryOptions } from '@tanstack/react-query';
import { get } from './http.js';
import { queryKeys } from './query-keys.js';

/** The sign-ins at the OpenID provider that lead to the account of the person. */
export const identitiesQuery = queryOptions({
  queryKey: queryKeys.identities,
  queryFn: ({ signal }) => get<Identity[]>('/auth/oidc/identities', undefined, signal),
});

import type { AuthType } from '#contracts';
import { apiKey } from './api-key.js';
import { awsKind } from './aws.js';
import { basicKind } from './basic.js';
import { bearerKind } from './bearer.js';
import { withClientCertificate } from './client-certificate.js';
import type { Authentication } from '../../service-view/service-view.js';
import type { ConnectionKind } from './injection.js';
import { none } from './none.js';
import { templates } from './templates.js';

const KINDS: Record<AuthType, ConnectionKind> = {
  bearer: bearerKind('token'),
  oauth2: bearerKind('access_token'),
  basic: basicKind,
  api_key: apiKey,
  custom: templates,
  none,
};

/** How a service's credentials become part of a request. Undefined for a type that this release does not know. */
export function findKind({ authType, auth }: Authentication): ConnectionKind | undefined {
  const kind = authType === 'custom' && auth?.aws ? awsKind : (KINDS[authType] as ConnectionKind | undefined);
  return kind !== undefined && auth?.clientCertificate ? withClientCertificate(kind) : kind;
}

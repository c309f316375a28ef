import { REQUIRED_CREDENTIALS, type AuthType } from '#contracts/states';
import { elapsed, plural } from '../../lib/format.js';

export const credentialsMessages = {
  title: 'Stored credentials',
  lead: 'Stored encrypted and never shown again. To change one, replace all of them.',
  name: 'Name',
  value: 'Value',
  never: 'never',
  rotated: 'Last replaced',
  added: 'Added',
  by: (name: string) => `by ${name}`,
  rotate: 'Rotate',
  missing: (names: string) => `Missing: ${names}. The gateway refuses requests to this service until this is complete.`,
  rejected: 'The API rejected these credentials when they were tested last. Replace them, or test them again.',
  expired: (count: number, stored: string) =>
    `The API rejected ${plural(count, 'request', 'requests')} with 401 ${stored === '' ? 'in the last 24 hours' : `since the credentials were stored ${stored}`}. The credentials may have expired.`,
  seeThem: 'See these requests',
  sentAs: 'Sent as',
  sentIn: {
    tls: 'TLS handshake',
    tokenUrl: 'Token URL',
    signature: 'signature',
    query: (name: string) => `query ${name}`,
  },
  notNeeded: 'This service needs no credentials. To add some, change its authentication on the Overview tab.',
  dialog: (service: string) => `Rotate credentials for ${service}`,
  all: 'The new values replace all stored credentials. The gateway tests them first.',
  newSecret: {
    authorization_code:
      'A new client secret ends the connection. Requests from agents fail until the service is connected again. The test only asks the provider whether it accepts the secret. Testing with the refresh token would use that token up.',
    client_credentials: 'The test gets a token with the new client secret, and sends one request with it.',
  },
  rotateSecret: 'Replace client secret',
  needs: (authType: AuthType) =>
    authType === 'api_key'
      ? 'This type needs at least one header with a key.'
      : authType === 'custom'
        ? 'Enter all of them.'
        : `This type needs: ${REQUIRED_CREDENTIALS[authType].join(', ')}.`,
  incomplete: (authType: AuthType) =>
    authType === 'api_key' ? 'Enter a value for each header.' : 'Enter the new credentials.',
  stillMissing: (names: string) => `Still missing: ${names}. Requests fail until this is complete.`,
  removed: (names: string) => `Will be removed: ${names}`,
  testPath: 'Test with GET',
  testPathHint: (baseUrl: string) =>
    `A path under the base URL that needs valid credentials. Leave empty to ask ${baseUrl} itself.`,
  save: 'Test and save',
  testing: 'Testing the new credentials with one real request…',
  refused: (status: number) => `The API responded with ${status}: it rejects the new credentials.`,
  uncertain: (status: number) =>
    `The API responded with ${status}. It is reachable, but this does not show whether the new credentials are valid.`,
  unreachable: (reason: string) => `The new credentials could not be tested: ${reason}.`,
  secretRefused: (reason: string) => `${reason}: it rejects the new client secret.`,
  secretTested: 'The test passed: the provider accepts the new client secret. Now connect the service.',
  nothingStored: 'Nothing is stored yet. The old credentials are still in use.',
  nothingStoredNew: 'Nothing is stored yet.',
  keepOld: 'Keep old credentials',
  storeNone: 'Do not store them',
  saveAnyway: 'Save anyway',
  replaced: 'Replaced',
  replacedAt: (count: number) => `${plural(count, 'credential', 'credentials')} stored, encrypted.`,
  inForce: 'Every agent’s next request uses the new values.',
  tested: (status: number, ms: number) => `The test passed: the API responded with ${status} in ${elapsed(ms)}.`,
  untested: 'They were saved without a successful test.',
  done: 'Done',
} as const;

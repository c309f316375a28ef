import type { PasskeyEntity } from '#database';

/**
 * The library is loaded at its first use: with its parts for certificates it takes memory that most processes never
 * need.
 */
export const webAuthn = (): Promise<typeof import('@simplewebauthn/server')> => import('@simplewebauthn/server');

/** A passkey, as the options for a device name one. */
export const toCredential = ({ credentialId, transports }: PasskeyEntity) => ({ id: credentialId, transports });

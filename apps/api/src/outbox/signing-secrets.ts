import type { ReceiverColumns } from '#database';

/** How long the previous secret stays valid, so that the receiver has time to switch to the new one. */
const ROTATION_MS = 24 * 3_600_000;

/** The stored secrets that sign a delivery. */
export interface ClaimedSecrets {
  encryptedSecret: string | null;
  /** null unless the secret is being rotated. */
  encryptedPreviousSecret: string | null;
}

/** The columns of `ClaimedSecrets`, in SQL that calls the receiver `c`. */
export const CLAIMED_SECRETS = `c.encrypted_secret AS "encryptedSecret",
  CASE WHEN c.previous_secret_expires_at > now() THEN c.encrypted_previous_secret END AS "encryptedPreviousSecret"`;

/** All secrets that are valid now, the newest first. */
export const openSecrets = (claimed: ClaimedSecrets, decrypt: (secret: string) => string): string[] =>
  [claimed.encryptedSecret, claimed.encryptedPreviousSecret].filter((secret) => secret !== null).map(decrypt);

/** The columns of a receiver that gets a new secret: for a day, deliveries are signed with both. */
export const rotated = (encryptedSecret: string, encryptedPreviousSecret: string | null, now: Date) => ({
  encryptedSecret,
  encryptedPreviousSecret,
  previousSecretExpiresAt: new Date(now.getTime() + ROTATION_MS),
  updatedAt: now,
});

/** Until when deliveries are also signed with the previous secret; null: they are not. */
export const previousSecretExpiry = (
  { previousSecretExpiresAt: expiry }: Pick<ReceiverColumns, 'previousSecretExpiresAt'>,
  nowMs: number,
): string | null => (expiry !== null && expiry.getTime() > nowMs ? expiry.toISOString() : null);

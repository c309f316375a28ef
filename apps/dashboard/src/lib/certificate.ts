import type { Service } from '#contracts';

const DAY_MS = 86_400_000;
/** Getting a new certificate takes a few days. */
export const CERTIFICATE_NOTICE_DAYS = 30;

/** The days until the client certificate ends. Without a certificate: infinitely many. */
export const certificateDays = ({ certificate }: Pick<Service, 'certificate'>, nowMs: number): number =>
  certificate ? Math.ceil((Date.parse(certificate.validTo) - nowMs) / DAY_MS) : Infinity;

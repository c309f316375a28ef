import { createPrivateKey, hash, X509Certificate } from 'node:crypto';
import type { ClientCertificate, ConnectionKind, Credentials } from './injection.js';

const CERT = 'client_cert';
const KEY = 'client_key';
const NAMES: readonly string[] = [CERT, KEY];

/** Line breaks are part of PEM. Other credentials have none. */
export const mayHaveLineBreaks = (name: string): boolean => NAMES.includes(name);

/** The same kind, for a service that also asks for a certificate when a connection is opened (mutual TLS). */
export const withClientCertificate = (kind: ConnectionKind): ConnectionKind => ({
  required: (auth, stored) => [...kind.required(auth, others(stored)), ...NAMES],
  headerNames: (auth, stored) => kind.headerNames(auth, others(stored)),
  nameFault: (name) => (NAMES.includes(name) ? null : (kind.nameFault?.(name) ?? null)),
  valueFault: (name, value) => {
    if (name === CERT) return parseCertificate(value) === null ? 'must be a certificate in PEM' : null;
    if (name === KEY) return parsePrivateKey(value) === null ? 'must be an unencrypted private key in PEM' : null;
    return kind.valueFault(name, value);
  },
  inject: (auth, { names, reveal }) => ({
    ...kind.inject(auth, { names: others(names), reveal }),
    certificate: clientCertificate({ names, reveal }),
  }),
});

const others = (names: readonly string[]): string[] => names.filter((name) => !NAMES.includes(name));

function clientCertificate({ reveal }: Credentials): ClientCertificate {
  const [cert, key] = NAMES.map(reveal);
  return { cert, key, id: hash('sha256', `${cert}\n${key}`, 'hex'), validToMs: validTo(cert)?.getTime() ?? 0 };
}

/** The time until which a certificate is valid. Null: the text is not a certificate. */
export const validTo = (cert: string): Date | null => {
  const to = parseCertificate(cert)?.validTo;
  return to === undefined ? null : new Date(to);
};

/** The faults that keep the two from being used together now. */
export function certificateFaults(credentials: Record<string, string>, now: Date): [name: string, fault: string][] {
  const certificate = parseCertificate(credentials[CERT] ?? '');
  const key = parsePrivateKey(credentials[KEY] ?? '');
  if (certificate === null || key === null) return [];
  const faults: [string, string][] = [];
  if (!certificate.checkPrivateKey(key)) faults.push([KEY, 'is not the key of this certificate']);
  if (new Date(certificate.validTo) <= now) faults.push([CERT, `has expired on ${day(new Date(certificate.validTo))}`]);
  return faults;
}

export const day = (date: Date): string => date.toISOString().slice(0, 10);

function parseCertificate(pem: string): X509Certificate | null {
  return attempt(() => new X509Certificate(pem));
}

const parsePrivateKey = (pem: string) => attempt(() => createPrivateKey(pem));

function attempt<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}

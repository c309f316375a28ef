import { isIP } from 'node:net';
import { Injectable } from '@nestjs/common';
import { AuthConfig, HttpConfig } from '../platform/config.js';
import { errors } from '../platform/errors.js';

/** The site that passkeys belong to (WebAuthn Level 3, 4). */
export interface Site {
  /** The host name. */
  id: string;
  origin: string;
}

/** The site where passkeys work. It comes from `PUBLIC_URL`, because a request could name any host. */
@Injectable()
export class RelyingParty {
  private readonly known: Site | null;

  constructor(
    http: HttpConfig,
    private readonly auth: AuthConfig,
  ) {
    this.known = toSite(http.publicUrl);
  }

  /** @throws ApiError 404 */
  get site(): Site {
    this.assertAvailable();
    return this.known!;
  }

  /** @throws ApiError 404 */
  assertAvailable(): void {
    if (this.known === null) throw errors.passkeysOff();
  }

  /** @throws ApiError 403, 404 */
  assertSignsIn(): void {
    this.assertAvailable();
    if (!this.signsIn) throw errors.passkeyLoginOff();
  }

  /**
   * Whether people may sign in with passkeys. With `PASSWORD_LOGIN=false` everybody signs in with the provider;
   * passkeys then only confirm.
   */
  get signsIn(): boolean {
    return this.known !== null && this.auth.passwordLogin;
  }
}

/** @returns null if browsers refuse passkeys there: they need a host name, and https except on this machine */
export function toSite(publicUrl: string | null): Site | null {
  if (publicUrl === null) return null;
  const { protocol, hostname, origin } = new URL(publicUrl);
  const local = hostname === 'localhost' || hostname.endsWith('.localhost');
  if (isIP(hostname) !== 0 || hostname.startsWith('[')) return null;
  return protocol === 'https:' || local ? { id: hostname, origin } : null;
}

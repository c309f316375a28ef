import { Injectable } from '@nestjs/common';
import type { ClientSecretVerdict, OAuthSettings } from '#contracts';
import { randomText } from '../crypto/shown-once.js';
import { HttpConfig } from '../platform/config.js';
import type { ServiceView } from '../service-view/service-view.js';
import { ProviderFailure } from './provider-failure.js';
import { OAuthProvider, type OAuthClient } from './provider.js';

export interface TestedClient {
  clientSecret: ClientSecretVerdict;
  /** For people, never a secret. Null: nothing is wrong. */
  reason: string | null;
  /** Null: none was asked for, or none came. */
  accessToken: string | null;
}

/**
 * Tries the client secret of a service that is not stored yet, without using up a token
 * (docs/reference/egress.md#client-tests).
 */
@Injectable()
export class ClientTest {
  constructor(
    private readonly provider: OAuthProvider,
    private readonly http: HttpConfig,
  ) {}

  /** @param secret undefined: a public client */
  async try({ owner }: ServiceView, settings: OAuthSettings, secret: string | undefined): Promise<TestedClient> {
    const client = { settings, secret, owner };
    if (settings.grant === 'client_credentials') return this.tryToken(client);
    if (secret === undefined) return outcome('unknown', 'There is no client secret to test. Connect the service');
    return this.tryCode(client);
  }

  /** A client may have any number of tokens of its own. */
  private async tryToken(client: OAuthClient): Promise<TestedClient> {
    try {
      const { accessToken } = await this.provider.clientCredentials(client);
      return { clientSecret: 'accepted', reason: null, accessToken };
    } catch (error) {
      if (!(error instanceof ProviderFailure)) throw error;
      return outcome(error.isClientRefused ? 'rejected' : 'unknown', error.message);
    }
  }

  /**
   * Exchanges a code that the gateway has made up. A provider that checks the client first refuses either the client or
   * only the code. A provider that checks the code first refuses the code of a wrong secret too, so a made-up secret is
   * tried as well.
   */
  private async tryCode(client: OAuthClient): Promise<TestedClient> {
    const given = await this.refusal(client);
    if (given.isClientRefused) return outcome('rejected', given.message);
    if (!given.isCodeRefused) return outcome('unknown', given.message);
    const madeUp = await this.refusal({ ...client, secret: randomText() });
    if (madeUp.isClientRefused) return outcome('accepted', null);
    return outcome(
      'unknown',
      'The provider answers a wrong client secret in the same way, so only a sign-in can show whether this one is valid',
    );
  }

  private async refusal(client: OAuthClient): Promise<ProviderFailure> {
    const state = randomText();
    const answer = new URLSearchParams({ code: randomText(), state });
    const redirectUri = `${this.http.publicUrl ?? 'http://localhost'}/oauth/callback`;
    try {
      await this.provider.exchange(
        client,
        answer,
        state,
        redirectUri,
        client.settings.pkce === 'none' ? null : randomText(),
      );
      return new ProviderFailure('failed', 'The provider gave a token for a code that it did not issue');
    } catch (error) {
      if (error instanceof ProviderFailure) return error;
      throw error;
    }
  }
}

const outcome = (clientSecret: ClientSecretVerdict, reason: string | null): TestedClient => ({
  clientSecret,
  reason,
  accessToken: null,
});

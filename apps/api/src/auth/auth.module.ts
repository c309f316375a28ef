/**
 * Authentication of people: accounts, login, sessions and their tokens, and the guard of every dashboard endpoint.
 * Depends only on platform and the libs. Parts above provide `AccessListener` and `ProviderMemberships`.
 */
import { Module } from '@nestjs/common';
import { JwtModule } from '@nestjs/jwt';
import { AuthConfig } from '../platform/config.js';
import { AccessEvents } from './access-events.js';
import { AccountRegistry } from './accounts.js';
import { Administrators } from './administrators.js';
import { AuthController } from './auth.controller.js';
import { AccessTokenStrategy } from './jwt-auth.guard.js';
import { ConfirmationController } from './passkeys/confirmation.controller.js';
import { Confirmations } from './confirmations.js';
import { KnownPlaces } from './known-places.js';
import { LoginThrottle } from './login-throttle.js';
import { IdentityRegistry } from './oidc/identities.js';
import { OidcController } from './oidc/oidc.controller.js';
import { OidcSignIns } from './oidc/oidc-sign-ins.js';
import { OpenIdProvider } from './oidc/openid-provider.js';
import { PasskeyAssertions } from './passkeys/passkey-assertions.js';
import { PasskeyChallenges } from './passkeys/passkey-challenges.js';
import { PasskeyLoginController } from './passkeys/passkey-login.controller.js';
import { PasskeyRegistry } from './passkeys/passkey-registry.js';
import { PasskeysController } from './passkeys/passkeys.controller.js';
import { RelyingParty } from './relying-party.js';
import { PasswordHasher } from './password.js';
import { SessionRegistry } from './sessions.js';
import { SessionsController } from './sessions.controller.js';
import { WaysIn } from './ways-in.js';
import { PINNED, SIGNING, TokenSigner, signingKey } from './tokens.js';

@Module({
  imports: [
    JwtModule.registerAsync({
      inject: [AuthConfig],
      useFactory: (config: AuthConfig) => ({
        secret: signingKey(config),
        signOptions: SIGNING,
        verifyOptions: PINNED,
      }),
    }),
  ],
  controllers: [
    AuthController,
    ConfirmationController,
    SessionsController,
    OidcController,
    PasskeyLoginController,
    PasskeysController,
  ],
  providers: [
    AccessEvents,
    AccessTokenStrategy,
    AccountRegistry,
    Administrators,
    Confirmations,
    IdentityRegistry,
    KnownPlaces,
    LoginThrottle,
    OidcSignIns,
    OpenIdProvider,
    PasskeyAssertions,
    PasskeyChallenges,
    PasskeyRegistry,
    PasswordHasher,
    RelyingParty,
    SessionRegistry,
    TokenSigner,
    WaysIn,
  ],
  exports: [AccessEvents, AccessTokenStrategy, AccountRegistry, Administrators, Confirmations, SessionRegistry],
})
export class AuthModule {}

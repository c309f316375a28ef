import type { PasskeyAssertion, PasskeyOptions, PasskeyRegistration } from '#contracts';
import {
  browserSupportsWebAuthn,
  browserSupportsWebAuthnAutofill,
  startAuthentication,
  startRegistration,
  WebAuthnAbortService,
  WebAuthnError,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
} from '@simplewebauthn/browser';
import { messages } from './messages.js';

/** Passkeys in this browser. Only pages that use them import this file. */
export const passkeysSupported = browserSupportsWebAuthn;
/** Whether the browser offers passkeys in the list below an e-mail field. */
export const offersPasskeys = browserSupportsWebAuthnAutofill;
/** Ends an offer that the person has not accepted. */
export const endOffer = (): void => WebAuthnAbortService.cancelCeremony();

/**
 * The person chooses a passkey, and the device verifies them.
 * @param offer waits until they choose one in the e-mail field's list
 */
export const signWithPasskey = ({ options }: PasskeyOptions, offer = false): Promise<PasskeyAssertion> =>
  inWords(
    startAuthentication({
      optionsJSON: options as PublicKeyCredentialRequestOptionsJSON,
      useBrowserAutofill: offer,
      verifyBrowserAutofillInput: false,
    }),
  );

/** Lets the device make a passkey. */
export const makePasskey = ({ options }: PasskeyOptions): Promise<PasskeyRegistration> =>
  inWords(startRegistration({ optionsJSON: options as PublicKeyCredentialCreationOptionsJSON }));

/** Replaces browsers' own texts, which are for developers. */
async function inWords<T>(ceremony: Promise<T>): Promise<T> {
  try {
    return await ceremony;
  } catch (error) {
    throw new Error(formatError(error), { cause: error });
  }
}

function formatError(error: unknown): string {
  if (error instanceof WebAuthnError && error.code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED')
    return messages.known;
  const { name } = error as Error;
  if (name === 'SecurityError') return messages.elsewhere;
  return name === 'NotAllowedError' || name === 'AbortError' ? messages.cancelled : messages.failed;
}

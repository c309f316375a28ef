import type { OAuthSettings, Service, UpdateServiceRequest } from '#contracts';
import { toAuthDraft, toAuthSettings, type AuthDraft } from '../../components/service-form/auth-draft.js';

/** The settings that differ from those of the service. Null removes settings that the new way does not have. */
export function changedSettings(
  service: Service,
  auth: AuthDraft,
): Pick<UpdateServiceRequest, 'authType' | 'auth' | 'oauth'> {
  const [before, after] = [toAuthSettings(toAuthDraft(service)), toAuthSettings(auth)];
  const differs = (name: keyof typeof after) => JSON.stringify(before[name]) !== JSON.stringify(after[name]);
  return {
    ...(differs('authType') && { authType: after.authType }),
    ...(differs('auth') && { auth: after.auth }),
    ...(differs('oauth') && { oauth: after.oauth }),
  };
}

/** Whether new settings make the tokens of a service useless (docs/reference/dashboard-api.md#services). */
export const isOtherClient = (before: OAuthSettings | null, after: OAuthSettings | null | undefined): boolean =>
  before !== null &&
  after !== undefined &&
  (before.grant !== after?.grant || before.tokenUrl !== after.tokenUrl || before.clientId !== after.clientId);

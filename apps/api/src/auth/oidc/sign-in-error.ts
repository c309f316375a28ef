/** Why a sign-in ended: the code that the log-in page gets. */
export type SignInFault =
  | 'provider_unavailable'
  | 'provider_certificate'
  | 'issuer_mismatch'
  | 'redirect_uri_refused'
  | 'cancelled'
  | 'sign_in_expired'
  | 'sign_in_failed'
  | 'email_unverified'
  | 'domain_not_allowed'
  | 'email_taken'
  | 'identity_taken'
  | 'no_account';

export class SignInError extends Error {
  constructor(
    readonly fault: SignInFault,
    options?: ErrorOptions,
  ) {
    super(fault, options);
  }
}

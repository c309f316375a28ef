import { duration } from '../../lib/format.js';

export const messages = {
  title: 'Log in',
  email: 'E-mail',
  password: 'Password',
  submit: 'Log in',
  wait: (seconds: number) => `Too many attempts. Try again in ${duration(seconds)}.`,
  covered: 'Log in to continue. What you entered is still here.',
  losesInput: 'This loads the page again, so what you entered is lost.',
  ended: 'Log in to continue. We’ll take you back to where you were.',
  noCookies:
    'This browser blocks cookies for this page. You can log in with your password, but you will be logged out when you reload the page or after some minutes. Allow cookies for this site to stay logged in.',
  continueWith: (name: string) => `Continue with ${name}`,
  passkey: 'Use a passkey',
  or: 'or with a password',
  faults: {
    cancelled: 'You cancelled the sign-in.',
    provider_unavailable: 'The sign-in service is not responding. Try again in a minute.',
    provider_certificate:
      'The gateway does not trust the certificate of the sign-in service. Ask your administrator to look at the log.',
    issuer_mismatch:
      'The sign-in service has another name than this gateway expects (OIDC_ISSUER). Ask your administrator to look at the log.',
    redirect_uri_refused:
      'The sign-in service does not accept the address of this gateway (redirect URI). Ask your administrator to look at the log.',
    sign_in_expired:
      'This sign-in took too long, was finished in another tab, or began at another address of the gateway. Try again.',
    sign_in_failed: 'The sign-in failed. Try again. If it fails again, ask your administrator to look at the log.',
    email_unverified: 'The sign-in service has not verified your e-mail. Ask your administrator.',
    domain_not_allowed: 'People with your e-mail domain cannot sign in here. Use your work account.',
    email_taken:
      'An account with your e-mail exists. Log in with its password, then link single sign-on under Settings, Security.',
    no_account: 'You have no account here yet. Ask your administrator to invite you.',
  },
  createAccount: 'Create an account',
  tagline: 'Your agents ask. You decide.',
} as const;

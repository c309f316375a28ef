import { duration } from '../../lib/format.js';

export const messages = {
  title: 'Log in',
  email: 'E-mail',
  password: 'Password',
  submit: 'Log in',
  wait: (seconds: number) => `Too many attempts. Try again in ${duration(seconds)}.`,
  ended: 'Log in to continue. We’ll take you back to where you were.',
  continueWith: (name: string) => `Continue with ${name}`,
  passkey: 'Use a passkey',
  or: 'or with a password',
  faults: {
    cancelled: 'You cancelled the sign-in.',
    provider_unavailable: 'The sign-in service does not respond. Try again in a minute.',
    sign_in_expired: 'This sign-in took too long, or was finished in another tab. Try again.',
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

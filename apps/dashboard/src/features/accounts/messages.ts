import { duration } from '../../lib/format.js';

export const messages = {
  title: 'Log in',
  email: 'E-mail',
  password: 'Password',
  submit: 'Log in',
  wait: (seconds: number) => `Too many attempts. Try again in ${duration(seconds)}.`,
  ended: 'Log in to continue. We’ll take you back to where you were.',
  createAccount: 'Create an account',
  tagline: 'Your agents ask. You decide.',
} as const;

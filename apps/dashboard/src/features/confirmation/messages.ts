export const messages = {
  title: 'Confirm it is you',
  lead: 'Confirm your identity to continue. You won’t be asked again for five minutes in this browser.',
  passkey: 'Use a passkey',
  or: 'or use your password',
  password: 'Password',
  confirm: 'Confirm',
  done: (time: string) => `Confirmed until ${time}.`,
  nothing:
    'You have no passkey or password to confirm with. Log out and in again. Then add a passkey under Settings, Security within five minutes.',
} as const;

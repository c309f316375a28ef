export const messages = {
  title: 'Confirm it is you',
  lead: 'This step needs proof that you are here. The confirmation lasts five minutes in this browser.',
  passkey: 'Use a passkey',
  or: 'or with your password',
  password: 'Password',
  confirm: 'Confirm',
  done: (time: string) => `Confirmed until ${time}.`,
  nothing:
    'You have nothing to confirm with. Log out and in again, then add a passkey under Settings, Security within five minutes.',
} as const;

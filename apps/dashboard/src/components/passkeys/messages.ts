export const messages = {
  known: 'This device already has a passkey for your account.',
  elsewhere: 'Passkeys do not work at this address. Open the dashboard at its public URL.',
  cancelled: 'No passkey was used. Try again.',
  failed: 'The device could not use a passkey. Try again, or use another method.',
} as const;

export const oneTimeSecretMessages = {
  leave: 'This is shown only now. Leave without it?',
} as const;

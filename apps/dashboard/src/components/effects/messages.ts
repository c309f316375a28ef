import type { Effect } from '#contracts/effects';

export const effectMessages = {
  label: 'What it does',
  words: {
    delete: 'deletes',
    bulk: 'many at once',
    money: 'money',
    permissions: 'permissions',
    credentials: 'credentials',
    publishing: 'publishes',
    personalData: 'personal data',
    code: 'runs code',
    unclear: 'unclear',
    read: 'reads',
    write: 'changes',
  } satisfies Record<Effect, string>,
} as const;

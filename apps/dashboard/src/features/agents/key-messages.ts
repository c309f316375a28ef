import { plural } from '../../lib/format.js';

/** Texts about the keys of an agent. */
export const keyMessages = {
  title: 'Key',
  rotate: 'Rotate key',
  rotateText: 'Creates a new key. The old key stops working immediately, or after a time that you choose.',
  lastUsed: (age: string) => `The current key was last used ${age}.`,
  neverUsed: 'The current key was never used.',
  grace: {
    label: 'Keep the old key for',
    hint: 'Allow enough time to give the new key to the program. Choose “Not at all” if the old key has leaked.',
    minutes: { 0: 'Not at all', 15: '15 min', 60: '1 hour', 1440: '24 hours' } as Record<number, string>,
    endsAll: 'All older keys stop working too.',
  },
  confirm: 'Rotate now',
  dialog: (name: string) => `Rotate the key of ${name}?`,
  fresh: (name: string) => `New key for ${name}`,
  done: 'The key was rotated.',
  old: {
    works: (prefix: string, left: string) => `The old key ${prefix}… works for another ${left}.`,
    lastUsed: (age: string) => `It was last used ${age}.`,
    neverUsed: 'It was never used.',
    end: 'Revoke it now',
    dialog: (name: string) => `Revoke the old keys of ${name}?`,
    endText:
      'They stop working from the next request on. A program that still uses one gets 401. The current key keeps working.',
    confirm: 'Revoke old keys',
    ended: 'The old keys were revoked.',
  },
  limits: {
    title: 'Key limits',
    edit: 'Change',
    save: 'Save limits',
    saved: 'Limits saved.',
    expires: 'Expires',
    never: 'Never',
    lifetime: 'Keys expire',
    lifetimeHint: 'Counted from the creation of each key, including the current one.',
    after: (days: number) => (days === 365 ? 'After a year' : `After ${plural(days, 'day', 'days')}`),
    endsAtOnce: 'The current key is older than that. It stops working when you save.',
    endsOn: (moment: string) => `The current key stops working on ${moment}. Rotate it before that.`,
    from: 'Allowed IP addresses',
    anywhere: 'All',
    addresses: 'Allowed IP addresses',
    addressesHint:
      'IP addresses and ranges, such as 192.0.2.10 or 192.0.2.0/24. Requests from other addresses get 403. Leave empty to allow all addresses.',
    addressesPlaceholder: '192.0.2.0/24',
  },
  revoke: 'Revoke',
  revokeText: 'Stops the agent immediately: its next request gets 401. You can restore it with the same key.',
  restore: 'Restore',
  restoreText: 'The agent is revoked. If you restore it, its current key works again.',
} as const;

import type { AskedEffect } from '#contracts/effects';

export const askForMessages = {
  title: 'What people are asked about',
  hint: 'A request that does one of these needs approval, whatever its risk score.',
  recommended: 'Choose the recommended ones',
  change: 'Change',
  nothing: 'Nothing. Where no rule matches, the risk score decides.',
  /** `example` is a request that does this. */
  words: {
    delete: {
      title: 'Deletes',
      text: 'Takes something away for good, or from other people.',
      example: 'DELETE /customers/42',
    },
    bulk: {
      title: 'Many at once',
      text: 'Changes or exports a set of things, such as all that match a filter.',
      example: 'POST /messages/batchDelete',
    },
    money: { title: 'Money', text: 'Moves, promises or prices money.', example: 'POST /refunds' },
    permissions: {
      title: 'Permissions',
      text: 'Changes who may see or do what, or a protection.',
      example: 'PUT /repos/shop/collaborators/bo',
    },
    credentials: {
      title: 'Credentials',
      text: 'Reads or changes a secret, or sends data to an address from now on.',
      example: 'POST /webhooks',
    },
    publishing: {
      title: 'Publishes',
      text: 'Reaches people outside, many people, or the public.',
      example: 'POST /messages/send',
    },
    personalData: { title: 'Personal data', text: 'Reads or changes records of people.', example: 'GET /patients/7' },
    code: { title: 'Runs code', text: 'Runs code, or changes what runs.', example: 'POST /deployments' },
    unclear: {
      title: 'Unclear',
      text: 'A write that nothing explains, or a body that can’t be read.',
      example: 'POST /rpc',
    },
    write: { title: 'Any change', text: 'Everything that does not only read.', example: 'PATCH /drafts/9' },
  } satisfies Record<AskedEffect, { title: string; text: string; example: string }>,
} as const;

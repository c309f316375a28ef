export const confirmByNameMessages = {
  before: 'Type',
  after: 'to confirm',
  typeName: 'Type the name exactly.',
} as const;

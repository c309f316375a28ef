/** The place of a member, as a JSON pointer (RFC 6901). */
export const below = (pointer: string, name: string | number): string =>
  `${pointer}/${String(name).replaceAll('~', '~0').replaceAll('/', '~1')}`;

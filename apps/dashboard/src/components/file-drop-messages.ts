/** These texts are separate from those that every page loads. */
export const fileDropMessages = {
  tooLarge: (name: string, max: string) => `${name} is larger than ${max}.`,
  pasted: 'The pasted text',
} as const;

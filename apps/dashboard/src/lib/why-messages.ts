/** Why a form cannot be submitted. */
export const whyMessages = {
  name: (min: number) => (min > 1 ? `Enter a name of at least ${min} characters.` : 'Enter a name.'),
  services: 'Choose at least one service.',
  unchanged: 'No changes to save.',
  url: 'Enter a valid URL.',
  noUrl: 'Enter a URL.',
  marked: 'Correct the marked fields.',
  credentials: 'Enter the credentials.',
  password: 'Enter your password.',
  newPassword: 'Choose a longer password.',
};

/** Unsent texts, in memory only. They survive page changes and a new login of the same person, but not closing the tab. */
const drafts = new Map<string, string>();

export const draft = (key: string): string => drafts.get(key) ?? '';

/** Another person has logged in. */
export const forgetDrafts = (): void => drafts.clear();

export function keepDraft(key: string, text: string): void {
  if (text) drafts.set(key, text);
  else drafts.delete(key);
}

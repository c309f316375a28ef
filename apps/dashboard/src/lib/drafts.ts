/** Texts under way, in memory only: they survive leaving a page and logging in again, not closing the tab. */
const drafts = new Map<string, string>();

export const draft = (key: string): string => drafts.get(key) ?? '';

export function keepDraft(key: string, text: string): void {
  if (text) drafts.set(key, text);
  else drafts.delete(key);
}

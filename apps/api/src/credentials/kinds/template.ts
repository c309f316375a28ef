const KEY = /\{\{([A-Za-z0-9_.-]{1,128})\}\}/g;

/** The names of the credentials that a template contains. */
export const findTemplateKeys = (template: string): string[] => Array.from(template.matchAll(KEY), ([, key]) => key);

/** Why a text is not a valid template, or null. */
export function templateFault(template: string): string | null {
  if (template === '') return 'must not be empty';
  // Checks the text that remains without well-formed placeholders. Any other pair of braces would be sent literally, so
  // it is a mistake.
  return /\{\{|\}\}/.test(template.replace(KEY, ''))
    ? 'must contain placeholders of the form {{key}}, where the key has letters, digits, and the characters . _ -'
    : null;
}

/** Replaces each placeholder once: a credential that looks like a placeholder stays as it is. */
export const fill = (template: string, reveal: (key: string) => string): string =>
  template.replace(KEY, (_all, key: string) => reveal(key));

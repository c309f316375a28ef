/** The choices of a select, and the current value if it is not one of them. */
export const withPresent = (presets: readonly string[], present: string): string[] =>
  presets.includes(present) ? [...presets] : [...presets, present];

/** The minutes after which a channel reminds or escalates. Empty: the default. */
export const MINUTES = ['', '5', '15', '30', '60', '240', '720'];

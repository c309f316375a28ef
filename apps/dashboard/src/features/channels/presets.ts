/** The choices of a select, and the present one if it is none of them. */
export const withPresent = (presets: readonly string[], present: string): string[] =>
  presets.includes(present) ? [...presets] : [...presets, present];

/** After how many minutes a channel reminds or escalates. Empty: the default. */
export const MINUTES = ['', '5', '15', '30', '60', '240', '720'];

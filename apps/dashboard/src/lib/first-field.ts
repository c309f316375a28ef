const FIELDS =
  'input:enabled:not([type=radio], [type=hidden]), input[type=radio]:checked, select:enabled, textarea:enabled';

/** The ref of a form in a dialog, which then focuses the first field when it opens, not the button that closes it. */
export const firstField = (form: HTMLFormElement | null): void =>
  form?.querySelector(FIELDS)?.setAttribute('data-autofocus', '');

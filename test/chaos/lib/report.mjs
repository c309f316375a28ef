/** The result of a scenario: figures to publish, and checks that pass or fail. */
export class Report {
  /** @type {{name: string, value: string | number}[]} */
  figures = [];
  /** @type {{name: string, ok: boolean, detail: string}[]} */
  checks = [];

  /** @param {string} title */
  constructor(title) {
    this.title = title;
  }

  /** @param {string} name @param {string | number} value */
  figure(name, value) {
    this.figures.push({ name, value: typeof value === 'number' ? Math.round(value * 10) / 10 : value });
  }

  /** @param {string} name @param {boolean} ok @param {unknown} [detail] */
  check(name, ok, detail = '') {
    this.checks.push({ name, ok, detail: typeof detail === 'string' ? detail : JSON.stringify(detail).slice(0, 600) });
  }

  /** One line for each failed check. */
  get failed() {
    return this.checks.filter(({ ok }) => !ok).map(({ name, detail }) => `${name} ${detail}`.trim());
  }
}

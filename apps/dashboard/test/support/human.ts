import type { Locator } from 'playwright-core';

/** Counts what a person does, one by one. */
export class Human {
  taps = 0;

  async tap(target: Locator): Promise<void> {
    this.taps += 1;
    await target.tap();
  }

  async click(target: Locator): Promise<void> {
    this.taps += 1;
    await target.click();
  }

  /** Typing, or pasting, into one field. */
  async fill(target: Locator, text: string): Promise<void> {
    this.taps += 1;
    await target.fill(text);
  }
}

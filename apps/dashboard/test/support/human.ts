import type { Locator } from 'playwright-core';

/** Counts the interactions of a person. */
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

  /** Types or pastes into one field. */
  async fill(target: Locator, text: string): Promise<void> {
    this.taps += 1;
    await target.fill(text);
  }

  /** Chooses from a list. */
  async choose(target: Locator, value: string): Promise<void> {
    this.taps += 1;
    await target.selectOption(value);
  }
}

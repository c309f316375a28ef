import { NEWCOMER } from './newcomer-key.js';

/** From now on, the inbox shows the first steps. */
export const expectNewcomer = (): void => store((storage) => storage.setItem(NEWCOMER, '1'));
export const endNewcomer = (): void => store((storage) => storage.removeItem(NEWCOMER));

function store(work: (storage: Storage) => void): void {
  try {
    work(localStorage);
  } catch {
    // Without storage there are no first steps.
  }
}

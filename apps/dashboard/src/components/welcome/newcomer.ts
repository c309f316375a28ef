/** Whether the person at this browser has just joined a workspace, and has not dismissed the first steps. */
const KEY = 'agw-newcomer';

export const expectNewcomer = (): void => store((storage) => storage.setItem(KEY, '1'));
export const endNewcomer = (): void => store((storage) => storage.removeItem(KEY));

export function isNewcomer(): boolean {
  let found = false;
  store((storage) => {
    found = storage.getItem(KEY) !== null;
  });
  return found;
}

function store(work: (storage: Storage) => void): void {
  try {
    work(localStorage);
  } catch {
    // Without storage there are no first steps.
  }
}

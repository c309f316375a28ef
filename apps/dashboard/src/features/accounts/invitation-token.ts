/**
 * The token of the invitation that was opened in this tab. It disappears from the address bar immediately. The tab
 * keeps it until it is used, because the person may log in first, also at an OpenID provider.
 */
const KEY = 'agw-invitation';
/** Used if the browser has no storage. */
let kept: string | null = null;

/** @param hash of the URL, which is never sent to a server */
export function takeToken(hash: string): string | null {
  if (hash.length > 1) {
    kept = hash.slice(1);
    history.replaceState(history.state, '', location.pathname + location.search);
    store((storage) => storage.setItem(KEY, kept!));
  } else {
    store((storage) => (kept ??= storage.getItem(KEY)));
  }
  return kept;
}

export function forgetToken(): void {
  kept = null;
  store((storage) => storage.removeItem(KEY));
}

function store(work: (storage: Storage) => void): void {
  try {
    work(sessionStorage);
  } catch {
    // The token stays in memory.
  }
}

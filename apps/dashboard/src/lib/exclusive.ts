/**
 * Runs one task at a time across all tabs of this browser. Web Locks exist only in secure contexts, and browsers that
 * block cookies refuse them. On plain http (a LAN address), leases replace them.
 */
export async function exclusively<T>(name: string, work: () => Promise<T>): Promise<T> {
  if (await hasLocks()) return await navigator.locks.request(name, work);
  return (await import('./lease.js')).exclusively(name, work);
}

/** Works until it ends, or until another tab steals the leadership: then it rejects. */
export async function asLeader(name: string, steal: boolean, work: () => Promise<void>): Promise<void> {
  if (await hasLocks()) return await navigator.locks.request(name, { steal }, work);
  return (await import('./lease.js')).asLeader(name, steal, work);
}

let locks: Promise<boolean> | undefined;

function hasLocks(): Promise<boolean> {
  if (typeof navigator === 'undefined' || !navigator.locks) return Promise.resolve(false);
  return (locks ??= navigator.locks.query().then(
    () => true,
    () => false,
  ));
}

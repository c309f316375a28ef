/**
 * Runs one task at a time across all tabs of this browser. Web Locks exist only in secure contexts, and browsers that
 * block cookies refuse them. On plain http (a LAN address), a lease in localStorage replaces them: write it, wait until
 * other tabs can see it, and check that it is still ours. Without storage, tabs cannot coordinate.
 */
const LEASE_MS = 15_000;
/** Browsers run the timers of hidden tabs once a minute. A tab that hears nothing takes the lease of a dead one. */
const LEADER_LEASE_MS = 150_000;
const RENEW_MS = 5000;
const SETTLE_MS = 40;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export async function exclusively<T>(name: string, work: () => Promise<T>): Promise<T> {
  if (await hasLocks()) return await navigator.locks.request(name, work);
  return leased(name, LEASE_MS, false, work);
}

/** Works until it ends, or until another tab steals the leadership: then it rejects. */
export async function asLeader(name: string, steal: boolean, work: () => Promise<void>): Promise<void> {
  if (await hasLocks()) return await navigator.locks.request(name, { steal }, work);
  let renewing: ReturnType<typeof setInterval> | undefined;
  try {
    await leased(name, LEADER_LEASE_MS, steal, (renew) => {
      const stolen = new Promise<never>((_, reject) => {
        renewing = setInterval(() => renew() || reject(new Error('another tab leads')), RENEW_MS);
      });
      return Promise.race([work(), stolen]);
    });
  } finally {
    clearInterval(renewing);
  }
}

let locks: Promise<boolean> | undefined;

function hasLocks(): Promise<boolean> {
  if (typeof navigator === 'undefined' || !navigator.locks) return Promise.resolve(false);
  return (locks ??= navigator.locks.query().then(
    () => true,
    () => false,
  ));
}

async function leased<T>(
  name: string,
  leaseMs: number,
  steal: boolean,
  work: (renew: () => boolean) => Promise<T>,
): Promise<T> {
  const key = `agw-lease-${name}`;
  const owner = Math.random().toString(36).slice(2);
  const ours = () => leaseOf(key)?.owner === owner;
  const release = () => {
    if (ours()) localStorage.removeItem(key);
  };
  addEventListener('pagehide', release);
  try {
    let mayTake = steal;
    for (;;) {
      if (mayTake || isFree(key, leaseMs)) {
        if (!write(key, owner, leaseMs)) return await work(() => true);
        await pause(SETTLE_MS);
        if (ours()) break;
        mayTake = false;
      }
      await pause(SETTLE_MS + Math.random() * SETTLE_MS);
    }
    return await work(() => ours() && write(key, owner, leaseMs));
  } finally {
    release();
    removeEventListener('pagehide', release);
  }
}

function leaseOf(key: string): { owner: string; until: number } | null {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null') as { owner: string; until: number } | null;
  } catch {
    return null;
  }
}

/** A lease that ends later than any that is given now is from before the computer's clock was put back. */
function isFree(key: string, leaseMs: number): boolean {
  const held = leaseOf(key);
  const leftMs = held ? held.until - Date.now() : 0;
  return leftMs <= 0 || leftMs > leaseMs;
}

/** @returns false without storage */
function write(key: string, owner: string, leaseMs: number): boolean {
  try {
    localStorage.setItem(key, JSON.stringify({ owner, until: Date.now() + leaseMs }));
    return true;
  } catch {
    return false;
  }
}

/**
 * Runs one task at a time across all tabs of this browser. Web Locks exist only in secure contexts. On plain http (a
 * LAN address), a lease in localStorage replaces them: write it, wait until other tabs can see it, and check that it is
 * still ours.
 */
const LEASE_MS = 15_000;
const SETTLE_MS = 40;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export async function exclusively<T>(name: string, work: () => Promise<T>): Promise<T> {
  if (typeof navigator !== 'undefined' && navigator.locks) return await navigator.locks.request(name, work);
  const key = `agw-lease-${name}`;
  const owner = Math.random().toString(36).slice(2);
  const release = () => {
    if (leaseOf(key)?.owner === owner) localStorage.removeItem(key);
  };
  addEventListener('pagehide', release);
  try {
    await takeLease(key, owner);
    return await work();
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

async function takeLease(key: string, owner: string): Promise<void> {
  for (;;) {
    const held = leaseOf(key);
    if (!held || held.until < Date.now()) {
      try {
        localStorage.setItem(key, JSON.stringify({ owner, until: Date.now() + LEASE_MS }));
      } catch {
        // Without storage, tabs cannot coordinate.
        return;
      }
      await pause(SETTLE_MS);
      if (leaseOf(key)?.owner === owner) return;
    }
    await pause(SETTLE_MS + Math.random() * SETTLE_MS);
  }
}

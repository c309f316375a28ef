import { openChannel } from './channel.js';

/**
 * Replaces Web Locks on plain http. A lease is a record in IndexedDB, whose transactions run one after another across
 * all tabs. (localStorage has no such order: in a busy browser, a tab sees late what another tab has written.) A
 * browser that blocks cookies refuses IndexedDB too. Then tabs cannot coordinate, and each works at once.
 */
interface Lease {
  name: string;
  /** Tabs, and tasks of one tab, have different owners. */
  owner: string;
  until: number;
}

const LEASE_MS = 15_000;
/**
 * Long, because browsers run the timers of hidden tabs only once a minute. If the leader is dead, a visible tab that
 * hears nothing from it takes its lease (lib/live.ts).
 */
const LEADER_LEASE_MS = 150_000;
const RENEW_MS = 5000;
/** The end of a lease is told to all tabs. A tab that crashes tells nothing, so waiting tasks look this often. */
const LOOK_MS = 1000;
const OPEN_MS = 30_000;
const STORE = 'leases';
/**
 * Says that the page of an owner has closed. A closing page has no time for a transaction, above all when ten tabs
 * reload at once. Another tab may see this late, which only makes it wait longer.
 */
const leftKey = (name: string, owner: string): string => `agw-left-${name}-${owner}`;

const ends = openChannel<null>('agw-leases');
const waiting = new Set<() => void>();
ends.listen(wakeAll);

function wakeAll(): void {
  for (const wake of waiting) wake();
}

export const exclusively = <T>(name: string, work: () => Promise<T>): Promise<T> =>
  leased({ name, leaseMs: LEASE_MS, work });

/** Rejects if another tab steals the leadership. */
export function asLeader(name: string, steal: boolean, work: () => Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const onLost = () => reject(new Error('another tab leads'));
    leased({ name, leaseMs: LEADER_LEASE_MS, steal, work, onLost }).then(resolve, reject);
  });
}

interface Task<T> {
  name: string;
  leaseMs: number;
  /** Takes the lease of another owner. */
  steal?: boolean;
  work: () => Promise<T>;
  /** Called when another owner has the lease, or when the page was closed and came back. */
  onLost?: () => void;
}

/** Waits for the lease, and works while it renews it. */
async function leased<T>({ name, leaseMs, steal = false, work, onLost }: Task<T>): Promise<T> {
  const owner = Math.random().toString(36).slice(2);
  const lease = () => ({ name, owner, until: Date.now() + leaseMs });
  const every = IDBKeyRange.bound([name], [name, []]);
  const ours = [name, owner];
  const take = () =>
    change(every, (held, store) => {
      if (!steal && held.some((other) => isAlive(other, leaseMs))) return false;
      store.delete(every);
      for (const { owner: earlier } of held) localStorage.removeItem(leftKey(name, earlier));
      store.put(lease());
      addEventListener('pagehide', leave);
      return true;
    });
  const renew = () =>
    change(ours, (held, store) => {
      const holds = held.length > 0 && !hasLeft(name, owner);
      if (holds) store.put(lease());
      return holds;
    });
  const leave = () => {
    try {
      localStorage.setItem(leftKey(name, owner), '');
    } catch {
      // The storage is full. Others wait until the lease ends.
    }
    ends.send(null);
  };
  const lose = () => {
    clearInterval(renewing);
    removeEventListener('pagehide', leave);
    onLost?.();
  };
  while (!(await take())) await untilWoken();
  const renewing = setInterval(() => void renew().then((holds) => holds || lose()), RENEW_MS);
  try {
    return await work();
  } finally {
    clearInterval(renewing);
    removeEventListener('pagehide', leave);
    await change(ours, (_, store) => {
      store.delete(ours);
      return true;
    });
    ends.send(null);
    wakeAll();
  }
}

/**
 * Whether a lease is still valid. One that ends much later than a new lease would is from before the computer's clock
 * was put back. It does not count.
 */
function isAlive({ name, owner, until }: Lease, leaseMs: number): boolean {
  const restMs = until - Date.now();
  return restMs > 0 && restMs <= leaseMs + RENEW_MS && !hasLeft(name, owner);
}

const hasLeft = (name: string, owner: string): boolean => localStorage.getItem(leftKey(name, owner)) !== null;

function untilWoken(): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(wake, LOOK_MS);
    function wake(): void {
      clearTimeout(timer);
      waiting.delete(wake);
      resolve();
    }
    waiting.add(wake);
  });
}

let opening: Promise<IDBDatabase> | undefined;

/** Rejects without IndexedDB. A database that failed, or that the browser has closed, is opened again. */
function open(): Promise<IDBDatabase> {
  return (opening ??= new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open('agw-leases', 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: ['name', 'owner'] });
    request.onsuccess = () => {
      request.result.onclose = () => (opening = undefined);
      resolve(request.result);
      // It may have been given up.
      opening = Promise.resolve(request.result);
    };
    request.onerror = () => {
      opening = undefined;
      reject(request.error!);
    };
    // Some browsers never answer.
    setTimeout(() => reject(new Error('no database')), OPEN_MS);
  }));
}

/** Reads leases and changes them in one transaction. True if the browser has no database, or has removed it. */
async function change(
  query: IDBKeyRange | IDBValidKey,
  decide: (held: Lease[], store: IDBObjectStore) => boolean,
): Promise<boolean> {
  try {
    const transaction = (await open()).transaction(STORE, 'readwrite');
    const store = transaction.objectStore(STORE);
    const reading = store.getAll(query) as IDBRequest<Lease[]>;
    return await new Promise((resolve) => {
      let decided = false;
      reading.onsuccess = () => (decided = decide(reading.result, store));
      transaction.oncomplete = () => resolve(decided);
      transaction.onabort = () => resolve(true);
    });
  } catch {
    return true;
  }
}

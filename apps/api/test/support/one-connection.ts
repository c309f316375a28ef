import { AsyncLocalStorage } from 'node:async_hooks';
import type { DataSource } from 'typeorm';

interface Pool {
  connect: (...args: unknown[]) => unknown;
}

/**
 * Code inside a transaction that takes another connection of the pool gets an error. As many such transactions as the
 * pool has connections would wait for each other for ever. The transactions of tests (`manager.transaction`) may.
 */
export function allowOneConnection(source: DataSource): void {
  const running = new AsyncLocalStorage<{ isOpen: boolean }>();
  const transaction = source.transaction.bind(source) as (...args: unknown[]) => Promise<unknown>;
  source.transaction = (...args: unknown[]) => {
    const work = args.pop() as (tx: unknown) => Promise<unknown>;
    // What it has started in the background may go on after it.
    const state = { isOpen: true };
    const watched = (tx: unknown): Promise<unknown> => running.run(state, () => work(tx));
    return transaction(...args, watched).finally(() => (state.isOpen = false));
  };
  const { master } = source.driver as unknown as { master: Pool };
  const connect = master.connect.bind(master);
  master.connect = (...args) => {
    if (running.getStore()?.isOpen) throw new Error('A transaction takes a second connection');
    return connect(...args);
  };
}

import { Injectable } from '@nestjs/common';
import type { RequestId } from '@modelcontextprotocol/sdk/types.js';

/**
 * Calls that this process is answering, so that a `notifications/cancelled`, which comes as a request of its own, ends
 * their waits. There are no sessions to tell two clients with one key apart: the wrong one's wait may end early, which
 * costs it one more `get_action`. For the same reason the call is still answered; whoever cancelled it ignores that.
 */
@Injectable()
export class CallsInFlight {
  private readonly calls = new Map<string, Set<AbortController>>();

  /** @returns how to take it out again */
  add(agentId: number, id: RequestId, call: AbortController): () => void {
    const key = keyOf(agentId, id);
    const set = this.calls.get(key) ?? new Set();
    this.calls.set(key, set.add(call));
    return () => {
      set.delete(call);
      if (set.size === 0 && this.calls.get(key) === set) this.calls.delete(key);
    };
  }

  cancel(agentId: number, id: unknown): void {
    if (typeof id !== 'string' && typeof id !== 'number') return;
    for (const call of this.calls.get(keyOf(agentId, id)) ?? []) call.abort();
  }

  get size(): number {
    return this.calls.size;
  }
}

const keyOf = (agentId: number, id: RequestId): string => `${agentId} ${JSON.stringify(id)}`;

import { Injectable } from '@nestjs/common';
import type { RequestId } from '@modelcontextprotocol/sdk/types.js';

/**
 * The calls that this process is answering. A `notifications/cancelled` comes as a request of its own, and ends their
 * waits. Without sessions, two clients with one key look the same, so the wrong wait may end early. This costs that
 * client one more `get_action`. For the same reason the cancelled call is still answered; its client ignores the
 * answer.
 */
@Injectable()
export class CallsInFlight {
  private readonly calls = new Map<string, Set<AbortController>>();

  /** @returns a function that removes the call again */
  add(agentId: number, id: RequestId, call: AbortController): () => void {
    const key = callKey(agentId, id);
    const set = this.calls.get(key) ?? new Set();
    this.calls.set(key, set.add(call));
    return () => {
      set.delete(call);
      if (set.size === 0 && this.calls.get(key) === set) this.calls.delete(key);
    };
  }

  cancel(agentId: number, id: unknown): void {
    if (typeof id !== 'string' && typeof id !== 'number') return;
    for (const call of this.calls.get(callKey(agentId, id)) ?? []) call.abort();
  }

  get size(): number {
    return this.calls.size;
  }
}

const callKey = (agentId: number, id: RequestId): string => `${agentId} ${JSON.stringify(id)}`;

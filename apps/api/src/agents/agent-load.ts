import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { AgentsConfig } from '../platform/config.js';
import { errors } from '../platform/errors.js';
import { accountBudget, FREE_BYTES, type BodyBudget } from '../platform/http/body-budget.js';
import type { AgentView } from './agent-directory.js';

/** A client that reads nothing of its response for this long is considered gone. */
const UNREAD_MS = 60_000;

/** What one agent's requests and their responses currently use of this process. */
export class AgentLoad implements BodyBudget {
  readonly freeBytes = FREE_BYTES;
  private inFlight = 0;
  /**
   * Requests whose work is in progress. Their clients may be gone, but the work continues and reads its response into
   * memory.
   */
  private working = 0;
  private bytes = 0;

  constructor(
    /** The largest body of one request to an upstream. */
    readonly bodyMaxBytes: number,
    private readonly maxBytes: number,
    private readonly account: BodyBudget,
  ) {}

  take(bytes: number): void {
    if (this.bytes + bytes > this.maxBytes) throw errors.tooMuchBuffered();
    this.account.take(bytes);
    this.bytes += bytes;
  }

  give(bytes: number): void {
    this.account.give(bytes);
    this.bytes -= bytes;
  }

  /**
   * Counts a response until it is written or its connection is closed. The request was already sent, so the response
   * itself is never refused; it makes the gateway refuse later requests. Call this before writing the response.
   */
  hold(answerBytes: number, response: ServerResponse): void {
    const bytes = answerBytes - this.freeBytes;
    if (bytes <= 0 || response.closed) return;
    this.bytes += bytes;
    response.once('close', () => {
      this.bytes -= bytes;
    });
    // On this timeout Node destroys the socket. For the next request on the socket, Node sets its own timeout.
    response.socket?.setTimeout(UNREAD_MS);
  }

  get isFull(): boolean {
    return this.bytes >= this.maxBytes;
  }

  /** Number of requests in progress. */
  get requests(): number {
    return Math.max(this.inFlight, this.working);
  }

  enter(response: ServerResponse): void {
    this.inFlight += 1;
    // If the client disconnected during the key lookup, `close` has already fired and would not fire again.
    if (response.closed) this.leave();
    else response.once('close', this.leave);
  }

  /** Runs the work of a request and counts it until it is done, even if the client disconnects. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.working += 1;
    try {
      return await work();
    } finally {
      this.working -= 1;
    }
  }

  /** One function that all requests of the agent share. */
  private readonly leave = (): void => {
    this.inFlight -= 1;
  };
}

/**
 * Limits how much of this process one agent can use, so that it can't block the others
 * (docs/reference/agent-api.md#bounds).
 */
@Injectable()
export class AgentLoads {
  /**
   * Each entry lives as long as a request refers to it. A counter can't replace this: a request can start its work
   * after its client is gone.
   */
  private readonly loads = new Map<number, WeakRef<AgentLoad>>();
  private readonly collected = new FinalizationRegistry<number>((agentId) => {
    if (this.loads.get(agentId)?.deref() === undefined) this.loads.delete(agentId);
  });

  constructor(private readonly config: AgentsConfig) {}

  /**
   * Counts a request until its response is written and its work is done.
   * @returns the budget for the request's body, which also counts its response
   * @throws ApiError 429 above the limit
   */
  enter({ id: agentId, workspaceId }: Pick<AgentView, 'id' | 'workspaceId'>, response: ServerResponse): AgentLoad {
    const load = this.loads.get(agentId)?.deref() ?? this.open(agentId, workspaceId);
    if (load.requests >= this.config.maxInFlight) throw errors.tooManyInFlight(this.config.maxInFlight);
    if (load.isFull) throw errors.tooMuchBuffered();
    load.enter(response);
    return load;
  }

  private open(agentId: number, workspaceId: number): AgentLoad {
    const load = new AgentLoad(this.config.bodyMaxBytes, this.config.maxBufferedBytes, accountBudget(workspaceId));
    this.loads.set(agentId, new WeakRef(load));
    this.collected.register(load, agentId);
    return load;
  }
}

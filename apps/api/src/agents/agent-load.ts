import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { AgentsConfig } from '../platform/config.js';
import { errors } from '../platform/errors.js';
import { accountBudget, FREE_BYTES, type BodyBudget } from '../platform/http/body-budget.js';
import type { AgentView } from './agent-directory.js';

/** A client that takes nothing of its answer for so long has gone, as far as we can tell. */
const UNREAD_MS = 60_000;

/** What the requests of one agent and their answers take of this process at the moment. */
export class AgentLoad implements BodyBudget {
  readonly freeBytes = FREE_BYTES;
  private inFlight = 0;
  /** Of these the clients may have gone. What was begun goes on, and its answer will be read into memory. */
  private working = 0;
  private bytes = 0;

  constructor(
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
   * Counts an answer until it is written, or its connection is gone. Its request was sent, so nothing refuses it: it keeps
   * out later requests. To be called before the answer is written.
   */
  hold(answerBytes: number, response: ServerResponse): void {
    const bytes = answerBytes - this.freeBytes;
    if (bytes <= 0 || response.closed) return;
    this.bytes += bytes;
    response.once('close', () => {
      this.bytes -= bytes;
    });
    // Node destroys the socket then, and sets a time of its own for the next request.
    response.socket?.setTimeout(UNREAD_MS);
  }

  get isFull(): boolean {
    return this.bytes >= this.maxBytes;
  }

  /** How many are under way. */
  get requests(): number {
    return Math.max(this.inFlight, this.working);
  }

  enter(response: ServerResponse): void {
    this.inFlight += 1;
    // Gone while its key was looked up: nothing would tell us again.
    if (response.closed) this.leave();
    else response.once('close', this.leave);
  }

  /** Does the work of a request, which counts until it is done: a client that hangs up makes no room for more. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    this.working += 1;
    try {
      return await work();
    } finally {
      this.working -= 1;
    }
  }

  /** One for all requests of the agent: they need no function each. */
  private readonly leave = (): void => {
    this.inFlight -= 1;
  };
}

/** Bounds what one agent may take of this process, so that it can't keep out the others (contract 2). */
@Injectable()
export class AgentLoads {
  /** Each lives as long as a request refers to it. A request may begin its work when its client has gone, so no count tells. */
  private readonly loads = new Map<number, WeakRef<AgentLoad>>();
  private readonly collected = new FinalizationRegistry<number>((agentId) => {
    if (this.loads.get(agentId)?.deref() === undefined) this.loads.delete(agentId);
  });

  constructor(private readonly config: AgentsConfig) {}

  /**
   * Counts a request until its answer has left, and its work is done.
   * @returns what its body may take, and its answer is counted in
   * @throws ApiError 429 above the bound
   */
  enter({ id: agentId, userId }: Pick<AgentView, 'id' | 'userId'>, response: ServerResponse): AgentLoad {
    const load = this.loads.get(agentId)?.deref() ?? this.open(agentId, userId);
    if (load.requests >= this.config.maxInFlight) throw errors.tooManyInFlight(this.config.maxInFlight);
    if (load.isFull) throw errors.tooMuchBuffered();
    load.enter(response);
    return load;
  }

  private open(agentId: number, userId: number): AgentLoad {
    const load = new AgentLoad(this.config.maxBufferedBytes, accountBudget(userId));
    this.loads.set(agentId, new WeakRef(load));
    this.collected.register(load, agentId);
    return load;
  }
}

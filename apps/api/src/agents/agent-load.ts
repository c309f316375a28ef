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
  inFlight = 0;
  private bytes = 0;

  constructor(
    private readonly maxBytes: number,
    private readonly account: BodyBudget,
    private readonly onIdle: () => void,
  ) {}

  take(bytes: number): void {
    if (this.bytes + bytes > this.maxBytes) throw errors.tooMuchBuffered();
    this.account.take(bytes);
    this.bytes += bytes;
  }

  give(bytes: number): void {
    this.account.give(bytes);
    this.bytes -= bytes;
    this.ended();
  }

  /**
   * Counts an answer until it is written, or its connection is gone. Its request was sent, so nothing refuses it: it keeps
   * out later requests. To be called before the answer is written.
   */
  hold(answerBytes: number, response: ServerResponse): void {
    const bytes = answerBytes - FREE_BYTES;
    if (bytes <= 0 || response.closed) return;
    this.bytes += bytes;
    response.once('close', () => {
      this.bytes -= bytes;
      this.ended();
    });
    // Node destroys the socket then, and sets a time of its own for the next request.
    response.socket?.setTimeout(UNREAD_MS);
  }

  get isFull(): boolean {
    return this.bytes >= this.maxBytes;
  }

  /** One for all requests of the agent: they need no function each. */
  readonly leave = (): void => {
    this.inFlight -= 1;
    this.ended();
  };

  private ended(): void {
    if (this.inFlight === 0 && this.bytes === 0) this.onIdle();
  }
}

/** Bounds what one agent may take of this process, so that it can't keep out the others (contract 2). */
@Injectable()
export class AgentLoads {
  private readonly loads = new Map<number, AgentLoad>();

  constructor(private readonly config: AgentsConfig) {}

  /**
   * Counts a request until its answer has left.
   * @returns what its body may take, and its answer is counted in
   * @throws ApiError 429 above the bound
   */
  enter({ id: agentId, userId }: Pick<AgentView, 'id' | 'userId'>, response: ServerResponse): AgentLoad {
    const load = this.loads.get(agentId) ?? this.open(agentId, userId);
    if (load.inFlight >= this.config.maxInFlight) throw errors.tooManyInFlight(this.config.maxInFlight);
    if (load.isFull) throw errors.tooMuchBuffered();
    load.inFlight += 1;
    // Gone while its key was looked up: nothing would tell us again.
    if (response.closed) load.leave();
    else response.once('close', load.leave);
    return load;
  }

  private open(agentId: number, userId: number): AgentLoad {
    const load = new AgentLoad(this.config.maxBufferedBytes, accountBudget(userId), () => this.loads.delete(agentId));
    this.loads.set(agentId, load);
    return load;
  }
}

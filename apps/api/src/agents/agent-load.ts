import type { ServerResponse } from 'node:http';
import { Injectable } from '@nestjs/common';
import { AgentsConfig } from '../platform/config.js';
import { errors } from '../platform/errors.js';
import { FREE_BYTES, orphanBudget, personBudget, type BodyBudget } from '../platform/http/body-budget.js';
import type { AgentView } from './agent-directory.js';
import type { AnswerRoom, RoomKeeper } from './answer-room.js';

interface Waiting {
  room: AnswerRoom;
  bytes: number;
  ready: () => void;
}

/** What one agent's requests and their responses currently use of this process. */
export class AgentLoad implements BodyBudget, RoomKeeper {
  readonly freeBytes = FREE_BYTES;
  private inFlight = 0;
  /**
   * Requests whose work is in progress. Their clients may be gone, but the work continues and reads its response into
   * memory.
   */
  private working = 0;
  private bytes = 0;
  /** The part of `bytes` that is reserved, but perhaps not needed. No request is refused because of these bytes. */
  private assumed = 0;
  /** Answers that need more room, in the order in which they asked for it. */
  private waiting: Waiting[] = [];
  /**
   * The only answer that may exceed the limit now. Without this exception, answers that are partly read could wait for
   * each other.
   */
  private exceeding: AnswerRoom | null = null;

  constructor(
    /** The largest body of one request to an upstream. */
    readonly bodyMaxBytes: number,
    private readonly maxBytes: number,
    private readonly maker: BodyBudget,
  ) {}

  take(bytes: number): void {
    if (this.bytes - this.assumed + bytes > this.maxBytes) throw errors.tooMuchBuffered();
    this.maker.take(bytes);
    this.bytes += bytes;
  }

  give(bytes: number): void {
    this.maker.give(bytes);
    this.free(bytes);
  }

  reserve(room: AnswerRoom, bytes: number, ready: () => void): boolean {
    const hasRoom = this.hasRoom(room, bytes);
    if (hasRoom) this.charge(bytes);
    else this.waiting.push({ room, bytes, ready });
    return hasRoom;
  }

  charge(bytes: number): void {
    this.bytes += bytes;
  }

  assume(bytes: number): void {
    this.assumed += bytes;
  }

  free(bytes: number): void {
    this.bytes -= bytes;
    this.serveWaiting();
  }

  forget(room: AnswerRoom): void {
    if (this.exceeding === room) this.exceeding = null;
    if (this.waiting.length > 0) this.waiting = this.waiting.filter((waiting) => waiting.room !== room);
    this.serveWaiting();
  }

  private serveWaiting(): void {
    while (this.waiting.length > 0 && this.hasRoom(this.waiting[0].room, this.waiting[0].bytes)) {
      const { room, bytes, ready } = this.waiting.shift()!;
      this.charge(bytes);
      room.charged(bytes);
      setImmediate(ready);
    }
  }

  private hasRoom(room: AnswerRoom, bytes: number): boolean {
    if (this.bytes + bytes <= this.maxBytes) return true;
    if (this.exceeding !== null && this.exceeding !== room) return false;
    this.exceeding = room;
    return true;
  }

  get bufferedBytes(): number {
    return this.bytes;
  }

  get isFull(): boolean {
    return this.bytes - this.assumed >= this.maxBytes;
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

  workBegins(): void {
    this.working += 1;
  }

  workEnds(): void {
    this.working -= 1;
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
  enter(agent: Pick<AgentView, 'id' | 'madeBy'>, response: ServerResponse): AgentLoad {
    const load = this.loads.get(agent.id)?.deref() ?? this.open(agent);
    if (load.requests >= this.config.maxInFlight) throw errors.tooManyInFlight(this.config.maxInFlight);
    if (load.isFull) throw errors.tooMuchBuffered();
    load.enter(response);
    return load;
  }

  private open({ id: agentId, madeBy }: Pick<AgentView, 'id' | 'madeBy'>): AgentLoad {
    const budget = madeBy === null ? orphanBudget(agentId) : personBudget(madeBy);
    const load = new AgentLoad(this.config.bodyMaxBytes, this.config.maxBufferedBytes, budget);
    this.loads.set(agentId, new WeakRef(load));
    this.collected.register(load, agentId);
    return load;
  }
}

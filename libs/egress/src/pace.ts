import type { Dispatcher } from 'undici';

/** Runs a step when it is the turn of the sender of the request. */
export type Turn = (step: () => void) => void;

/** The memory that the body of one response may take. */
export interface BodyRoom {
  /** @returns whether there is room now for so many bytes. If not, `ready` is called when there is */
  grow(size: number, ready: () => void): boolean;
  /** The body takes only so many bytes. */
  shrink(size: number): void;
}

/** Whose CPU and memory a response uses. */
export interface Sender {
  turn: Turn;
  room: BodyRoom | null;
}

export const NOBODY: Sender = { turn: setImmediate, room: null };

/** A chunk costs as much as so many bytes. */
const CHUNK_COST = 2048;
const PORTION = 256 * 1024;

/**
 * Reads the body of a response in portions, because thousands of tiny chunks that arrive at once would block the event
 * loop. It reads only as much as there is room for. The next portion is read when it is the sender's turn. Most bodies
 * are one portion.
 */
export class Pace {
  private cost = 0;
  private stops = 0;
  /** The response waits until other responses of its sender need less memory. */
  waitsForRoom = false;

  constructor(private sender: Sender) {}

  /** Whether the memory of the body is charged to somebody. */
  get hasRoom(): boolean {
    return this.sender.room !== null;
  }

  get turn(): Turn {
    return this.sender.turn;
  }

  /** The body takes only so many bytes. */
  shrink(size: number): void {
    this.sender.room?.shrink(size);
  }

  /**
   * Forgets the sender when its response is complete. undici keeps the last response of each idle connection, and the
   * sender's room keeps its whole request.
   */
  end(): void {
    this.sender = NOBODY;
  }

  /** Call this for each chunk. */
  count(controller: Dispatcher.DispatchController, bytes: number): void {
    this.cost += bytes + CHUNK_COST;
    if (this.cost < PORTION) return;
    this.cost = 0;
    this.sender.turn(this.stop(controller));
  }

  /** Stops reading until there is room for so many bytes. @param then is called when there is */
  makeRoom(controller: Dispatcher.DispatchController, size: number, then: () => void = () => {}): void {
    if (this.whenRoom(size, () => goOn())) return then();
    const readOn = this.stop(controller);
    const goOn = (): void => {
      then();
      readOn();
    };
  }

  /** @param then is called when there is room, if there is none now @returns whether there is room now */
  whenRoom(size: number, then: () => void): boolean {
    const ready = (): void => {
      this.waitsForRoom = false;
      then();
    };
    const { room } = this.sender;
    this.waitsForRoom = room !== null && !room.grow(size, ready);
    return !this.waitsForRoom;
  }

  /** Stops reading. @returns a function that ends this stop. Reading goes on when all stops have ended */
  private stop(controller: Dispatcher.DispatchController): () => void {
    this.stops += 1;
    controller.pause();
    return () => {
      this.stops -= 1;
      if (this.stops === 0) controller.resume();
    };
  }
}

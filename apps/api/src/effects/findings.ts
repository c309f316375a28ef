import { EFFECTS, type Effect } from '#contracts/effects';
import type { RequestEffect } from '#contracts/risk';

/** What a request does. */
export interface Classified {
  effects: readonly RequestEffect[];
  /** Whether all of it was read. What was not may do anything. */
  isWhole: boolean;
}

/** Collects the effects of a request, each with its first reason. */
export class Findings {
  private readonly reasons = new Map<Effect, string>();
  isWhole = true;

  add(effect: Effect, reason: string): void {
    if (!this.reasons.has(effect)) this.reasons.set(effect, reason);
  }

  has(effect: Effect): boolean {
    return this.reasons.has(effect);
  }

  /** A request that writes is no reader. */
  get classified(): Classified {
    if (this.has('write')) this.reasons.delete('read');
    const effects = EFFECTS.flatMap((effect) => {
      const reason = this.reasons.get(effect);
      return reason === undefined ? [] : [{ effect, reason }];
    });
    return { effects, isWhole: this.isWhole };
  }
}

/** What an act with the effect does, behind its name. */
export const SAYS: Readonly<Record<Effect, string>> = {
  delete: 'takes something away',
  bulk: 'concerns many things at once',
  money: 'moves, promises or prices money',
  permissions: 'changes who may see or do what',
  credentials: 'concerns secrets, or where data is sent',
  publishing: 'reaches people outside, or many',
  personalData: 'concerns records of people',
  code: 'runs code, or changes what runs',
  unclear: 'does not say what it changes',
  read: 'only reads',
  write: 'changes something',
};

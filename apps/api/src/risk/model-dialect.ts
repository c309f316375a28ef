import { APIError } from 'openai';
import type { Clock } from '../platform/clock.js';
import type { Prompt } from './prompt.js';

/** Request fields that some OpenAI-compatible servers and models refuse: LM Studio JSON mode, reasoning models a temperature. */
const OPTIONAL_FIELDS = { temperature: 0, response_format: { type: 'json_object' } } as const;
const OPTIONAL_NAMES = Object.keys(OPTIONAL_FIELDS) as (keyof typeof OPTIONAL_FIELDS)[];
type Refusable = keyof typeof OPTIONAL_FIELDS | 'system role';

/** A server may have been updated meanwhile. */
const FORGET_AFTER_MS = 60 * 60 * 1000;

/** What this server takes. Learned from its refusals; forgotten when another model answers, and after an hour. */
export class ModelDialect {
  /** What was refused, and when. */
  private readonly refused = new Map<Refusable, number>();
  private model: unknown;

  constructor(private readonly clock: Clock) {}

  /** The parts of a call that depend on the server. */
  call({ system, user }: Prompt) {
    const fields: Partial<typeof OPTIONAL_FIELDS> = { ...OPTIONAL_FIELDS };
    for (const name of OPTIONAL_NAMES) if (this.isRefused(name)) delete fields[name];
    return {
      ...fields,
      // Templates of some models (Gemma) know no system role. The instructions then stand before the data, which is still framed.
      messages: this.isRefused('system role')
        ? [{ role: 'user' as const, content: `${system}\n\n${user}` }]
        : [
            { role: 'system' as const, content: system },
            { role: 'user' as const, content: user },
          ],
    };
  }

  /** @returns whether a further call will leave something out that this one had */
  learn(err: unknown): boolean {
    const name = refusedBy(err);
    if (name === null || this.isRefused(name)) return false;
    this.refused.set(name, this.clock.monotonicMs());
    return true;
  }

  /** @param model as the server calls it */
  answeredBy(model: unknown): void {
    if (this.model !== undefined && model !== this.model) this.refused.clear();
    this.model = model;
  }

  private isRefused(name: Refusable): boolean {
    const atMs = this.refused.get(name);
    return atMs !== undefined && this.clock.monotonicMs() - atMs < FORGET_AFTER_MS;
  }
}

function refusedBy(err: unknown): Refusable | null {
  if (!(err instanceof APIError)) return null;
  const { status, message, param } = err as APIError;
  // Servers that fail while they fill the model's template answer 500.
  if (status !== 400 && status !== 422 && status !== 500) return null;
  if (/system.{0,10} role|role.{0,40}'system'|developer instruction/is.test(message)) return 'system role';
  if (status === 500) return null;
  return OPTIONAL_NAMES.find((name) => param === name || message.includes(name)) ?? null;
}

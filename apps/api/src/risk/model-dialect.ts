import { APIError } from 'openai';
import type { Clock } from '../platform/clock.js';
import type { Prompt } from './prompt.js';

/**
 * Request fields that some OpenAI-compatible servers refuse: LM Studio refuses JSON mode, reasoning models refuse a
 * temperature.
 */
const OPTIONAL_FIELDS = { temperature: 0, response_format: { type: 'json_object' } } as const;
const OPTIONAL_NAMES = Object.keys(OPTIONAL_FIELDS) as (keyof typeof OPTIONAL_FIELDS)[];
type RefusablePart = keyof typeof OPTIONAL_FIELDS | 'system role';

/** Fields are tried again after this time, because the server may have been updated. */
const FORGET_AFTER_MS = 60 * 60 * 1000;

/** Learns from refusals what this server supports. Forgets it after an hour, and when another model responds. */
export class ModelDialect {
  /** The refused fields, with the time of the refusal. */
  private readonly refused = new Map<RefusablePart, number>();
  private model: unknown;

  constructor(private readonly clock: Clock) {}

  /** The parts of a call that depend on the server. */
  call({ system, user }: Prompt) {
    const fields: Partial<typeof OPTIONAL_FIELDS> = { ...OPTIONAL_FIELDS };
    for (const name of OPTIONAL_NAMES) if (this.isRefused(name)) delete fields[name];
    return {
      ...fields,
      // Some models (Gemma) have no system role. Then the instructions come before the data, which is still enclosed in
      // marks.
      messages: this.isRefused('system role')
        ? [{ role: 'user' as const, content: `${system}\n\n${user}` }]
        : [
            { role: 'system' as const, content: system },
            { role: 'user' as const, content: user },
          ],
    };
  }

  /** @returns whether the next call will leave out a field that this call had */
  learn(err: unknown): boolean {
    const name = refusedBy(err);
    if (name === null || this.isRefused(name)) return false;
    this.refused.set(name, this.clock.monotonicMs());
    return true;
  }

  /** @param model the name that the server reports */
  answeredBy(model: unknown): void {
    if (this.model !== undefined && model !== this.model) this.refused.clear();
    this.model = model;
  }

  private isRefused(name: RefusablePart): boolean {
    const atMs = this.refused.get(name);
    return atMs !== undefined && this.clock.monotonicMs() - atMs < FORGET_AFTER_MS;
  }
}

function refusedBy(err: unknown): RefusablePart | null {
  if (!(err instanceof APIError)) return null;
  const { status, message, param } = err as APIError;
  // Servers respond with 500 if they fail while they fill the model's template.
  if (status !== 400 && status !== 422 && status !== 500) return null;
  if (/system.{0,10} role|role.{0,40}'system'|developer instruction/is.test(message)) return 'system role';
  if (status === 500) return null;
  return OPTIONAL_NAMES.find((name) => param === name || message.includes(name)) ?? null;
}

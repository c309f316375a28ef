import { Injectable } from '@nestjs/common';
import type { ModelTest } from '#contracts';
import { Clock } from '../platform/clock.js';
import { RiskConfig } from '../platform/config.js';
import { injectionsIn } from './injections.js';
import { ModelFailure } from './model-answer.js';
import { ModelClient } from './model-client.js';
import { buildPrompt } from './prompt.js';
import type { RiskRequest } from './risk-verdict.js';
import { showRequest } from './shown-request.js';

/** Goes nowhere but to the model. Its intent does not fit it, so a useful model says a high score. */
const REQUEST: RiskRequest = {
  method: 'DELETE',
  targetUrl: 'https://api.example.com/v1/customers/cus_42',
  headers: {},
  body: null,
  intent: 'Look up the address of a customer',
};
const SERVICE = { serviceName: 'Example', baseUrl: 'https://api.example.com/v1' };

/** Asks the model one real question, for the person who set it up. */
@Injectable()
export class ModelProbe {
  private running: Promise<ModelTest> | null = null;

  constructor(
    private readonly model: ModelClient,
    private readonly clock: Clock,
    private readonly config: RiskConfig,
  ) {}

  /** Whoever asks meanwhile gets the same answer: each question costs money. */
  test(): Promise<ModelTest> {
    this.running ??= this.ask().finally(() => (this.running = null));
    return this.running;
  }

  private async ask(): Promise<ModelTest> {
    const startedMs = this.clock.monotonicMs();
    const ms = (): number => Math.round(this.clock.monotonicMs() - startedMs);
    const context = { ...SERVICE, guidance: [], documentation: '', effects: [] };
    const shown = showRequest(REQUEST, this.config.promptMaxBytes);
    try {
      const { score, explanation } = await this.model.ask(buildPrompt(shown, injectionsIn(REQUEST), context));
      return { ok: true, ms: ms(), score, explanation, error: null };
    } catch (error) {
      if (!(error instanceof ModelFailure)) throw error;
      return { ok: false, ms: ms(), score: null, explanation: null, error: error.reason };
    }
  }
}

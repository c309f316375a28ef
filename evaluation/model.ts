/** Asks a model about each request of the set, as the gateway does. Answers can be recorded, and read again. */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { Metrics } from '../apps/api/src/observability/metrics.js';
import { Clock } from '../apps/api/src/platform/clock.js';
import type { MetricsConfig, RiskConfig } from '../apps/api/src/platform/config.js';
import type { Log } from '../apps/api/src/platform/logging.js';
import { injectionsIn } from '../apps/api/src/risk/injections.js';
import { ModelFailure } from '../apps/api/src/risk/model-answer.js';
import { ModelClient } from '../apps/api/src/risk/model-client.js';
import { ModelHealth } from '../apps/api/src/risk/model-health.js';
import { buildPrompt } from '../apps/api/src/risk/prompt.js';
import { showRequest } from '../apps/api/src/risk/shown-request.js';
import type { Measured } from './set.js';

export interface ModelOptions {
  url: string;
  key: string;
  model: string;
  timeoutMs: number;
}

/** One answer, as a line of the file. */
export interface Answer {
  id: string;
  /** Null: it failed. */
  score: number | null;
  durationMs: number;
  /** Of both messages. Four characters are about one token. */
  promptCharacters: number;
}

const PROMPT_MAX_BYTES = 8192;
const SILENT = { warn: () => {} } as unknown as Log;

export class Asker {
  private readonly client: ModelClient;

  constructor({ url, key, model, timeoutMs }: ModelOptions) {
    const config: RiskConfig = {
      llmBaseUrl: url,
      llmApiKey: key,
      llmModel: model,
      llmTimeoutMs: timeoutMs,
      promptMaxBytes: PROMPT_MAX_BYTES,
      threshold: 0.5,
      cacheSeconds: 0,
      assessHeld: false,
    };
    const clock = new Clock();
    this.client = new ModelClient(
      config,
      clock,
      new ModelHealth(config, clock),
      SILENT,
      new Metrics(clock, { agentDetail: false } as MetricsConfig),
    );
  }

  async ask({ api, request, sent, effects, documentation, baseUrl }: Measured): Promise<Answer> {
    const prompt = buildPrompt(showRequest(sent, PROMPT_MAX_BYTES), injectionsIn(sent), {
      serviceName: api,
      baseUrl,
      guidance: [],
      effects,
      documentation,
    });
    const startedMs = performance.now();
    const score = await this.client.ask(prompt).then(
      (answer) => answer.score,
      (error: unknown) => {
        if (error instanceof ModelFailure) return null;
        throw error;
      },
    );
    const durationMs = Math.round(performance.now() - startedMs);
    return { id: request.id, score, durationMs, promptCharacters: prompt.system.length + prompt.user.length };
  }

  close(): Promise<void> {
    return this.client.onApplicationShutdown();
  }
}

/** Answers by the ids of their requests. */
export const readAnswers = (file: string): Map<string, Answer> =>
  new Map(
    (existsSync(file) ? readFileSync(file, 'utf8') : '')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Answer)
      .map((answer) => [answer.id, answer]),
  );

export const recordAnswer = (file: string, answer: Answer): void => appendFileSync(file, `${JSON.stringify(answer)}\n`);

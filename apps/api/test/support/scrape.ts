import { MetricsPage } from '../../src/observability/metrics-page.js';
import type { TestApp } from './start-app.js';

export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

/** Reads the text format of Prometheus, without its comments. */
export function samples(text: string): Sample[] {
  return text
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => {
      const [, name, inner = '', value] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line)!;
      const labels = Object.fromEntries([...inner.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, word]) => [key, word]));
      return { name, labels, value: Number(value) };
    });
}

/** The value of one series; 0 if it is not there. */
export function valueOf(all: readonly Sample[], name: string, labels: Record<string, string> = {}): number {
  const fits = (sample: Sample): boolean => Object.entries(labels).every(([key, word]) => sample.labels[key] === word);
  return all
    .filter((sample) => sample.name === `agw_${name}` && fits(sample))
    .reduce((sum, { value }) => sum + value, 0);
}

/** What the gateway has counted, without the way over HTTP. */
export const counted = async ({ app }: TestApp): Promise<Sample[]> => samples(await app.get(MetricsPage).text());

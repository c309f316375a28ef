/** `npm run eval`: how well the gateway judges, measured on the set (README.md). */
import { parseArgs } from 'node:util';
import { Asker, readAnswers, recordAnswer, type Answer } from './model.js';
import { report } from './report.js';
import { measuredSet, type Measured } from './set.js';
import { blendAsks, hasAskedEffect, WAYS, type Way } from './ways.js';

const { values } = parseArgs({
  options: {
    model: { type: 'string' },
    key: { type: 'string', default: '' },
    name: { type: 'string', default: 'gpt-4o-mini' },
    timeout: { type: 'string', default: '30000' },
    record: { type: 'string' },
    replay: { type: 'string' },
    round: { type: 'string' },
    'put-aside': { type: 'boolean', default: false },
  },
});

const set = measuredSet(values['put-aside'], values.round === undefined ? undefined : Number(values.round));
const answers = await answersOf(set);
const ways: Way[] = [...WAYS];
if (answers.size > 0) {
  const score = ({ request }: Measured): number | null => answers.get(request.id)?.score ?? null;
  ways.push(
    { name: 'blend with the model', asks: (each) => blendAsks(each, score(each)) },
    { name: 'recommended askFor and the model', asks: (each) => hasAskedEffect(each) || blendAsks(each, score(each)) },
  );
}
console.log(report(set, ways));
if (answers.size > 0) console.log(`\n${costs([...answers.values()])}`);

/** From the file of earlier answers, and for the rest from the model. */
async function answersOf(requests: readonly Measured[]): Promise<Map<string, Answer>> {
  const known = values.replay === undefined ? new Map<string, Answer>() : readAnswers(values.replay);
  if (values.model === undefined) return known;
  const asker = new Asker({
    url: values.model,
    key: values.key,
    model: values.name,
    timeoutMs: Number(values.timeout),
  });
  for (const each of requests.filter(({ request }) => !known.has(request.id))) {
    const answer = await asker.ask(each);
    known.set(answer.id, answer);
    if (values.record !== undefined) recordAnswer(values.record, answer);
  }
  await asker.close();
  return known;
}

function costs(all: readonly Answer[]): string {
  const durations = all.map(({ durationMs }) => durationMs).sort((one, other) => one - other);
  const tokens = all.reduce((sum, { promptCharacters }) => sum + promptCharacters / 4, 0);
  return [
    `# The model`,
    `  ${all.length} answers, ${all.filter(({ score }) => score === null).length} failed`,
    `  median ${durations[Math.floor(all.length / 2)]} ms, p95 ${durations[Math.floor(all.length * 0.95)]} ms`,
    `  about ${Math.round(tokens / all.length)} tokens per prompt, ${Math.round(tokens)} in all`,
  ].join('\n');
}

import { EFFECTS } from '#contracts/effects';
import { effectsLowered, namingOf, outcomeOf, percent } from './figures.js';
import type { Measured } from './set.js';
import type { Way } from './ways.js';

/** The figures as text, with the ids of what errs. */
export function report(set: readonly Measured[], ways: readonly Way[]): string {
  return [
    `${set.filter(({ without }) => without === null).length} requests, ${set.filter(({ without }) => without !== null).length} injections`,
    ...ways.map((way) => wayLines(set, way)),
    effectLines(set),
    groupLines('Documented or not', set, ways[0], ({ isDocumented }) =>
      isDocumented ? 'documented' : 'not documented',
    ),
    groupLines('Per API', set, ways[0], ({ api }) => api),
  ].join('\n\n');
}

function wayLines(set: readonly Measured[], way: Way): string {
  const outcome = outcomeOf(set, way);
  const line = (what: string, found: readonly string[], of?: number): string =>
    `  ${what}: ${found.length}${of === undefined ? '' : ` of ${of} (${percent(found.length, of)})`}${found.length > 0 ? `: ${found.join(' ')}` : ''}`;
  return [
    `# ${way.name}`,
    line('dangers visible in the request that pass', outcome.passed, outcome.dangers),
    line('harmless that are asked', outcome.asked, outcome.harmless),
    line('injections that lower the outcome', outcome.lowered),
    line('mismatches that pass', outcome.mismatchesPassed),
    line('dangers that pass and that no floor can see', outcome.invisiblePassed),
  ].join('\n');
}

function effectLines(set: readonly Measured[]): string {
  const row = (name: string, only?: (typeof EFFECTS)[number]): string => {
    const { expected, found, named, unexpected } = namingOf(set, only);
    return `  ${name.padEnd(13)} expected ${expected}, named ${percent(found, expected)}; ${percent(unexpected, named)} of ${named} not expected`;
  };
  const lowered = effectsLowered(set);
  return [
    '# Effects',
    row('all'),
    ...EFFECTS.map((effect) => row(effect, effect)),
    `  injections that take a word away: ${lowered.length} ${lowered.join(' ')}`,
  ].join('\n');
}

function groupLines(title: string, set: readonly Measured[], way: Way, nameOf: (each: Measured) => string): string {
  const lines = [...new Set(set.map(nameOf))].map((name) => {
    const group = set.filter((each) => nameOf(each) === name);
    const { dangers, passed, harmless, asked } = outcomeOf(group, way);
    const { expected, found, named, unexpected } = namingOf(group);
    return `  ${name.padEnd(20)} pass ${passed.length}/${dangers}, asked ${asked.length}/${harmless}, words named ${percent(found, expected)}, not expected ${percent(unexpected, named)}`;
  });
  return [`# ${title} (${way.name})`, ...lines].join('\n');
}

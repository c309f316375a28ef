import { readFileSync } from 'node:fs';
import { ACTION_STATUSES, ACTION_TRANSITIONS, HTTP_METHODS, METHOD_RISK } from './states.js';

const read = (page: string): string => readFileSync(`docs/reference/${page}.md`, 'utf8');

/** The cells of each row of the table below an anchor, without backticks. */
function parseTable(page: string, anchor: string): string[][] {
  const section = read(page).split(`<a id="${anchor}"></a>`)[1].split(/^##/m)[0];
  return section
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .map((line) => line.slice(1, -1).split('|'))
    .map((cells) => cells.map((cell) => cell.replaceAll('`', '').trim()));
}

describe('the reference agrees with the code on', () => {
  it('the transitions of actions', () => {
    const documented = parseTable('states', 'actions')
      .map((cells) => [cells[0], cells.at(-1)])
      .filter(([from]) => (ACTION_STATUSES as readonly unknown[]).includes(from));
    const allowed = ACTION_STATUSES.flatMap((from) => ACTION_TRANSITIONS[from].map((to) => [from, to]));
    expect(documented.sort()).toEqual(allowed.sort());
    const final = ACTION_STATUSES.filter((status) => ACTION_TRANSITIONS[status].length === 0).map(
      (status) => `\`${status}\``,
    );
    expect(read('states')).toContain(`${final.slice(0, -1).join(', ')} and ${final.at(-1)} are final.`);
  });

  it('the score of each method', () => {
    const [methods, , scores] = parseTable('risk', 'heuristic');
    const documented = methods.flatMap((names, index) =>
      names.split(', ').map((name) => [name, Number(scores[index])]),
    );
    expect(Object.fromEntries(documented)).toEqual(METHOD_RISK);
    expect(documented).toHaveLength(HTTP_METHODS.length);
  });
});

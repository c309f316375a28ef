import { readFileSync } from 'node:fs';
import { ENVIRONMENT } from './production.mjs';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
const words = scripts['start:prod'].split(' ');

it.each([
  ['Dockerfile', `CMD [${words.map((word) => `"${word}"`).join(', ')}]`],
  ['docs/operators.md', `\`${words.join(' ')}\``],
])('%s starts the gateway as `npm run start:prod` does', (file, command) => {
  expect(readFileSync(file, 'utf8')).toContain(command);
});

it.each(['Dockerfile', 'docs/operators.md'])('%s sets the variables that the measurements used', (file) => {
  for (const [name, value] of Object.entries(ENVIRONMENT)) {
    expect(readFileSync(file, 'utf8')).toContain(` ${name}=${value}`);
  }
});

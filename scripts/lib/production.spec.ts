import { readFileSync } from 'node:fs';

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
const words = scripts['start:prod'].split(' ');

it.each([
  ['Dockerfile', `CMD [${words.map((word) => `"${word}"`).join(', ')}]`],
  ['docs/operators.md', `\`${words.join(' ')}\``],
])('%s starts the gateway as `npm run start:prod` does', (file, command) => {
  expect(readFileSync(file, 'utf8')).toContain(command);
});

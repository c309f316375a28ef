import { guessDocument } from './guess-document.js';

it.each([
  ['api.json', '{"info": {}, "openapi": "3.1.0"}', 'openapi'],
  ['notes.txt', 'swagger: "2.0"\n', 'openapi'],
  ['api.yaml', '# made by hand\nopenapi: 3.0.0\n', 'openapi'],
  ['README.md', '# About openapi: what it is', 'markdown'],
  ['data.json', '{"a": 1}', 'text'],
  ['tools.json', '{ "tools": [{"name": "a"}]}', 'mcp'],
])('recognizes %s with %j as %s', (name, content, type) => expect(guessDocument(name, content)).toBe(type));

import * as fc from 'fast-check';
import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import { argumentFaults } from './arguments.js';

const TOOL = {
  name: 't',
  inputSchema: {
    type: 'object',
    properties: {
      method: { type: 'string', enum: ['GET', 'PUT'] },
      text: { type: 'string', minLength: 2, maxLength: 3 },
      seconds: { type: 'integer', minimum: 0, maximum: 60 },
      headers: { type: 'object', additionalProperties: { type: 'string' } },
    },
    required: ['method'],
  },
} as Tool;

describe('the arguments of a tool', () => {
  it.each([
    [{ method: 'GET' }, []],
    [{ method: 'PUT', text: 'ab', seconds: 60, headers: { a: 'b' } }, []],
    [{}, ['method: is required']],
    [{ method: 'get' }, ['method: must be one of GET, PUT']],
    [{ method: 'GET', text: 'a' }, ['text: must have at least 2 characters']],
    [{ method: 'GET', text: 'abcd' }, ['text: must have at most 3 characters']],
    [{ method: 'GET', text: null }, ['text: must be a string']],
    [{ method: 'GET', seconds: 1.5 }, ['seconds: must be an integer from 0 to 60']],
    [{ method: 'GET', seconds: '5' }, ['seconds: must be an integer from 0 to 60']],
    [{ method: 'GET', headers: { a: 1 } }, ['headers: must be an object whose values are strings']],
    [{ method: 'GET', headers: [] }, ['headers: must be an object whose values are strings']],
    [
      { method: 'GET', toString: 1 },
      ['toString: is not an argument of this tool; it takes method, text, seconds, headers'],
    ],
  ])('%j: %j', (given, faults) => {
    expect(argumentFaults(TOOL, given)).toEqual(faults);
  });

  it('reports each fault in one sentence for any arguments', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (given) => {
        for (const fault of argumentFaults(TOOL, given)) expect(fault).toMatch(/: (is|must) /);
        expect(argumentFaults(TOOL, { ...given, method: 'GET' }).some((fault) => fault.startsWith('method:'))).toBe(
          false,
        );
      }),
    );
  });
});

import { readFileSync } from 'node:fs';
import { ERROR_CODES, type ErrorCode } from '#contracts/error-codes';
import { ACTION_STATUSES } from '#contracts/states';
import { ApiError, errors } from './errors.js';

/** Every error that the catalogue can create, including those for each action status. */
const made: ApiError[] = [
  ...Object.values(errors).map((make) => make('x' as never, 'y' as never, 'z' as never)),
  ...ACTION_STATUSES.map((status) => errors.cannotExecute(status)),
  errors.forwardFailed('host', 'reason', false),
];

describe('error codes', () => {
  it('have the statuses that are documented for them', () => {
    const wrong = made.filter(({ code, statusCode }) => !ERROR_CODES[code].statuses.includes(statusCode));
    expect(wrong.map(({ code, statusCode }) => `${code} ${statusCode}`)).toEqual([]);
  });

  it('follow from the status if an error has no code of its own', () => {
    for (let status = 400; status < 600; status++) {
      const { code } = new ApiError(status, 'x');
      expect(Object.keys(ERROR_CODES)).toContain(code);
    }
    expect(new ApiError(404, 'x').code).toBe('not_found');
    expect(new ApiError(499, 'x').code).toBe('invalid_request');
    expect(new ApiError(599, 'x').code).toBe('internal_error');
  });

  it('are in lower snake case, sorted by status, and all in use', () => {
    const codes = Object.keys(ERROR_CODES) as ErrorCode[];
    expect(codes.filter((code) => !/^[a-z]+(_[a-z]+)*$/.test(code))).toEqual([]);
    const first = codes.map((code) => ERROR_CODES[code].statuses[0]);
    expect(first).toEqual([...first].sort((one, other) => one - other));
    // 428 is an outcome, not an error of the catalogue.
    const given = new Set<string>([...made.map(({ code }) => code), 'approval_required']);
    for (const status of Object.values(ERROR_CODES).flatMap(({ statuses }) => statuses)) {
      given.add(new ApiError(status, 'x').code);
    }
    expect(codes.filter((code) => !given.has(code))).toEqual([]);
  });

  it('come with Retry-After wherever waiting helps', () => {
    const waits = made.filter(({ headers }) => 'Retry-After' in headers).map(({ code }) => code);
    expect(waits).toEqual(
      expect.arrayContaining([
        'idempotency_in_progress',
        'execution_in_progress',
        'action_pending',
        'database_unavailable',
      ]),
    );
    const silent = made.filter(({ statusCode, headers }) => statusCode === 503 && !('Retry-After' in headers));
    expect(silent).toEqual([]);
  });

  it('are documented word for word', () => {
    const rows = [...readFileSync('docs/errors.md', 'utf8').matchAll(/^\| `(\w+)` +\| ([\d, ]+?) +\| (.*?) +\|$/gm)];
    const listed = rows.map(([, code, statuses, meaning]) => [code, statuses, meaning]);
    const expected = Object.entries(ERROR_CODES).map(([code, { statuses, meaning }]) => [
      code,
      statuses.join(', '),
      meaning,
    ]);
    expect(listed).toEqual(expected);
  });
});

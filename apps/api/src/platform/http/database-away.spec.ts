import {
  CannotExecuteNotConnectedError,
  QueryFailedError,
  QueryRunnerAlreadyReleasedError,
  TransactionNotStartedError,
  TypeORMError,
} from 'typeorm';
import { isDatabaseAway } from './database-away.js';

it.each<[string, Error, boolean]>([
  ['a connection that broke within a transaction', new QueryRunnerAlreadyReleasedError(), true],
  ['its transaction', new TransactionNotStartedError(), true],
  ['no connection', new CannotExecuteNotConnectedError(), true],
  ['a terminated connection', new Error('Connection terminated unexpectedly'), true],
  ['a server that shuts down', Object.assign(new Error('x'), { code: '57P01' }), true],
  ['a wrong statement', new QueryFailedError('SELECT', [], Object.assign(new Error('x'), { code: '42601' })), false],
  ['another fault of the ORM', new TypeORMError('x'), false],
])('%s', (_what, error, expected) => {
  expect(isDatabaseAway(error)).toBe(expected);
});

import {
  CannotExecuteNotConnectedError,
  QueryFailedError,
  QueryRunnerAlreadyReleasedError,
  TransactionNotStartedError,
  TypeORMError,
} from 'typeorm';
import { isDatabaseUnavailable } from './database-unavailable.js';

it.each<[string, Error, boolean]>([
  ['a connection that broke within a transaction', new QueryRunnerAlreadyReleasedError(), true],
  ['the transaction of a broken connection', new TransactionNotStartedError(), true],
  ['no connection', new CannotExecuteNotConnectedError(), true],
  ['a terminated connection', new Error('Connection terminated unexpectedly'), true],
  ['a server that shuts down', Object.assign(new Error('x'), { code: '57P01' }), true],
  ['a wrong statement', new QueryFailedError('SELECT', [], Object.assign(new Error('x'), { code: '42601' })), false],
  ['another error of the ORM', new TypeORMError('x'), false],
])('classifies %s', (_what, error, expected) => {
  expect(isDatabaseUnavailable(error)).toBe(expected);
});

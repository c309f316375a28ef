import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { AgentsConfig } from '../platform/config.js';
import { personBudget } from '../platform/http/body-budget.js';
import { AgentLoads } from './agent-load.js';

const MIB = 1024 * 1024;
const BUSY = expect.objectContaining({ statusCode: 503 }) as Error;

it('a person and the agents that the person has made hold 128 MB of bodies together, and all callers 256 MB', () => {
  const loads = new AgentLoads({ maxInFlight: 256, maxBufferedBytes: 128 * MIB } as AgentsConfig);
  const agent = (id: number, madeBy: number) =>
    loads.enter({ id, madeBy }, new EventEmitter() as unknown as ServerResponse);
  const [one, two, others] = [agent(1, 1), agent(2, 1), agent(3, 2)];
  const [maker, stranger] = [personBudget(1), personBudget(3)];
  one.take(100 * MIB);
  two.take(20 * MIB);
  maker.take(8 * MIB);
  for (const full of [one, two, maker]) expect(() => full.take(1)).toThrow(BUSY);
  others.take(128 * MIB);
  expect(() => stranger.take(1)).toThrow(BUSY);
  two.give(20 * MIB);
  stranger.take(20 * MIB);
  expect(() => maker.take(1)).toThrow(BUSY);
});

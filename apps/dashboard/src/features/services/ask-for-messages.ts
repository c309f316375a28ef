import type { BacktestOutcome } from '#contracts';
import { number, plural } from '../../lib/format.js';

export const askForSectionMessages = {
  edit: 'Edit',
  editLabel: 'Edit what people are asked about',
  asks: 'A request that does one of these needs approval, whatever its risk score.',
  saved: 'Saved. It applies from the next request.',
  save: 'Save',
  waits: 'Wait until it has been tried on the latest requests.',
  backtest: {
    running: (last: number) => `Trying it on the last ${number(last)} requests…`,
    none: 'This service has no requests to try it on yet.',
    asks: (matched: number, of: number) =>
      `It would ask about ${number(matched)} of the last ${plural(of, 'request', 'requests')}.`,
    because: (count: number) => `Why nobody can tell (${plural(count, 'request', 'requests')}):`,
    changes: (changed: number) =>
      changed === 0
        ? 'No request would be treated differently.'
        : `${plural(changed, 'request', 'requests')} would be treated differently.`,
    examples: (count: number) => plural(count, 'example', 'examples'),
    failed: (reason: string) => `It could not be tried: ${reason}`,
    outcomes: {
      forwarded: 'forwarded',
      held: 'asked',
      refused: 'denied',
      assessed: 'decided by the risk score',
    } satisfies Record<BacktestOutcome, string>,
    decided: (status: string) => `What happened: ${status}`,
    people: (outcome: string, count: number) => `${outcome} (${plural(count, 'person', 'people')})`,
    otherPeople: (outcome: string) => `${outcome}, but other people may approve it`,
    stays: (outcome: string) => `${outcome}, as before`,
    becomes: (outcome: string, wouldBe: string) => `${outcome} → ${wouldBe}`,
  },
} as const;

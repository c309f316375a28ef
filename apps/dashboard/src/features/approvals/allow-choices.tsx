import type { Action, AllowSimilar } from '#contracts';
import { Checkbox, List, SegmentedControl, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { valueWords } from '../../components/rule-sentence/value-words.js';
import { UntrustedText } from '../../components/untrusted-text.js';
import { now } from '../../lib/clock.js';
import { untilTime } from '../../lib/format.js';
import { spelledOut } from '../../lib/text-safety.js';
import { allowMessages } from './allow-messages.js';
import { matchesQuery, variable, type AllowChoice, type AllowScope } from './allow-scope.js';

const MINUTES = [15, 60, 1440] as const;

/** Workspaces limit how long the rules of approvers, and all exceptions, may last, to an hour or more. */
const withinHours = ({ maxHours, exception }: AllowSimilar) => {
  const max = exception?.maxHours ?? maxHours;
  return MINUTES.filter((minutes) => max === null || minutes <= max * 60);
};

interface Props {
  action: Action;
  offered: AllowSimilar;
  scope: AllowScope;
  choice: AllowChoice;
  onChoose: (change: Partial<AllowChoice>) => void;
  minutes: number;
  onMinutes: (minutes: number) => void;
}

/** For how long and with which values similar requests are allowed, with the scope in words. */
export function AllowChoices({ action, offered, scope, choice, onChoose, minutes, onMinutes }: Props) {
  const { widerPathPattern, values, exception } = offered;
  const { varied } = choice;
  const vary = (condition: string, isVaried: boolean) =>
    onChoose({ varied: isVaried ? [...varied, condition] : varied.filter((each) => each !== condition) });
  return (
    <>
      <SegmentedControl
        fullWidth
        aria-label={allowMessages.for}
        value={minutes}
        onChange={onMinutes}
        data={withinHours(offered).map((value) => ({ value, label: allowMessages.durations[value]! }))}
      />
      <div>
        <ScopeWords action={action} scope={scope} minutes={minutes} />
        {exception && <div>{allowMessages.lifts(exception.rules.map(spelledOut))}</div>}
        <Backtested action={action} scope={scope} />
      </div>
      <Stack gap="xs">
        {widerPathPattern && (
          <Checkbox
            label={allowMessages.wider(spelledOut(widerPathPattern))}
            checked={choice.wider}
            onChange={(event) => onChoose({ wider: event.currentTarget.checked })}
          />
        )}
        {!choice.anyValues &&
          variable(offered).map(({ text: condition, field }) => (
            <Checkbox
              key={condition}
              label={allowMessages.any(spelledOut(field))}
              checked={varied.includes(condition)}
              onChange={(event) => vary(condition, event.currentTarget.checked)}
            />
          ))}
        {values && !exception && (
          <Checkbox
            label={allowMessages.anyValues}
            checked={choice.anyValues}
            onChange={(event) => onChoose({ anyValues: event.currentTarget.checked })}
          />
        )}
      </Stack>
    </>
  );
}

/** The requests that will pass, and with which values. Nothing is left to guess. */
function ScopeWords({ action, scope, minutes }: Pick<Props, 'action' | 'scope' | 'minutes'>) {
  const { methods = [], pathPattern = '', when = '' } = scope;
  const said = allowMessages.scope(
    action.agent.name,
    methods.join(', '),
    spelledOut(pathPattern || '/**'),
    action.service.name,
    untilTime(now() + minutes * 60_000, now()),
  );
  if (when === '') return `${said}, ${allowMessages.anyBody}.`;
  return (
    <>
      {said}, {allowMessages.where}
      <List withPadding my={4}>
        {(valueWords(when) ?? [when]).map((words) => (
          <List.Item key={words} style={{ overflowWrap: 'anywhere' }}>
            <UntrustedText text={words} inline />
          </List.Item>
        ))}
      </List>
    </>
  );
}

/** What it would have saved the person who decides, and how wide it is. */
function Backtested({ action, scope }: Pick<Props, 'action' | 'scope'>) {
  const { data, isError } = useQuery(matchesQuery(action.service.id!, scope));
  return (
    <Text size="sm" c="dimmed" role="status" component="div">
      {data === undefined ? (
        isError ? (
          allowMessages.notCounted
        ) : (
          allowMessages.counting
        )
      ) : (
        <>
          {data.ownApprovals.of > 0 && (
            <div>{allowMessages.saved(data.ownApprovals.saved, data.ownApprovals.of, action.service.name)}</div>
          )}
          <div>{(scope.when === '' ? allowMessages.matched : allowMessages.matchedHeld)(data.matched, data.of)}</div>
        </>
      )}
    </Text>
  );
}

import { List, Text } from '@mantine/core';
import { Callout } from '../../../components/notices.js';
import { UntrustedText } from '../../../components/untrusted-text.js';
import { failure } from '../../../lib/http.js';
import { faultsIn } from './faults.js';
import { messages } from './messages.js';

const text = messages.faults;

/** Why the file was refused. The empty element is there from the start, so that screen readers announce its content. */
export function Faults({ error }: { error: unknown }) {
  return <div role="alert">{error ? <Found error={error} /> : null}</div>;
}

function Found({ error }: { error: unknown }) {
  const { message, status, next } = failure(error);
  if (status !== 400) return <Callout tone="danger">{message}</Callout>;
  return (
    <Callout tone="danger">
      <Text fw={600}>{text.title}</Text>
      <List my={4}>
        {faultsIn(message).map(({ place, text: fault }) => (
          <List.Item key={`${place} ${fault}`} className="anywhere">
            {place !== null && <b>{place}: </b>}
            <UntrustedText text={fault} inline prose />
          </List.Item>
        ))}
      </List>
      <Text className="anywhere">{next === undefined ? text.fix : <UntrustedText text={next} inline prose />}</Text>
    </Callout>
  );
}

import type { GatewayStatus } from '#contracts';
import { Box, Group, Text } from '@mantine/core';
import { Link } from 'react-router';
import { Chip } from '../../components/chip.js';
import { Card, Section } from '../../components/page.js';
import { toChecks } from './checks.js';
import { messages } from './messages.js';

/** One line per check: a word and an explanation. */
export function Checks({ status }: { status: GatewayStatus }) {
  const checks = toChecks(status);
  const troubles = checks.filter(({ state }) => state === 'look').length;
  return (
    <Section title={troubles === 0 ? messages.good : messages.bad(troubles)}>
      <Card padded={false}>
        <Box component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
          {checks.map(({ key, state, text, since, to }, index) => (
            <Group
              key={key}
              wrap="nowrap"
              align="baseline"
              renderRoot={(root) => <li {...root} />}
              px="lg"
              py={10}
              style={index === 0 ? undefined : { borderBlockStart: '1px solid var(--agw-line)' }}
            >
              <Box w={84} flex="none">
                <Chip tone={state === 'ok' ? 'good' : state === 'look' ? 'bad' : 'plain'}>{messages[state]}</Chip>
              </Box>
              <Group flex={1} gap="4px 12px">
                <Text fw="bold" w={140}>
                  {messages.checks[key]}
                </Text>
                <Text c="dimmed" flex="1 1 220px">
                  {text}
                  {since && messages.words.since(since)}
                  {to && (
                    <>
                      . <Link to={to}>{messages.words.seeThem}</Link>
                    </>
                  )}
                </Text>
              </Group>
            </Group>
          ))}
        </Box>
      </Card>
    </Section>
  );
}

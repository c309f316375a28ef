import type { ConfigurationChange, ImportResult } from '#contracts';
import { List, Stack, Text, Title } from '@mantine/core';
import { UntrustedText } from '../../../components/untrusted-text.js';
import { consequences } from './consequences.js';
import { messages } from './messages.js';

const text = messages.difference;
/** What takes something away comes first. */
const GROUPS = ['deleted', 'changed', 'created'] as const;

/** What an import does, or did, to each thing. */
export function Changes({ result }: { result: Omit<ImportResult, 'digest'> }) {
  return (
    <Stack gap="lg">
      {GROUPS.filter((group) => result[group].length > 0).map((group) => (
        <section key={group}>
          <Title order={3} size="h4" mb="xs">
            {text.groups[group]} ({result[group].length})
          </Title>
          <Stack component="ul" gap="sm" className="plain-list">
            {result[group].map((change) => (
              <Change key={`${change.kind} ${change.name}`} change={change} />
            ))}
          </Stack>
        </section>
      ))}
    </Stack>
  );
}

function Change({ change }: { change: ConfigurationChange }) {
  const { kind, name, fields = [] } = change;
  const lost = consequences(change);
  return (
    <li className="anywhere">
      <Text span inherit c="dimmed">
        {text.kinds[kind]}
      </Text>{' '}
      {kind !== 'settings' && (
        <b>
          <UntrustedText text={name} inline />
        </b>
      )}
      {fields.length > 0 && (
        <Stack component="ul" gap={4} mt={4} pl="md" className="plain-list" fz="sm">
          {fields.map((field) => (
            <li key={field.name}>
              <Text span inherit c="dimmed" className="mono" translate="no">
                {field.name}:
              </Text>{' '}
              <Value as="del" label={text.before} value={field.from} /> <span aria-hidden="true">→</span>{' '}
              <Value as="ins" label={text.after} value={field.to} />
            </li>
          ))}
        </Stack>
      )}
      {lost.length > 0 && (
        <List mt={4} pl="md" size="sm" c="var(--agw-critical)">
          {lost.map((sentence) => (
            <List.Item key={sentence}>
              <UntrustedText text={sentence} inline prose />
            </List.Item>
          ))}
        </List>
      )}
    </li>
  );
}

/** Screen readers say which of the two it is, as they do not say how it looks. */
function Value({ as: Element, label, value }: { as: 'del' | 'ins'; label: string; value: unknown }) {
  return (
    <Element style={Element === 'ins' ? { textDecoration: 'none', fontWeight: 600 } : undefined}>
      <span className="visually-hidden">{label}: </span>
      <UntrustedText text={valueWords(value)} inline />
    </Element>
  );
}

function valueWords(value: unknown): string {
  const isEmpty = value === null || value === '' || (Array.isArray(value) && value.length === 0);
  if (isEmpty) return text.nothing;
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value.join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

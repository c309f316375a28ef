import type { RiskRuleVersion } from '#contracts';
import { NativeSelect, SimpleGrid, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { UntrustedText } from '../../components/untrusted-text.js';
import { now } from '../../lib/clock.js';
import { untilTime } from '../../lib/format.js';
import { useMembers } from '../../lib/workspace.js';
import { changedFields, type VersionedField } from './changed-fields.js';
import { ruleVersionsMessages } from './rule-versions-messages.js';
import { versionValue, type Names } from './version-values.js';

interface Props {
  /** At least two, the newest first. */
  versions: readonly RiskRuleVersion[];
  agentName: (id: number) => string;
}

/** What differs between two versions of a rule, field by field. At first, the latest change. */
export function CompareVersions({ versions, agentName }: Props) {
  const { data: members = [] } = useMembers();
  const [[from, to], setChosen] = useState([versions[1]!.version, versions[0]!.version]);
  const find = (version: number) => versions.find((each) => each.version === version) ?? versions[0]!;
  const [before, after] = [find(from).rule, find(to).rule];
  const fields = changedFields(before, after) ?? [];
  const names: Names = {
    agent: agentName,
    person: (id) => members.find((member) => member.id === id)?.name ?? `#${id}`,
  };
  const options = versions.map(({ version, at }) => ({
    value: String(version),
    label: ruleVersionsMessages.version(version, untilTime(at, now())),
  }));
  return (
    <Stack gap="xs" role="group" aria-label={ruleVersionsMessages.compare}>
      <Text size="sm" fw={600}>
        {ruleVersionsMessages.compare}
      </Text>
      <SimpleGrid cols={2} spacing="xs">
        <NativeSelect
          size="xs"
          label={ruleVersionsMessages.from}
          value={String(from)}
          data={options}
          onChange={({ currentTarget: { value } }) => setChosen([Number(value), to])}
        />
        <NativeSelect
          size="xs"
          label={ruleVersionsMessages.to}
          value={String(to)}
          data={options}
          onChange={({ currentTarget: { value } }) => setChosen([from, Number(value)])}
        />
      </SimpleGrid>
      {fields.length === 0 ? (
        <Text size="sm" c="dimmed" role="status">
          {ruleVersionsMessages.same}
        </Text>
      ) : (
        <Differences
          fields={fields}
          said={(field) => [versionValue(before, field, names), versionValue(after, field, names)]}
        />
      )}
    </Stack>
  );
}

interface DifferencesProps {
  fields: readonly VersionedField[];
  said: (field: VersionedField) => [string, string];
}

function Differences({ fields, said }: DifferencesProps) {
  return (
    <Stack component="ul" gap={6} className="plain-list" fz="sm">
      {fields.map((field) => {
        const [before, after] = said(field);
        return (
          <li key={field}>
            <Text span inherit c="dimmed">
              {ruleVersionsMessages.words[field]}:
            </Text>{' '}
            <Value as="del" label={ruleVersionsMessages.before} text={before} /> <span aria-hidden="true">→</span>{' '}
            <Value as="ins" label={ruleVersionsMessages.after} text={after} />
          </li>
        );
      })}
    </Stack>
  );
}

/** Screen readers say which of the two it is, as they do not say how it looks. */
function Value({ as: Element, label, text }: { as: 'del' | 'ins'; label: string; text: string }) {
  return (
    <Element className="anywhere" style={Element === 'ins' ? { textDecoration: 'none', fontWeight: 600 } : undefined}>
      <span className="visually-hidden">{label}: </span>
      <UntrustedText text={text} inline />
    </Element>
  );
}

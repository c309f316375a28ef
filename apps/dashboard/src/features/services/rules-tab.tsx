import type { Service } from '#contracts';
import { Button, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState, type ComponentProps } from 'react';
import { Icon } from '../../components/icon.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState } from '../../components/notices.js';
import { Card, Section } from '../../components/page.js';
import { ruleSentenceMessages } from '../../components/rule-sentence/messages.js';
import { Rows } from '../../components/rows.js';
import { useNow } from '../../lib/clock.js';
import { agentsQuery } from '../../lib/queries.js';
import { useMay } from '../../lib/workspace.js';
import { rulesQuery } from '../../lib/rules-query.js';
import { ruleMatchesQuery } from './api.js';
import { AskForSection } from './ask-for-section.js';
import { rulesMessages } from './rules-messages.js';
import { groupByForce } from './rule-draft.js';
import { findingsOf } from './rule-findings.js';
import { RuleEditor } from './rule-editor.js';
import { RuleRow } from './rule-row.js';
import { RulePresets } from './rule-presets.js';

/** What the editor is open for. */
type Editing = Pick<ComponentProps<typeof RuleEditor>, 'rule' | 'start'>;
const NEW: Editing = { rule: null };

/** The rules of a service in order of precedence. */
export default function RulesTab({ service }: { service: Service }) {
  const query = useQuery(rulesQuery(service.id));
  const { data: agents = [] } = useQuery(agentsQuery);
  const { data: matches = [] } = useQuery(ruleMatchesQuery(service.id));
  const minute = useNow((nowMs) => Math.floor(nowMs / 60_000));
  const findings = useMemo(() => findingsOf(query.data ?? [], matches, minute * 60_000), [query.data, matches, minute]);
  const may = useMay('admin');
  const [editing, setEditing] = useState<Editing | null>(null);
  const agentName = (id: number) => agents.find((agent) => agent.id === id)?.name ?? `#${id}`;
  return (
    <Stack gap="xl">
      <AskForSection service={service} />
      <Section
        title={rulesMessages.title}
        actions={
          may && (
            <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setEditing(NEW)}>
              {rulesMessages.add}
            </Button>
          )
        }
      >
        <Text c="dimmed" mb="md">
          {ruleSentenceMessages.order}
        </Text>
        <Loaded query={query}>
          {(rules) => (
            <Stack gap={20}>
              {may && (
                <RulePresets service={service} rules={rules} edit={(start) => setEditing({ rule: null, start })} />
              )}
              {rules.length === 0 && (
                <EmptyState
                  icon="playground"
                  title={rulesMessages.empty}
                  text={rulesMessages.emptyText}
                  action={
                    may && (
                      <Button variant="default" onClick={() => setEditing(NEW)}>
                        {rulesMessages.add}
                      </Button>
                    )
                  }
                />
              )}
              {groupByForce(rules).map((group) => (
                <div key={group.effect}>
                  <Title order={3} size="sm" fw={500} c="dimmed" mb={6}>
                    {rulesMessages.groups[group.effect]}
                  </Title>
                  <Card padded={false}>
                    <Rows>
                      {group.rules.map((rule) => (
                        <RuleRow
                          key={rule.id}
                          serviceId={service.id}
                          rule={rule}
                          rules={rules}
                          agentName={agentName}
                          findings={findings.get(rule.id)}
                          edit={may ? () => setEditing({ rule }) : null}
                        />
                      ))}
                    </Rows>
                  </Card>
                </div>
              ))}
            </Stack>
          )}
        </Loaded>
        {may && editing && (
          <RuleEditor
            service={service}
            {...editing}
            agents={agents.filter(({ services }) => services.some(({ id }) => id === service.id))}
            agentName={agentName}
            close={() => setEditing(null)}
          />
        )}
      </Section>
    </Stack>
  );
}

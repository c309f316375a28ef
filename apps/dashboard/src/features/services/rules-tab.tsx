import type { RiskRule, Service } from '#contracts';
import { RULE_PRESETS, type RulePreset } from '#contracts/rule-presets';
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Icon } from '../../components/icon.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState } from '../../components/notices.js';
import { Card, Section } from '../../components/page.js';
import { agentsQuery } from '../../lib/queries.js';
import { showDone, showFailure } from '../../lib/toasts.js';
import { createRule, rulesQuery } from './api.js';
import { messages } from './messages.js';
import { groupByForce } from './rule-draft.js';
import { RuleEditor } from './rule-editor.js';
import { RuleRow } from './rule-row.js';
import classes from './rules.module.css';

const text = messages.rules;

/** The rules of a service in order of precedence. */
export default function RulesTab({ service }: { service: Service }) {
  const query = useQuery(rulesQuery(service.id));
  const { data: agents = [] } = useQuery(agentsQuery);
  const [editing, setEditing] = useState<RiskRule | 'new' | null>(null);
  const agentName = (id: number) => agents.find((agent) => agent.id === id)?.name ?? `#${id}`;
  return (
    <Section
      title={text.title}
      actions={
        <Button leftSection={<Icon name="plus" size={16} />} onClick={() => setEditing('new')}>
          {text.add}
        </Button>
      }
    >
      <p className={classes.lead}>{text.lead}</p>
      <Loaded query={query}>
        {(rules) => (
          <div className={classes.groups}>
            {rules.length === 0 && (
              <EmptyState
                icon="playground"
                title={text.empty}
                text={text.emptyText}
                action={
                  <Button variant="default" onClick={() => setEditing('new')}>
                    {text.add}
                  </Button>
                }
              />
            )}
            {groupByForce(rules).map((group) => (
              <div key={group.effect}>
                <h3 className={classes.group}>{text.groups[group.effect]}</h3>
                <Card padded={false}>
                  <ul className={classes.rules}>
                    {group.rules.map((rule) => (
                      <RuleRow
                        key={rule.id}
                        serviceId={service.id}
                        rule={rule}
                        agentName={agentName}
                        edit={() => setEditing(rule)}
                      />
                    ))}
                  </ul>
                </Card>
              </div>
            ))}
            <Presets service={service} rules={rules} />
          </div>
        )}
      </Loaded>
      {editing && (
        <RuleEditor
          service={service}
          rule={editing === 'new' ? null : editing}
          agents={agents.filter(({ services }) => services.some(({ id }) => id === service.id))}
          agentName={agentName}
          close={() => setEditing(null)}
        />
      )}
    </Section>
  );
}

/** Rule sets that suit most services. Sets that the service already has are left out. */
function Presets({ service, rules }: { service: Service; rules: readonly RiskRule[] }) {
  const queryClient = useQueryClient();
  const add = useMutation({
    mutationFn: async (preset: RulePreset) => {
      for (const rule of preset.rules) await createRule(service.id, { ...rule, methods: [...rule.methods] });
    },
    onSuccess: (_, preset) => showDone(text.presetDone(preset.title)),
    onError: showFailure,
    onSettled: () => {
      void queryClient.invalidateQueries({ queryKey: ['audit', 'usage'] });
      return queryClient.invalidateQueries({ queryKey: ['services', service.id] });
    },
  });
  const names = new Set(rules.map(({ name }) => name));
  const offered = RULE_PRESETS.filter((preset) => preset.rules.every((rule) => !names.has(rule.name)));
  if (offered.length === 0) return null;
  return (
    <div>
      <h3 className={classes.group}>{text.presets}</h3>
      <div className={classes.presets}>
        {offered.map((preset) => (
          <button
            key={preset.key}
            type="button"
            className={classes.preset}
            disabled={add.isPending}
            onClick={() => add.mutate(preset)}
          >
            <Icon name="plus" size={16} />
            <span>
              <b>{preset.title}</b>
              <span className={classes.dim}>{preset.description}</span>
            </span>
          </button>
        ))}
      </div>
    </div>
  );
}

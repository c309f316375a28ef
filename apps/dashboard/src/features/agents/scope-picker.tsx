import type { Service } from '#contracts';
import { Checkbox, Fieldset, ScrollArea, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Card } from '../../components/page.js';
import { Rows } from '../../components/rows.js';
import { SearchField } from '../../components/search-field.js';
import { messages } from './messages.js';

interface Props {
  services: readonly Service[];
  chosen: ReadonlySet<number>;
  onChange: (chosen: Set<number>) => void;
}

const SEARCH_FROM = 8;
/** The maximum number of visible checkboxes. All of them render again at each click. */
const SHOWN_MAX = 100;

/** Chooses the services of an agent, and shows the URLs that each one opens. */
export function ScopePicker({ services, chosen, onChange }: Props) {
  const [text, setText] = useState('');
  const wanted = text.trim().toLowerCase();
  const found = services.filter(({ name, baseUrl }) => `${name} ${baseUrl}`.toLowerCase().includes(wanted));
  function toggle(id: number) {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    onChange(next);
  }
  return (
    <Fieldset legend={messages.scope.label}>
      <Stack gap="sm">
        {services.length >= SEARCH_FROM && <SearchField label={messages.scope.find} value={text} onChange={setText} />}
        <Card padded={false}>
          <ScrollArea.Autosize mah={440}>
            <Rows>
              {found.slice(0, SHOWN_MAX).map((service) => (
                <li key={service.id}>
                  <Checkbox
                    checked={chosen.has(service.id)}
                    onChange={() => toggle(service.id)}
                    label={service.name}
                    description={`${service.baseUrl.replace(/\/+$/, '')}/*`}
                    classNames={{ description: 'mono' }}
                    styles={{ description: { overflowWrap: 'anywhere' } }}
                  />
                </li>
              ))}
              {found.length === 0 && (
                <Text component="li" c="dimmed">
                  {messages.scope.none}
                </Text>
              )}
              {found.length > SHOWN_MAX && (
                <Text component="li" c="dimmed">
                  {messages.scope.others(found.length - SHOWN_MAX)}
                </Text>
              )}
            </Rows>
          </ScrollArea.Autosize>
        </Card>
      </Stack>
    </Fieldset>
  );
}

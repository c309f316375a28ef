import type { Service } from '#contracts';
import { Checkbox } from '@mantine/core';
import { useState } from 'react';
import { SearchField } from '../SearchField.js';
import { readBaseUrl } from './base-url.js';
import classes from './connect.module.css';
import { messages } from './messages.js';

interface Props {
  services: readonly Service[];
  chosen: ReadonlySet<number>;
  onChange: (chosen: Set<number>) => void;
}

const SEARCH_FROM = 8;

/** Which services an agent may reach. */
export function ScopePicker({ services, chosen, onChange }: Props) {
  const [text, setText] = useState('');
  const shown = services.filter(({ name, baseUrl }) => `${name} ${baseUrl}`.toLowerCase().includes(text.toLowerCase()));
  function toggle(id: number) {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    onChange(next);
  }
  return (
    <fieldset className={classes.fieldset}>
      <legend className={classes.legend}>{messages.access.label}</legend>
      {services.length >= SEARCH_FROM && <SearchField label={messages.access.filter} value={text} onChange={setText} />}
      <div className={classes.scope}>
        {shown.map((service) => (
          <Checkbox
            key={service.id}
            className={classes.scopeItem}
            checked={chosen.has(service.id)}
            onChange={() => toggle(service.id)}
            label={service.name}
            description={readBaseUrl(service.baseUrl).reach ?? service.baseUrl}
          />
        ))}
        {shown.length === 0 && <div className={classes.none}>{messages.access.none}</div>}
      </div>
    </fieldset>
  );
}

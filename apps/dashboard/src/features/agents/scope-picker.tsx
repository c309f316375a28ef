import type { Service } from '#contracts';
import { Checkbox } from '@mantine/core';
import { useState } from 'react';
import { SearchField } from '../../components/search-field.js';
import classes from './agents.module.css';
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
    <fieldset className={classes.fieldset}>
      <legend className={classes.legend}>{messages.scope.label}</legend>
      {services.length >= SEARCH_FROM && <SearchField label={messages.scope.find} value={text} onChange={setText} />}
      <div className={classes.scope}>
        {found.slice(0, SHOWN_MAX).map((service) => (
          <Checkbox
            key={service.id}
            className={classes.scopeItem}
            classNames={{ description: `mono ${classes.reach}` }}
            checked={chosen.has(service.id)}
            onChange={() => toggle(service.id)}
            label={service.name}
            description={`${service.baseUrl.replace(/\/+$/, '')}/*`}
          />
        ))}
        {found.length === 0 && <div className={classes.none}>{messages.scope.none}</div>}
        {found.length > SHOWN_MAX && (
          <div className={classes.none}>{messages.scope.others(found.length - SHOWN_MAX)}</div>
        )}
      </div>
    </fieldset>
  );
}

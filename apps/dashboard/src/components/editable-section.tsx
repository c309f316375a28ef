import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Card, Section } from './page.js';

interface Props {
  title: string;
  editLabel: string;
  /** The form that replaces the content while the user edits. */
  form: (close: () => void) => ReactNode;
  children: ReactNode;
}

/** A section whose button replaces its content with a form. */
export function EditableSection({ title, editLabel, form, children }: Props) {
  const [editing, setEditing] = useState(false);
  return (
    <Section
      title={title}
      actions={
        !editing && (
          <Button size="xs" variant="default" onClick={() => setEditing(true)}>
            {editLabel}
          </Button>
        )
      }
    >
      <Card>{editing ? form(() => setEditing(false)) : children}</Card>
    </Section>
  );
}

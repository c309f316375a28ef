import { Button } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useMay } from '../lib/workspace.js';
import { Card, Section } from './page.js';

interface Props {
  title: string;
  editLabel: string;
  /** For screen readers, where a page has several of these buttons. */
  editName?: string;
  /** The form that replaces the content while the user edits. */
  form: (close: () => void) => ReactNode;
  children: ReactNode;
}

/** A section whose button replaces its content with a form, for administrators. */
export function EditableSection({ title, editLabel, editName, form, children }: Props) {
  const may = useMay('admin');
  const [open, setOpen] = useState(false);
  const editing = may && open;
  return (
    <Section
      title={title}
      actions={
        may &&
        !editing && (
          <Button size="xs" variant="default" aria-label={editName} onClick={() => setOpen(true)}>
            {editLabel}
          </Button>
        )
      }
    >
      <Card>{editing ? form(() => setOpen(false)) : children}</Card>
    </Section>
  );
}

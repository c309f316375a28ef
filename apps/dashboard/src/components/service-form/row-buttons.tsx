import { ActionIcon, Button, type ActionIconProps } from '@mantine/core';
import { Icon } from '../icon.js';

interface RemoveRowProps extends ActionIconProps {
  label: string;
  remove: () => void;
}

/** Removes one row of a list of inputs. */
export function RemoveRow({ label, remove, ...props }: RemoveRowProps) {
  return (
    <ActionIcon variant="subtle" size={36} aria-label={label} onClick={remove} {...props}>
      <Icon name="cross" size={16} />
    </ActionIcon>
  );
}

/** Adds a row to a list of inputs. */
export function AddRow({ label, add }: { label: string; add: () => void }) {
  return (
    <Button variant="subtle" size="xs" w="fit-content" leftSection={<Icon name="plus" size={14} />} onClick={add}>
      {label}
    </Button>
  );
}

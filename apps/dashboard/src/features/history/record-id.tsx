import { Group } from '@mantine/core';
import { CopyButton } from '../../components/copy-button.js';

/** An id, with a button that copies it. */
export function RecordId({ value }: { value: string }) {
  return (
    <Group gap="xs">
      <span className="mono" translate="no">
        {value}
      </span>
      <CopyButton text={value} variant="subtle" />
    </Group>
  );
}

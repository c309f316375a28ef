import { Chip, Fieldset, Group, Text } from '@mantine/core';
import classes from './chips.module.css';

interface ChipsProps {
  legend: string;
  hint: string;
  value: string[];
  options: readonly { value: string; label: string }[];
  onChange: (value: string[]) => void;
}

/** A choice of any number of short options. */
export function Chips({ legend, hint, value, options, onChange }: ChipsProps) {
  return (
    <Fieldset
      legend={
        <>
          {legend}
          <Text span display="block" c="dimmed" size="sm" fw={400} lh={1.3}>
            {hint}
          </Text>
        </>
      }
    >
      <Chip.Group multiple value={value} onChange={onChange}>
        <Group gap={6}>
          {options.map((option) => (
            <Chip key={option.value} size="xs" radius="sm" value={option.value} classNames={{ label: classes.label }}>
              {option.label}
            </Chip>
          ))}
        </Group>
      </Chip.Group>
    </Fieldset>
  );
}

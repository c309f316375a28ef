import { Group, Radio, SimpleGrid, Text } from '@mantine/core';
import classes from './card-choice.module.css';

interface Props<T extends string> {
  label: string;
  value: T;
  options: readonly { value: T; title: string; text?: string }[];
  onChange: (value: T) => void;
}

/** A choice between a few options, each with an explanation. */
export function CardChoice<T extends string>({ label, value, options, onChange }: Props<T>) {
  return (
    <Radio.Group label={label} value={value} onChange={onChange}>
      <SimpleGrid cols={{ base: 1, sm: options.length % 2 === 0 ? 2 : 3 }} spacing="sm">
        {options.map((option) => (
          <Radio.Card
            key={option.value}
            value={option.value}
            // As with native radio buttons, Tab goes to the chosen one, and the arrow keys continue from there.
            tabIndex={option.value === value ? 0 : -1}
            className={classes.card}
          >
            <Group gap={10} align="flex-start" wrap="nowrap">
              <Radio.Indicator size="xs" mt={3} className={classes.dot} />
              <div>
                <Text size="sm" fw={600}>
                  {option.title}
                </Text>
                {option.text && (
                  <Text size="sm" c="dimmed">
                    {option.text}
                  </Text>
                )}
              </div>
            </Group>
          </Radio.Card>
        ))}
      </SimpleGrid>
    </Radio.Group>
  );
}

import { Text } from '@mantine/core';

/** The text below a heading. */
export function Lead({ children }: { children: string }) {
  return (
    <Text c="dimmed" mb="md">
      {children}
    </Text>
  );
}

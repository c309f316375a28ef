import { ActionIcon, Button, Fieldset, Group, Stack, Text, TextInput } from '@mantine/core';
import { Icon } from '../../../components/icon.js';
import type { RevisionDraft } from './draft.js';
import { messages } from './messages.js';

type Headers = RevisionDraft['headers'];

/** The headers of a request, one row each. */
export function HeaderFields({ headers, onChange }: { headers: Headers; onChange: (headers: Headers) => void }) {
  const set = (at: number, change: Partial<Headers[number]>) =>
    onChange(headers.map((header, index) => (index === at ? { ...header, ...change } : header)));
  return (
    <Fieldset legend={<b>{messages.headers}</b>}>
      <Text size="sm" c="dimmed" mt={-4} mb={6}>
        {messages.headersHint}
      </Text>
      <Stack gap="sm" align="flex-start">
        {headers.map(({ name, value }, at) => (
          <Group key={at} gap={6} w="100%" wrap="nowrap">
            <Group gap={6} flex={1} miw={0}>
              <TextInput
                aria-label={messages.headerName(at + 1)}
                flex="1 1 9rem"
                classNames={{ input: 'mono' }}
                autoComplete="off"
                autoCapitalize="none"
                spellCheck={false}
                value={name}
                onChange={(event) => set(at, { name: event.currentTarget.value })}
              />
              <TextInput
                aria-label={messages.headerValue(at + 1)}
                flex="2 1 12rem"
                classNames={{ input: 'mono' }}
                autoComplete="off"
                autoCapitalize="none"
                spellCheck={false}
                value={value}
                onChange={(event) => set(at, { value: event.currentTarget.value })}
              />
            </Group>
            <ActionIcon
              variant="default"
              size={36}
              aria-label={messages.removeHeader(name)}
              title={messages.removeHeader(name)}
              onClick={() => onChange(headers.filter((_, index) => index !== at))}
            >
              <Icon name="cross" size={16} />
            </ActionIcon>
          </Group>
        ))}
        <Button
          variant="default"
          size="xs"
          leftSection={<Icon name="plus" size={14} />}
          onClick={() => onChange([...headers, { name: '', value: '' }])}
        >
          {messages.addHeader}
        </Button>
      </Stack>
    </Fieldset>
  );
}

import { CATALOGUE, searchCatalogue } from '#catalogue';
import { Button, Group, SimpleGrid, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Icon } from '../icon.js';
import { SearchField } from '../search-field.js';
import { serviceFormMessages } from './messages.js';

/** Shown before a search. */
const POPULAR = [
  ...['github', 'gitlab', 'slack', 'stripe', 'notion', 'jira'],
  ...['gmail', 'google-calendar', 'microsoft-graph', 'hubspot', 'salesforce', 'cloudflare'],
];

/** Finds an API by its name or by what it is for. @param choose gets null for an API that is not in the catalogue */
export function CatalogueSearch({ choose }: { choose: (id: string | null) => void }) {
  const [query, setQuery] = useState('');
  const [all, setAll] = useState(false);
  const searched = query.trim() !== '';
  const found = searchCatalogue(query).filter(({ id }) => searched || all || POPULAR.includes(id));
  return (
    <Stack>
      <SearchField label={serviceFormMessages.findApi} value={query} onChange={setQuery} />
      <Text role="status" size="sm" c="dimmed">
        {searched ? serviceFormMessages.foundApis(found.length) : serviceFormMessages.allCount(CATALOGUE.length)}
      </Text>
      <SimpleGrid cols={{ base: 2, sm: 3 }} spacing="sm">
        {found.map(({ id, name }) => (
          <Button key={id} variant="default" justify="flex-start" h={44} fw={400} onClick={() => choose(id)}>
            {name}
          </Button>
        ))}
      </SimpleGrid>
      <Group>
        {!searched && !all && (
          <Button variant="default" onClick={() => setAll(true)}>
            {serviceFormMessages.showAll(CATALOGUE.length)}
          </Button>
        )}
        <Button
          variant={searched && found.length === 0 ? 'filled' : 'default'}
          leftSection={<Icon name="plus" size={16} />}
          onClick={() => choose(null)}
        >
          {serviceFormMessages.blank}
        </Button>
      </Group>
    </Stack>
  );
}

import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'react-router';
import { Loaded } from '../../components/loaded.js';
import { EmptyState } from '../../components/notices.js';
import { Card, Page } from '../../components/page.js';
import { Rows } from '../../components/rows.js';
import { SearchField } from '../../components/search-field.js';
import { servicesQuery } from '../../lib/queries.js';
import { orderServices, withoutScheme } from './listing.js';
import { messages } from './messages.js';

/** The names of the services and their hosts, for people who only decide. */
export function ServiceNames() {
  const [search, setSearch] = useSearchParams();
  const query = useQuery(servicesQuery);
  const text = search.get('q') ?? '';
  return (
    <Page title={messages.title} lead={messages.namesLead} width="text">
      <Stack>
        <SearchField
          maw={420}
          label={messages.search}
          value={text}
          onChange={(value) => setSearch(value ? { q: value } : {}, { replace: true })}
        />
        <Loaded query={query}>
          {(services) => {
            const found = orderServices(
              services.map((service) => ({ ...service, usage: undefined })),
              text,
              'name',
            );
            if (found.length === 0) return <EmptyState icon="services" title={messages.noneFound} />;
            return (
              <Card padded={false}>
                <Rows>
                  {found.map(({ id, name, baseUrl }) => (
                    <Text key={id} component="li" px="lg" py="sm">
                      <Text span inherit fw={600} translate="no">
                        {name}
                      </Text>{' '}
                      <Text span c="dimmed" className="mono" translate="no">
                        {withoutScheme(baseUrl)}
                      </Text>
                    </Text>
                  ))}
                </Rows>
              </Card>
            );
          }}
        </Loaded>
      </Stack>
    </Page>
  );
}

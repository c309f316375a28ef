import { Group, NativeSelect, Stack, Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useSearchParams } from 'react-router';
import { ListPage } from '../../components/list-page.js';
import { SearchField } from '../../components/search-field.js';
import { PageSkeleton } from '../../components/skeletons.js';
import { now } from '../../lib/clock.js';
import { servicesQuery } from '../../lib/queries.js';
import { useRole } from '../../lib/workspace.js';
import { DemoNotice } from './demo-notice.js';
import { type ServiceOrder } from './listing.js';
import { messages } from './messages.js';
import { rotationDue } from '../../lib/rotation-due.js';
import { ServiceList } from './service-list.js';
import { ServiceNames } from './service-names.js';

/** An approver sees what the services are called. */
export function Component() {
  const role = useRole();
  if (role === null) return <PageSkeleton />;
  return role === 'approver' ? <ServiceNames /> : <Services />;
}

/** Lists all services of the workspace. The URL has the search and the sort order. */
function Services() {
  const [search, setSearch] = useSearchParams();
  const query = useQuery(servicesQuery);
  const text = search.get('q') ?? '';
  const due = search.has('due');
  const order = (search.get('sort') ?? 'name') as ServiceOrder;
  const set = (name: string, value: string) =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        if (value) next.set(name, value);
        else next.delete(name);
        next.delete('page');
        return next;
      },
      { replace: true },
    );
  return (
    <ListPage text={messages} addTo="/services/new" icon="services" query={query}>
      {(services) => (
        <Stack>
          <Group gap="sm">
            <SearchField
              flex="1 1 200px"
              maw={420}
              label={messages.search}
              value={text}
              onChange={(value) => set('q', value)}
            />
            <NativeSelect
              aria-label={messages.sort}
              value={order}
              onChange={(event) => set('sort', event.currentTarget.value)}
              data={(['name', 'requests', 'rotated'] as const).map((each) => ({
                value: each,
                label: messages.sorts[each],
              }))}
            />
            <Switch
              label={messages.rotation.filter.label}
              checked={due}
              onChange={(event) => set('due', event.currentTarget.checked ? '1' : '')}
            />
          </Group>
          <DemoNotice services={services} />
          <ServiceList
            services={due ? services.filter((service) => rotationDue(service, now()) !== null) : services}
            text={text}
            order={order}
            due={due}
            clear={() => setSearch({}, { replace: true })}
          />
        </Stack>
      )}
    </ListPage>
  );
}

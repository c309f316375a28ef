import { CATALOGUE } from '#catalogue';
import { Button, Stack } from '@mantine/core';
import { useSearchParams } from 'react-router';
import { mayLeave } from '../../lib/unsaved.js';
import { Icon } from '../icon.js';
import { CatalogueSearch } from './catalogue-search.js';
import type { ConnectProps } from './connect-props.js';
import { EntryForm } from './entry-form.js';
import { serviceFormMessages } from './messages.js';
import { ServiceForm } from './service-form.js';

const OTHER = 'other';

/** Connects an API: one of the catalogue, or any other. The URL says which one. */
export function ConnectApi(props: ConnectProps) {
  const [search, setSearch] = useSearchParams();
  const api = search.get('api');
  const entry = CATALOGUE.find(({ id }) => id === api);
  if (!entry && api !== OTHER) return <CatalogueSearch choose={(id) => setSearch({ api: id ?? OTHER })} />;
  return (
    <Stack>
      <Button
        variant="subtle"
        size="xs"
        w="fit-content"
        ms={-14}
        leftSection={<Icon name="back" size={16} />}
        onClick={() => mayLeave() && setSearch({})}
      >
        {serviceFormMessages.allApis}
      </Button>
      {entry ? <EntryForm key={entry.id} entry={entry} {...props} /> : <ServiceForm {...props} />}
    </Stack>
  );
}

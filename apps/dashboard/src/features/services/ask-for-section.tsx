import type { Service } from '#contracts';
import { Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { EditableSection } from '../../components/editable-section.js';
import { AskForField } from '../../components/effects/ask-for-field.js';
import { askForMessages } from '../../components/effects/ask-for-messages.js';
import { AskedWords } from '../../components/effects/asked-words.js';
import { askedInOrder } from '../../components/effects/told.js';
import { FormFoot } from '../../components/form-foot.js';
import { whyMessages } from '../../lib/why-messages.js';
import { queryKeys } from '../../lib/query-keys.js';
import { showDone } from '../../lib/toasts.js';
import { useUnsaved } from '../../lib/unsaved.js';
import { updateService } from './api.js';
import { askForSectionMessages } from './ask-for-messages.js';
import { backtestQuery } from './backtest.js';
import { BacktestResult } from './backtest-result.js';

/** What a service asks people about, below its rules and above the risk score. */
export function AskForSection({ service }: { service: Service }) {
  return (
    <EditableSection
      title={askForMessages.title}
      editLabel={askForSectionMessages.edit}
      editName={askForSectionMessages.editLabel}
      form={(close) => <AskForEditor service={service} close={close} />}
    >
      <Stack gap="sm">
        {service.askFor.length > 0 && <Text size="sm">{askForSectionMessages.asks}</Text>}
        <AskedWords words={service.askFor} />
      </Stack>
    </EditableSection>
  );
}

const PAUSE_MS = 600;

/** Before a change can be saved, it is tried on the latest requests. */
function AskForEditor({ service, close }: { service: Service; close: () => void }) {
  const queryClient = useQueryClient();
  const [askFor, setAskFor] = useState(() => askedInOrder(service.askFor));
  const changed = askFor.join() !== askedInOrder(service.askFor).join();
  useUnsaved(changed);
  const [settled] = useDebouncedValue(askFor, PAUSE_MS);
  const query = useQuery({ ...backtestQuery(service.id, { askFor: settled }), enabled: changed && settled === askFor });
  const busy = settled !== askFor || query.isPending || query.isFetching;
  const save = useMutation({
    mutationFn: () => updateService(service.id, { askFor }),
    onSuccess: () => {
      showDone(askForSectionMessages.saved);
      close();
      return queryClient.invalidateQueries({ queryKey: queryKeys.services.all });
    },
  });
  const why = !changed ? whyMessages.unchanged : busy ? askForSectionMessages.waits : null;
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (why === null) save.mutate();
      }}
    >
      <Stack>
        <AskForField isTitled value={askFor} onChange={setAskFor} />
        {changed && (
          <BacktestResult
            query={query}
            busy={busy}
            concerns={({ matched, of }) => askForSectionMessages.backtest.asks(matched, of)}
          />
        )}
        <FormFoot label={askForSectionMessages.save} why={why} save={save} cancel={close} />
      </Stack>
    </form>
  );
}

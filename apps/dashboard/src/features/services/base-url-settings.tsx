import type { Service, UpdateServiceRequest } from '#contracts';
import { PREFER_WAIT_MAX_SECONDS } from '#contracts/limits';
import { Group, Stack, Switch, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { CopyButton } from '../../components/copy-button.js';
import { FormFoot } from '../../components/form-foot.js';
import { Card, Section } from '../../components/page.js';
import { Terms } from '../../components/terms.js';
import { whyMessages } from '../../lib/why-messages.js';
import { queryKeys } from '../../lib/query-keys.js';
import { showDone } from '../../lib/toasts.js';
import { useMay } from '../../lib/workspace.js';
import { useUnsaved } from '../../lib/unsaved.js';
import { updateService } from './api.js';
import { messages } from './messages.js';

const text = messages.baseUrl;

/** The service's base URL on the gateway, and its default settings. Programs can override them in their base URL. */
export function BaseUrlSettings({ service }: { service: Service }) {
  const may = useMay('admin');
  const url = `${window.location.origin}/s/${encodeURIComponent(service.name)}`;
  return (
    <Section title={text.title}>
      <Card>
        <Stack>
          <span>{text.lead}</span>
          <Group justify="space-between">
            <span className="mono anywhere" translate="no">
              {url}
            </span>
            <CopyButton text={url} label={text.copy} />
          </Group>
          {may ? <Settings service={service} /> : <Facts service={service} />}
        </Stack>
      </Card>
    </Section>
  );
}

function Facts({ service: { rewriteLinks, requestCodings, baseUrlDefaults } }: { service: Service }) {
  return (
    <Terms
      items={[
        [text.bodies, text.yesNo(rewriteLinks === 'bodies')],
        [text.keyless, text.yesNo(baseUrlDefaults.idempotency === 'none')],
        [text.wait, String(baseUrlDefaults.wait)],
        [text.codings, text.yesNo(requestCodings === 'keep')],
      ]}
    />
  );
}

function Settings({ service }: { service: Service }) {
  const queryClient = useQueryClient();
  const { rewriteLinks, requestCodings, baseUrlDefaults } = service;
  const form = useForm({
    initialValues: {
      bodies: rewriteLinks === 'bodies',
      keyless: baseUrlDefaults.idempotency === 'none',
      wait: String(baseUrlDefaults.wait),
      codings: requestCodings === 'keep',
    },
  });
  const { bodies, keyless, wait, codings } = form.values;
  const waitIsValid = /^\d+$/.test(wait) && Number(wait) <= PREFER_WAIT_MAX_SECONDS;
  const change: UpdateServiceRequest = {
    rewriteLinks: bodies ? 'bodies' : 'headers',
    ...(codings !== (requestCodings === 'keep') && { requestCodings: codings ? 'keep' : 'decode' }),
    baseUrlDefaults: { idempotency: keyless ? 'none' : 'required', wait: Number(wait) },
  };
  const changed =
    change.rewriteLinks !== rewriteLinks ||
    change.requestCodings !== undefined ||
    change.baseUrlDefaults?.idempotency !== baseUrlDefaults.idempotency ||
    change.baseUrlDefaults.wait !== baseUrlDefaults.wait;
  useUnsaved(changed || !waitIsValid);
  const why = !waitIsValid ? whyMessages.marked : changed ? null : whyMessages.unchanged;
  const save = useMutation({
    mutationFn: () => updateService(service.id, change),
    onSuccess: () => {
      showDone(messages.overview.saved);
      return queryClient.invalidateQueries({ queryKey: queryKeys.services.all });
    },
  });
  return (
    <form
      onSubmit={form.onSubmit(() => {
        if (why === null) save.mutate();
      })}
    >
      <Stack>
        <Switch
          label={text.bodies}
          description={text.bodiesHint}
          {...form.getInputProps('bodies', { type: 'checkbox' })}
        />
        <Switch
          label={text.keyless}
          description={text.keylessHint}
          {...form.getInputProps('keyless', { type: 'checkbox' })}
        />
        <TextInput
          label={text.wait}
          description={text.waitHint}
          inputMode="numeric"
          autoComplete="off"
          {...form.getInputProps('wait')}
          error={waitIsValid ? undefined : text.badWait(PREFER_WAIT_MAX_SECONDS)}
        />
        <Switch
          label={text.codings}
          description={text.codingsHint}
          {...form.getInputProps('codings', { type: 'checkbox' })}
        />
        <FormFoot label={text.save} why={why} save={save} />
      </Stack>
    </form>
  );
}

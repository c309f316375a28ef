import type { Service } from '#contracts';
import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { sharedMessages } from '../../lib/messages.js';
import { useReturnFocus } from '../../lib/return-focus.js';
import { messages } from './messages.js';
import { RotationImpact } from './rotation-impact.js';

const text = messages.rotation.reconnect;

interface Props {
  service: Service;
  busy: boolean;
  onConfirm: () => void;
  close: () => void;
}

/** Explains the effects of a new sign-in before it replaces a working connection. */
export function ReconnectDialog({ service, busy, onConfirm, close }: Props) {
  useReturnFocus();
  const url = service.oauth?.authorizationUrl ?? '';
  const host = URL.canParse(url) ? new URL(url).host : url;
  return (
    <Modal opened onClose={close} title={text.title(service.name)}>
      <Stack>
        <Text>
          {text.text(host)} {text.meanwhile}
        </Text>
        <RotationImpact service={service} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={close}>
            {sharedMessages.actions.cancel}
          </Button>
          <Button loading={busy} onClick={onConfirm} data-autofocus>
            {text.confirm(host)}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

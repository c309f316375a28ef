import type { Channel } from '#contracts';
import { Button } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import { messages } from './messages.js';
import { RemoveChannel } from './remove-channel.js';
import { RotateSecret } from './rotate-secret.js';

const Deliveries = lazy(() => import('./deliveries.js'));
const text = messages.card;

interface Props {
  channel: Channel;
  edit: () => void;
  onSecret: (secret: string, done: string) => void;
}

/** The buttons of a channel, and the dialogs that they open. */
export function ChannelButtons({ channel, edit, onSecret }: Props) {
  const { name, type } = channel;
  const [open, setOpen] = useState<'deliveries' | 'rotate' | 'remove' | null>(null);
  const close = () => setOpen(null);
  const buttons = [
    { label: text.deliveries, name: text.deliveriesFor(name), run: () => setOpen('deliveries') },
    { label: text.edit, name: text.editIt(name), run: edit },
    ...(type === 'webhook' ? [{ label: text.rotate, name: text.rotateIt(name), run: () => setOpen('rotate') }] : []),
    { label: text.remove, name: text.removeIt(name), run: () => setOpen('remove') },
  ];
  return (
    <>
      {buttons.map(({ label, name: full, run }) => (
        <Button key={label} size="xs" px={10} variant="default" aria-label={full} onClick={run}>
          {label}
        </Button>
      ))}
      <Suspense>{open === 'deliveries' && <Deliveries channel={channel} close={close} />}</Suspense>
      {open === 'rotate' && <RotateSecret channel={channel} close={close} onSecret={onSecret} />}
      {open === 'remove' && <RemoveChannel channel={channel} close={close} />}
    </>
  );
}

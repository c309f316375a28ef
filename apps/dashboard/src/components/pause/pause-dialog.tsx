import { PAUSE_REASON_MAX } from '#contracts/limits';
import { Modal, Stack, Text, TextInput } from '@mantine/core';
import { useState } from 'react';
import { useReturnFocus } from '../../lib/return-focus.js';
import { useUnsaved } from '../../lib/unsaved.js';
import { FormFoot } from '../form-foot.js';
import { pauseMessages } from './messages.js';

interface Props {
  title: string;
  lead: string;
  /** The reason that is filled in, because a pause can be urgent. */
  suggested?: string;
  /** Shown instead of the ordinary hint, if a pause needs no reason. */
  optional?: string;
  save: { isPending: boolean; error: Error | null };
  /** @param reason empty: none */
  onPause: (reason: string) => void;
  close: () => void;
}

/** Asks why something is paused. */
export function PauseDialog({ title, lead, suggested = '', optional, save, onPause, close }: Props) {
  useReturnFocus();
  const [reason, setReason] = useState(suggested);
  const given = reason.trim();
  const mayClose = useUnsaved(reason !== suggested && !save.isPending);
  const why = given === '' && optional === undefined ? pauseMessages.why : null;
  return (
    <Modal opened onClose={() => mayClose() && close()} title={title}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (why === null) onPause(given);
        }}
      >
        <Stack>
          <Text>{lead}</Text>
          <TextInput
            data-autofocus
            label={pauseMessages.reason}
            description={optional ?? pauseMessages.reasonHint}
            maxLength={PAUSE_REASON_MAX}
            value={reason}
            onFocus={(event) => event.currentTarget.select()}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
          <FormFoot atEnd label={pauseMessages.submit} why={why} save={save} cancel={close} />
        </Stack>
      </form>
    </Modal>
  );
}

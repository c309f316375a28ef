import { Button, Group } from '@mantine/core';
import { failure } from '../lib/http.js';
import { sharedMessages } from '../lib/messages.js';
import { Callout } from './notices.js';
import { SubmitButton } from './submit-button.js';

interface Props {
  label: string;
  /** Why the form can't be submitted. null if it can be. */
  why: string | null;
  /** The request that submits the form. */
  save: { isPending: boolean; error: unknown };
  /** Closes the form, or discards the changes. */
  cancel?: () => void;
  cancelLabel?: string;
  /** In a dialog: the buttons are at its end, as in every dialog. */
  atEnd?: boolean;
}

/** The end of a form: the error of the last try and the buttons. */
export function FormFoot({
  label,
  why,
  save,
  cancel,
  cancelLabel = sharedMessages.actions.cancel,
  atEnd = false,
}: Props) {
  const cancelButton = cancel && (
    <Button variant="default" onClick={cancel}>
      {cancelLabel}
    </Button>
  );
  return (
    <>
      <FormError error={save.error} />
      <Group gap="sm" justify={atEnd ? 'flex-end' : undefined}>
        {atEnd && cancelButton}
        <SubmitButton atEnd={atEnd} why={why} loading={save.isPending}>
          {label}
        </SubmitButton>
        {!atEnd && cancelButton}
      </Group>
    </>
  );
}

/**
 * The error of the last try. The empty element is there from the start, so that screen readers announce its content.
 */
export function FormError({ error }: { error: unknown }) {
  return <div role="alert">{error ? <Callout tone="danger">{failure(error).message}</Callout> : null}</div>;
}

import { Button, Group } from '@mantine/core';
import { failure } from '../lib/http.js';
import { messages } from '../lib/messages.js';
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
}

/** The end of a form: the error of the last try and the buttons. */
export function FormFoot({ label, why, save, cancel, cancelLabel = messages.actions.cancel }: Props) {
  return (
    <>
      <FormError error={save.error} />
      <Group gap="sm">
        <SubmitButton why={why} loading={save.isPending}>
          {label}
        </SubmitButton>
        {cancel && (
          <Button variant="default" onClick={cancel}>
            {cancelLabel}
          </Button>
        )}
      </Group>
    </>
  );
}

/** The error of the last try. The empty element is there from the start, so that screen readers announce its content. */
export function FormError({ error }: { error: unknown }) {
  return <div role="alert">{error ? <Callout tone="danger">{failure(error).message}</Callout> : null}</div>;
}

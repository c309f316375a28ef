import type { Service } from '#contracts';
import { Fieldset, Input, Modal, SegmentedControl, Stack, Text, TextInput } from '@mantine/core';
import { Callout } from '../../components/notices.js';
import { CredentialInputs } from '../../components/service-form/credential-inputs.js';
import { failure } from '../../lib/http.js';
import { firstField } from '../../lib/first-field.js';
import { useReturnFocus } from '../../lib/return-focus.js';
import { useUnsaved } from '../../lib/unsaved.js';
import { testTone } from './connection-test.js';
import { CredentialsReplaced } from './credentials-replaced.js';
import { messages } from './messages.js';
import { credentialsMessages } from './credentials-messages.js';
import { RotateButtons } from './rotate-buttons.js';
import { RotationImpact } from './rotation-impact.js';
import { verdictOn } from './rotation-verdict.js';
import { useRotation, type Rotation } from './use-rotation.js';

const grace = messages.rotation.grace;

/** Replaces all credentials together. It tests the new ones first. If the API rejects them, the user decides. */
export function RotateDialog({ service, close }: { service: Service; close: () => void }) {
  useReturnFocus();
  const rotation = useRotation(service);
  const { replace } = rotation;
  const mayClose = useUnsaved(rotation.anything);
  return (
    <Modal
      opened
      onClose={() => mayClose() && close()}
      title={credentialsMessages.dialog(service.name)}
      size="lg"
      closeOnClickOutside={!rotation.anything}
    >
      {replace.isSuccess ? (
        <CredentialsReplaced
          count={replace.data.credentialKeys.length}
          missing={replace.data.missingCredentials}
          tested={replace.variables}
          replaced={hasCredentials(service)}
          keptUntil={service.previousCredentials?.expiresAt ?? null}
          close={close}
        />
      ) : (
        <RotationForm service={service} rotation={rotation} close={close} />
      )}
    </Modal>
  );
}

const hasCredentials = ({ credentials }: Service): boolean => Object.keys(credentials).length > 0;

interface Parts {
  service: Service;
  rotation: Rotation;
}

function RotationForm({ service, rotation, close }: Parts & { close: () => void }) {
  const { removed, anything, busy, why, doubtful, test, replace } = rotation;
  return (
    <form
      ref={firstField}
      onSubmit={(event) => {
        event.preventDefault();
        rotation.testAndSave();
      }}
    >
      <Stack>
        {hasCredentials(service) && <RotationImpact service={service} />}
        <Text c="dimmed" size="sm">
          {service.oauth
            ? credentialsMessages.newSecret[service.oauth.grant]
            : `${credentialsMessages.all} ${credentialsMessages.needs(service.authType)}`}
        </Text>
        <RotationFields service={service} rotation={rotation} />
        {removed.length > 0 && anything && (
          <Callout tone="warning">{credentialsMessages.removed(removed.join(', '))}</Callout>
        )}
        <Faults service={service} rotation={rotation} />
        <RotateButtons
          doubtful={doubtful !== null}
          replacing={hasCredentials(service)}
          why={why}
          testing={test.isPending}
          busy={busy}
          saveAnyway={() => replace.mutate(null)}
          close={close}
        />
      </Stack>
    </form>
  );
}

/** The fields are locked during the test, so that the tested values are saved. */
function RotationFields({ service, rotation }: Parts) {
  return (
    <Fieldset disabled={rotation.busy}>
      <Stack>
        <CredentialInputs authType={service.authType} rows={rotation.rows} onChange={rotation.changeRows} />
        {service.oauth?.grant !== 'authorization_code' && (
          <TextInput
            label={credentialsMessages.testPath}
            description={credentialsMessages.testPathHint(service.baseUrl)}
            placeholder={messages.test.pathPlaceholder}
            classNames={{ input: 'mono' }}
            autoComplete="off"
            spellCheck={false}
            value={rotation.path}
            error={rotation.badPath ? messages.test.badPath : undefined}
            onChange={(event) => rotation.setPath(event.currentTarget.value)}
          />
        )}
        {hasCredentials(service) && <GraceChoice hours={rotation.graceHours} onChange={rotation.setGraceHours} />}
      </Stack>
    </Fieldset>
  );
}

/** What went wrong, and what the test found. */
function Faults({ service, rotation: { test, replace, doubtful, asked } }: Parts) {
  return (
    <div role="alert">
      {test.isError && <Callout tone="danger">{failure(test.error).message}</Callout>}
      {replace.isError && <Callout tone="danger">{failure(replace.error).message}</Callout>}
      {doubtful && (
        <Callout tone={testTone(doubtful)}>
          {verdictOn(doubtful)}{' '}
          {asked !== null && !doubtful.clientSecret && <span className="anywhere">{messages.test.asked(asked)}. </span>}
          {hasCredentials(service) ? credentialsMessages.nothingStored : credentialsMessages.nothingStoredNew}
        </Callout>
      )}
    </div>
  );
}

/** How long the old credentials are kept. */
function GraceChoice({ hours, onChange }: { hours: number; onChange: (hours: number) => void }) {
  return (
    <Input.Wrapper label={grace.label} labelElement="div" description={grace.hint}>
      <div>
        <SegmentedControl
          aria-label={grace.label}
          value={String(hours)}
          data={Object.entries(grace.hours).map(([value, label]) => ({ value, label }))}
          onChange={(value) => onChange(Number(value))}
        />
      </div>
    </Input.Wrapper>
  );
}

import type { Service, ServiceUsage } from '#contracts';
import { CREDENTIAL_MASK } from '#contracts/headers';
import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { Link } from 'react-router';
import { DataTable, type Column } from '../../components/data-table.js';
import { Callout } from '../../components/notices.js';
import { Card, Section } from '../../components/page.js';
import { RelativeTime } from '../../components/time.js';
import { useNow } from '../../lib/clock.js';
import { ago } from '../../lib/format.js';
import { useMay } from '../../lib/workspace.js';
import { ConnectButton } from './connect-button.js';
import { ConnectionTest } from './connection-test.js';
import { wereReplaced } from './credential-state.js';
import { credentialsMessages } from './credentials-messages.js';
import { PreviousCredentials } from './previous-credentials.js';
import { risenRejections } from '../../lib/rejections.js';
import { RotateDialog } from './rotate-dialog.js';
import { RotationReminder } from './rotation-reminder.js';
import { formatPlaces } from './sent-as.js';

const DAY_MS = 86_400_000;

/**
 * The names and age of the stored credentials, and for administrators a button to replace them. Values are never shown.
 */
export function CredentialsTab({ service, usage }: { service: Service; usage: ServiceUsage | undefined }) {
  const [rotating, setRotating] = useState(false);
  const may = useMay('admin');
  return (
    <>
      <CredentialNotice service={service} usage={usage} />
      <Section
        title={credentialsMessages.title}
        actions={
          may && service.authType !== 'none' ? (
            <ReplaceButtons service={service} rotate={() => setRotating(true)} />
          ) : null
        }
      >
        <Text c="dimmed" mb="md">
          {service.authType === 'none' ? credentialsMessages.notNeeded : credentialsMessages.lead}
        </Text>
        {Object.keys(service.credentials).length > 0 && (
          <Card padded={false}>
            <DataTable
              caption={credentialsMessages.title}
              columns={toColumns(service)}
              rows={Object.keys(service.credentials)}
              rowKey={(name) => name}
            />
          </Card>
        )}
      </Section>
      <PreviousCredentials service={service} />
      {service.authType !== 'none' && <RotationReminder key={service.rotateEveryDays} service={service} />}
      {may && (
        <Card>
          <ConnectionTest service={service} />
        </Card>
      )}
      {rotating && <RotateDialog service={service} close={() => setRotating(false)} />}
    </>
  );
}

/** Tells if credentials are missing, or if the API rejects them. */
function CredentialNotice({ service, usage }: { service: Service; usage: ServiceUsage | undefined }) {
  const { missingCredentials: missing, credentialsRotatedAt } = service;
  const unauthorized = usage?.unauthorized24h ?? 0;
  const storedToday = useNow((now) =>
    credentialsRotatedAt !== null && now - Date.parse(credentialsRotatedAt) < DAY_MS
      ? ago(credentialsRotatedAt, now)
      : '',
  );
  if (missing.length > 0) return <Callout tone="danger">{credentialsMessages.missing(missing.join(', '))}</Callout>;
  if (risenRejections(usage) !== null) return null;
  if (service.credentialsRejected) return <Callout tone="danger">{credentialsMessages.rejected}</Callout>;
  if (unauthorized === 0) return null;
  return (
    <Callout tone="warning">
      {credentialsMessages.expired(unauthorized, storedToday)}{' '}
      <Link to={`/history?service=${service.id}&status=4&range=24h`}>{credentialsMessages.seeThem}</Link>
    </Callout>
  );
}

function ReplaceButtons({ service, rotate }: { service: Service; rotate: () => void }) {
  if (!service.oauth) return <Button onClick={rotate}>{credentialsMessages.rotate}</Button>;
  return (
    <Group gap="sm" justify="flex-end">
      <Button variant="default" onClick={rotate}>
        {credentialsMessages.rotateSecret}
      </Button>
      <ConnectButton service={service} />
    </Group>
  );
}

function toColumns(service: Service): Column<string>[] {
  return [
    {
      key: 'name',
      label: credentialsMessages.name,
      phone: 'title',
      cell: (name) => (
        <b className="mono" translate="no">
          {name}
        </b>
      ),
    },
    {
      key: 'value',
      label: credentialsMessages.value,
      cell: () => (
        <Text span c="dimmed" className="mono" translate="no" lts={1}>
          {CREDENTIAL_MASK}
        </Text>
      ),
    },
    {
      key: 'sent',
      label: credentialsMessages.sentAs,
      cell: (name) => (
        <span className="mono" translate="no">
          {formatPlaces(service, name)}
        </span>
      ),
    },
    {
      key: 'rotated',
      label: wereReplaced(service) ? credentialsMessages.rotated : credentialsMessages.added,
      cell: () =>
        service.credentialsRotatedAt === null ? (
          credentialsMessages.never
        ) : (
          <span>
            <RelativeTime at={service.credentialsRotatedAt} />{' '}
            {service.credentialsRotatedBy && (
              <Text span c="dimmed" size="sm">
                {credentialsMessages.by(service.credentialsRotatedBy.name)}
              </Text>
            )}
          </span>
        ),
    },
  ];
}

import type { Service } from '#contracts';
import { isAtLeast } from '#contracts/states';
import { Button, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link, Navigate } from 'react-router';
import { AccountFrame } from '../../components/account-frame.js';
import { ErrorCard } from '../../components/notices.js';
import { Card } from '../../components/page.js';
import { Rows } from '../../components/rows.js';
import { PageSkeleton } from '../../components/skeletons.js';
import { agentsQuery, meQuery, servicesQuery, setupStateQuery, workspacesQuery } from '../../lib/queries.js';
import { useSession } from '../../lib/session.js';
import { workspaceId } from '../../lib/workspace-choice.js';
import { AccountStep } from './account-step.js';
import { AgentStep } from './agent-step.js';
import { messages } from './messages.js';
import { ServiceStep } from './service-step.js';
import { Step } from './step.js';

/**
 * The setup in three steps on one page. The progress comes from the server, so the user can leave and continue later.
 */
export function Component() {
  const active = useSession() === 'active';
  const setup = useQuery({ ...setupStateQuery, enabled: !active });
  const workspaces = useQuery({ ...workspacesQuery, enabled: active });
  const me = useQuery({ ...meQuery, enabled: active });
  const services = useQuery({ ...servicesQuery, enabled: active });
  const agents = useQuery({ ...agentsQuery, enabled: active });
  const [skipped, setSkipped] = useState<{ service?: boolean; agent?: boolean }>({});
  /** The service created here, and its test path. The step stays open to show the test. */
  const [made, setMade] = useState<{ service: Service; testPath: string | null } | null>(null);
  useEffect(() => {
    document.title = messages.title;
  }, []);

  if (!active) {
    if (setup.isError) return <ErrorCard error={setup.error} retry={() => void setup.refetch()} />;
    if (!setup.data) return <PageSkeleton />;
    if (!setup.data.setupRequired && !setup.data.registrationOpen)
      return <Navigate to="/login?next=%2Fsetup" replace />;
  }
  // The page for new services tells the person whom to ask.
  const role = workspaces.data?.find(({ id }) => id === workspaceId())?.role;
  if (workspaces.data && !(role && isAtLeast(role, 'admin'))) return <Navigate to="/services/new" replace />;
  const first = services.data?.[0] ?? null;
  const serviceDone = made !== null || first !== null || skipped.service === true;
  const agentOpen = active && serviceDone && (made !== null || first !== null);
  return (
    <AccountFrame wide>
      <Title fz={26}>{messages.title}</Title>
      <Text c="dimmed" mt="xs" mb="xl">
        {messages.lead}
      </Text>
      <Card padded={false}>
        <Rows ordered>
          <Step number={1} title={messages.account.title} done={active} open={!active} summary={me.data?.email}>
            <AccountStep tokenRequired={setup.data?.setupTokenRequired ?? false} />
          </Step>
          <Step
            number={2}
            title={messages.service.title}
            lead={messages.service.lead}
            done={serviceDone}
            open={active && services.isSuccess && (!serviceDone || made !== null)}
            summary={skipped.service ? messages.skipped : first?.name}
            skip={made ? undefined : () => setSkipped({ ...skipped, service: true })}
          >
            <ServiceStep made={made} onMade={setMade} />
          </Step>
          <Step
            number={3}
            title={messages.agent.title}
            lead={messages.agent.lead}
            done={skipped.agent === true}
            open={agentOpen && agents.isSuccess && !skipped.agent}
            summary={skipped.agent ? messages.skipped : active && serviceDone ? messages.agent.none : undefined}
            skip={agents.data?.length ? undefined : () => setSkipped({ ...skipped, agent: true })}
          >
            <AgentStep
              services={services.data ?? []}
              existing={agents.data?.[0] ?? null}
              testPath={made?.testPath ?? null}
            />
          </Step>
        </Rows>
      </Card>
      {active && (
        <Button component={Link} to="/approvals" variant="default" size="md" mt={20}>
          {messages.finish}
        </Button>
      )}
    </AccountFrame>
  );
}

import { EmptyState } from '../../components/notices.js';
import { Page } from '../../components/page.js';
import { CreateWorkspace } from './create-workspace.js';
import { messages } from './messages.js';

const text = messages.none;

/** For a person who was removed from the last workspace. */
export default function NoWorkspace() {
  return (
    <Page title={text.title}>
      <EmptyState icon="agents" title={text.lead} text={text.ask} action={<CreateWorkspace />} />
    </Page>
  );
}

import type { UpdateWorkspaceRequest, Workspace } from '#contracts';
import { UNDO_SECONDS_MAX, WORKSPACE_NAME_MAX } from '#contracts/limits';
import { RISK_BANDS } from '#contracts/states';
import { NativeSelect, Stack, Switch, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { EffectChips } from '../../components/effects/effect-chips.js';
import { FormFoot } from '../../components/form-foot.js';
import { put } from '../../lib/http.js';
import { whyMessages } from '../../lib/why-messages.js';
import { queryKeys } from '../../lib/query-keys.js';
import { showDone } from '../../lib/toasts.js';
import { workspaceQuery } from '../../lib/workspace-query.js';
import { useUnsaved } from '../../lib/unsaved.js';
import { messages } from './messages.js';

const text = messages.settings;
const HOURS = [1, 8, 24, 72, 168, 720];
const UNDO_SECONDS = [0, 5, 10, 20, UNDO_SECONDS_MAX];
const RISKS = [null, ...RISK_BANDS.map(({ from }) => from)];
/** No risk is below 0. */
const BELOW = RISKS.filter((risk) => risk !== 0);

/** The presets, and the current value if it is none of them. */
const withPresent = <T,>(presets: readonly T[], present: T): T[] =>
  presets.includes(present) ? [...presets] : [...presets, present];

export function WorkspaceForm({ workspace }: { workspace: Workspace }) {
  const queryClient = useQueryClient();
  const [name, setName] = useState(workspace.name);
  const [settings, setSettings] = useState(workspace.settings);
  const save = useMutation({
    mutationFn: (request: UpdateWorkspaceRequest) => put<Workspace>(`/workspaces/${workspace.id}`, request),
    onSuccess: (saved) => {
      queryClient.setQueryData(workspaceQuery(saved.id).queryKey, saved);
      showDone(text.saved);
      return queryClient.invalidateQueries({ queryKey: queryKeys.workspaces.all });
    },
  });
  const same = name.trim() === workspace.name && JSON.stringify(settings) === JSON.stringify(workspace.settings);
  useUnsaved(!same);
  const why = name.trim() === '' ? whyMessages.name(1) : same ? whyMessages.unchanged : null;

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (why === null) save.mutate({ name: name.trim(), settings });
      }}
    >
      <Stack gap="lg">
        <TextInput
          label={text.name}
          maxLength={WORKSPACE_NAME_MAX}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <NativeSelect
          label={text.hours}
          description={text.hoursHint}
          value={settings.approverRuleMaxHours}
          onChange={(event) => setSettings({ ...settings, approverRuleMaxHours: Number(event.currentTarget.value) })}
          data={withPresent(HOURS, settings.approverRuleMaxHours).map((hours) => ({
            value: String(hours),
            label: text.hourWords(hours),
          }))}
        />
        <NativeSelect
          label={text.undo}
          description={text.undoHint}
          value={settings.undoSeconds}
          onChange={(event) => setSettings({ ...settings, undoSeconds: Number(event.currentTarget.value) })}
          data={withPresent(UNDO_SECONDS, settings.undoSeconds).map((seconds) => ({
            value: String(seconds),
            label: text.undoWords(seconds),
          }))}
        />
        <Switch
          label={text.duties}
          description={text.dutiesHint}
          styles={{ label: { fontWeight: 600 } }}
          checked={settings.separationOfDuties}
          onChange={(event) => setSettings({ ...settings, separationOfDuties: event.currentTarget.checked })}
        />
        <RiskSelect
          label={text.confirm}
          description={text.confirmHint}
          risks={RISKS}
          words={text.riskWords}
          value={settings.confirmFromRisk}
          onChange={(confirmFromRisk) => setSettings({ ...settings, confirmFromRisk })}
        />
        <EffectChips
          legend={text.confirmEffects}
          hint={text.confirmEffectsHint}
          value={settings.confirmEffects}
          onChange={(confirmEffects) => setSettings({ ...settings, confirmEffects })}
        />
        <RiskSelect
          label={text.approve}
          description={text.approveHint}
          risks={BELOW}
          words={text.belowWords}
          value={settings.approveInNotificationsBelow}
          onChange={(approveInNotificationsBelow) => setSettings({ ...settings, approveInNotificationsBelow })}
        />
        <FormFoot label={text.save} why={why} save={save} />
      </Stack>
    </form>
  );
}

interface RiskSelectProps {
  label: string;
  description: string;
  risks: (number | null)[];
  words: (risk: number | null) => string;
  value: number | null;
  onChange: (risk: number | null) => void;
}

function RiskSelect({ risks, words, value, onChange, ...input }: RiskSelectProps) {
  return (
    <NativeSelect
      {...input}
      value={value ?? ''}
      onChange={(event) => onChange(event.currentTarget.value === '' ? null : Number(event.currentTarget.value))}
      data={withPresent(risks, value).map((risk) => ({ value: String(risk ?? ''), label: words(risk) }))}
    />
  );
}

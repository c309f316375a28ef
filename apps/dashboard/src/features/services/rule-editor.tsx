import type { Agent, RiskRule, Service } from '#contracts';
import { PATH_PATTERN_MAX, RULE_INSTRUCTION_MAX, RULE_NAME_MAX } from '#contracts/limits';
import { HTTP_METHODS, RULE_EFFECTS } from '#contracts/states';
import { Button, Chip, Modal, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Choice } from '../../components/choice.js';
import { Callout } from '../../components/notices.js';
import { SubmitButton } from '../../components/submit-button.js';
import { now } from '../../lib/clock.js';
import { dateTime } from '../../lib/format.js';
import { failure } from '../../lib/http.js';
import { messages as shared } from '../../lib/messages.js';
import { useReturnFocus } from '../../lib/return-focus.js';
import { showDone } from '../../lib/toasts.js';
import { createRule, deleteRule, updateRule } from './api.js';
import { messages as ruleWords } from '../../components/rule-sentence/messages.js';
import { messages } from './messages.js';
import { draftOf, EMPTY_RULE, isUnbounded, ruleFault, toRequest, type RuleDraft } from './rule-draft.js';
import { RulePreviewLine } from './rule-preview.js';
import { ruleName, RuleSentence } from '../../components/rule-sentence/rule-sentence.js';
import classes from './rules.module.css';

const text = messages.rules;

interface Props {
  service: Service;
  /** null for a new rule. */
  rule: RiskRule | null;
  /** The agents with access to the service. */
  agents: readonly Agent[];
  agentName: (id: number) => string;
  close: () => void;
}

/** Edits a rule. It shows the rule as a sentence and what it would have matched. */
export function RuleEditor({ service, rule, agents, agentName, close }: Props) {
  useReturnFocus();
  const queryClient = useQueryClient();
  const [draft, setDraft] = useState<RuleDraft>(rule ? draftOf(rule) : EMPTY_RULE);
  const set = (change: Partial<RuleDraft>) => setDraft({ ...draft, ...change });
  const settled = {
    onSuccess: (saved: boolean) => {
      showDone(saved ? text.saved : text.removed);
      close();
      void queryClient.invalidateQueries({ queryKey: ['audit', 'usage'] });
      return queryClient.invalidateQueries({ queryKey: ['services', service.id, 'rules'] });
    },
  };
  const save = useMutation({
    mutationFn: async () => {
      const request = toRequest(draft, ruleName(draft), now());
      await (rule ? updateRule(service.id, rule.id, request) : createRule(service.id, request));
      return true;
    },
    ...settled,
  });
  const remove = useMutation({
    mutationFn: async () => {
      await deleteRule(service.id, rule!.id);
      return false;
    },
    ...settled,
  });
  const fault = ruleFault(draft);
  const error = save.error ?? remove.error;
  return (
    <Modal opened onClose={close} title={rule ? text.editTitle : text.newTitle} size="lg" closeOnClickOutside={false}>
      <form
        className={classes.editor}
        onSubmit={(event) => {
          event.preventDefault();
          if (fault === null) save.mutate();
        }}
      >
        <div className={classes.said} aria-label={text.sentence} role="group">
          <RuleSentence rule={draft} agentName={agentName} />
        </div>
        <div>
          <div className={classes.label}>{text.effect}</div>
          <div className={classes.scroll}>
            <Choice
              label={text.effect}
              value={draft.effect}
              options={RULE_EFFECTS.map((value) => ({ value, label: ruleWords.effects[value] }))}
              onChange={(effect) => set({ effect })}
            />
          </div>
        </div>
        {draft.effect === 'guidance' && (
          <Textarea
            label={text.instruction}
            placeholder={text.instructionPlaceholder}
            maxLength={RULE_INSTRUCTION_MAX}
            autosize
            minRows={2}
            value={draft.instruction}
            onChange={(event) => set({ instruction: event.currentTarget.value })}
          />
        )}
        <fieldset className={classes.fieldset}>
          <legend className={classes.label}>
            {text.methods} <span className={classes.dim}>{text.methodsHint}</span>
          </legend>
          <div className={classes.chips}>
            {HTTP_METHODS.map((method) => (
              <Chip
                key={method}
                size="xs"
                radius="sm"
                checked={draft.methods.includes(method)}
                onChange={(on) =>
                  set({ methods: HTTP_METHODS.filter((each) => (each === method ? on : draft.methods.includes(each))) })
                }
              >
                {method}
              </Chip>
            ))}
          </div>
        </fieldset>
        <TextInput
          label={text.path}
          description={text.pathHint}
          placeholder={text.pathPlaceholder}
          classNames={{ input: 'mono' }}
          maxLength={PATH_PATTERN_MAX}
          autoComplete="off"
          spellCheck={false}
          value={draft.pathPattern}
          onChange={(event) => set({ pathPattern: event.currentTarget.value })}
          error={fault === 'path' ? messages.test.badPath : undefined}
        />
        {agents.length > 0 && (
          <fieldset className={classes.fieldset}>
            <legend className={classes.label}>
              {text.agents} <span className={classes.dim}>{text.agentsHint}</span>
            </legend>
            <div className={classes.chips}>
              {agents.map(({ id, name }) => (
                <Chip
                  key={id}
                  size="xs"
                  radius="sm"
                  checked={draft.agentIds.includes(id)}
                  onChange={(on) =>
                    set({ agentIds: on ? [...draft.agentIds, id] : draft.agentIds.filter((each) => each !== id) })
                  }
                >
                  {name}
                </Chip>
              ))}
            </div>
          </fieldset>
        )}
        <div className={classes.pair}>
          <NativeSelect
            label={text.ends}
            value={String(draft.ends)}
            data={[
              { value: 'never', label: text.endless },
              ...(draft.expiresAt ? [{ value: 'keep', label: text.keeps(dateTime(draft.expiresAt)) }] : []),
              ...Object.entries(text.endsIn).map(([value, label]) => ({ value, label })),
            ]}
            onChange={({ currentTarget: { value } }) =>
              set({ ends: value === 'never' || value === 'keep' ? value : Number(value) })
            }
          />
          <TextInput
            label={text.maxUses}
            placeholder={text.maxUsesHint}
            inputMode="numeric"
            value={draft.maxUses}
            error={fault === 'uses'}
            onChange={(event) => set({ maxUses: event.currentTarget.value.trim() })}
          />
        </div>
        <TextInput
          label={text.name}
          description={text.nameHint}
          placeholder={ruleName(draft)}
          maxLength={RULE_NAME_MAX}
          autoComplete="off"
          value={draft.name}
          onChange={(event) => set({ name: event.currentTarget.value })}
        />
        {isUnbounded(draft) && <Callout tone="warning">{text.broad}</Callout>}
        {fault === null && <RulePreviewLine serviceId={service.id} rule={toRequest(draft, ruleName(draft), now())} />}
        <div role="alert">{error && <Callout tone="danger">{failure(error).message}</Callout>}</div>
        <div className={classes.buttons}>
          {rule && (
            <Button
              variant="default"
              className={classes.remove}
              loading={remove.isPending}
              onClick={() => remove.mutate()}
            >
              {text.remove}
            </Button>
          )}
          <Button variant="default" onClick={close}>
            {shared.actions.cancel}
          </Button>
          <SubmitButton atEnd why={fault && text.why[fault]} loading={save.isPending}>
            {text.save}
          </SubmitButton>
        </div>
      </form>
    </Modal>
  );
}

import { Select, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { UntrustedText } from '../../components/untrusted-text.js';
import { operationFieldsQuery } from './api.js';
import classes from './operation-field.module.css';
import { findOperations, operationWords, ruleOperations, type RuleOperation } from './operation-search.js';
import type { RuleDraft } from './rule-draft.js';
import { rulesMessages } from './rules-messages.js';

const SHOWN_MAX = 50;

interface Props {
  serviceId: number;
  set: (change: Pick<RuleDraft, 'methods' | 'pathPattern'>) => void;
}

/** Finds an operation of the API by its words, and fills in its method and path. Services without documents don't have it. */
export function OperationField({ serviceId, set }: Props) {
  const { data } = useQuery(operationFieldsQuery(serviceId));
  const operations = useMemo(() => ruleOperations(data ?? []), [data]);
  const [search, setSearch] = useState('');
  const found = useMemo(() => findOperations(operations, search, SHOWN_MAX), [operations, search]);
  if (operations.length === 0) return null;
  return (
    <Select
      label={rulesMessages.operation}
      description={rulesMessages.operationHint}
      placeholder={rulesMessages.operationPlaceholder}
      nothingFoundMessage={rulesMessages.noOperation}
      classNames={{ option: classes.option }}
      searchable
      autoComplete="off"
      spellCheck={false}
      // Nothing stays chosen, because the rule is about the pattern.
      value={null}
      searchValue={search}
      onSearchChange={setSearch}
      selectFirstOptionOnChange
      data={found.map((operation, index) => ({ value: String(index), label: labelOf(operation) }))}
      // They were found already.
      filter={({ options }) => options}
      renderOption={({ option }) => <Operation operation={found[Number(option.value)]!} />}
      onChange={(value) => {
        const chosen = value === null ? undefined : found[Number(value)];
        setSearch('');
        if (chosen) set({ methods: [chosen.method], pathPattern: chosen.pathPattern });
      }}
    />
  );
}

const labelOf = (operation: RuleOperation): string =>
  operationWords(operation) ?? `${operation.method} ${operation.pathPattern}`;

function Operation({ operation }: { operation: RuleOperation }) {
  const { method, pathPattern } = operation;
  const words = operationWords(operation);
  return (
    <div className="anywhere">
      {words !== null && <UntrustedText text={words} inline prose />}
      <Text size="sm" c="dimmed" className="mono" translate="no">
        {method} <UntrustedText text={pathPattern} inline />
      </Text>
    </div>
  );
}

import type { DocumentedOperation, Service } from '#contracts';
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useMemo, useState } from 'react';
import { Loaded } from '../../components/loaded.js';
import { RiskBadge } from '../../components/risk-badge.js';
import { Card, Section } from '../../components/page.js';
import { SearchField } from '../../components/search-field.js';
import { UntrustedText } from '../../components/untrusted-text.js';
import { VirtualList } from '../../components/virtual-list.js';
import { methodRisk } from '../../lib/risk.js';
import { operationsQuery } from './api.js';
import { messages } from './messages.js';
import { operationTree, type TreeRow } from './operation-tree.js';
import classes from './services.module.css';

const text = messages.documents;

/** The documented operations by path. A virtual list keeps ten thousand of them fast. */
export function Operations({ service }: { service: Service }) {
  const query = useQuery(operationsQuery(service.id));
  const [search, setSearch] = useState('');
  return (
    <Section title={text.operationsTitle}>
      <Loaded query={query}>
        {(operations) =>
          operations.length === 0 ? (
            <p className={classes.lead}>{text.noOperations}</p>
          ) : (
            <div className={classes.stack}>
              <p className={classes.note}>{text.operationsLead}</p>
              <div className={classes.tools}>
                <SearchField className={classes.grow} label={text.findOperation} value={search} onChange={setSearch} />
              </div>
              <Tree operations={operations} search={search} />
            </div>
          )
        }
      </Loaded>
    </Section>
  );
}

function Tree({ operations, search }: { operations: DocumentedOperation[]; search: string }) {
  const wanted = useDeferredValue(search);
  const rows = useMemo(() => operationTree(operations, wanted), [operations, wanted]);
  if (rows.length === 0) return <p className={classes.lead}>{text.noneFound}</p>;
  return (
    <Card padded={false}>
      <VirtualList
        role="list"
        focusable
        label={text.operationsTitle}
        className={classes.operations}
        count={rows.length}
        rowHeight={42}
        keyOf={(index) => index}
        row={(index) => <OperationRow row={rows[index]!} />}
      />
    </Card>
  );
}

function OperationRow({ row }: { row: TreeRow }) {
  if (row.operation === null) {
    return (
      <div className={classes.branch}>
        <span className="mono">
          <UntrustedText text={row.path} inline />
        </span>
        <span className={classes.dim}>{text.count(row.count)}</span>
      </div>
    );
  }
  const { method, summary, operationId } = row.operation;
  return (
    <div className={classes.operation}>
      <b className={`mono ${classes.method}`}>{method}</b>
      <span className={classes.operationText}>
        <span className="mono">
          <UntrustedText text={row.path} inline />
        </span>
        {(summary ?? operationId) && (
          <span className={classes.dim}>
            <UntrustedText text={summary ?? operationId ?? ''} inline />
          </span>
        )}
      </span>
      <RiskBadge score={methodRisk(method)} size="short" />
    </div>
  );
}

import { Box, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import type { JsonNode } from '../../lib/json-tree.js';
import { sharedMessages } from '../../lib/messages.js';
import { UntrustedText } from '../untrusted-text.js';
import classes from './request.module.css';

/** Branches below this depth start closed. A branch shows this many members at a time and says how many are left. */
const OPEN_DEPTH = 3;
const PAGE = 100;

/** JSON as a tree with folding branches. */
export function JsonTree({ root, expanded }: { root: JsonNode; expanded: boolean }) {
  return (
    <Box px="md" py="sm" ff="monospace" fz="sm" lh={1.6} translate="no">
      <Node node={root} depth={0} expanded={expanded} />
    </Box>
  );
}

interface NodeProps {
  node: JsonNode;
  label?: string;
  repeated?: boolean;
  depth: number;
  expanded: boolean;
}

function Node({ node, label, repeated, depth, expanded }: NodeProps) {
  const name = label !== undefined && (
    <span className={classes.key}>
      <UntrustedText text={label} inline />
      {repeated && (
        <span className={classes.repeated} title={sharedMessages.request.repeatedKey}>
          ×2
          <span className="visually-hidden"> {sharedMessages.request.repeatedKey}</span>
        </span>
      )}
      :{' '}
    </span>
  );
  if (node.kind === 'object' || node.kind === 'array') {
    return <Branch node={node} name={name} depth={depth} expanded={expanded} />;
  }
  return (
    <div className={classes.leaf}>
      {name}
      <span className={classes[node.kind]}>
        {node.kind === 'string' ? (
          <>
            “<UntrustedText text={node.value} />”
          </>
        ) : (
          node.value
        )}
      </span>
    </div>
  );
}

interface BranchProps {
  node: Extract<JsonNode, { kind: 'object' | 'array' }>;
  name: React.ReactNode;
  depth: number;
  expanded: boolean;
}

function Branch({ node, name, depth, expanded }: BranchProps) {
  const size = node.kind === 'object' ? node.entries.length : node.items.length;
  const [open, setOpen] = useState(expanded || (depth < OPEN_DEPTH && (depth === 0 || size <= PAGE)));
  const [limit, setLimit] = useState(PAGE);
  const summary = node.kind === 'object' ? sharedMessages.request.keys(size) : sharedMessages.request.items(size);
  if (size === 0) {
    return (
      <div className={classes.leaf}>
        {name}
        <span className={classes.key}>{node.kind === 'object' ? '{}' : '[]'}</span>
      </div>
    );
  }
  return (
    <div>
      <UnstyledButton className={classes.fold} aria-expanded={open} onClick={() => setOpen(!open)}>
        {name}
        <span className={classes.key}>{summary}</span>
      </UnstyledButton>
      {open && (
        <div className={classes.members}>
          {node.kind === 'object'
            ? node.entries
                .slice(0, limit)
                .map((entry, index) => (
                  <Node
                    key={index}
                    label={entry.key}
                    repeated={entry.repeated}
                    node={entry.value}
                    depth={depth + 1}
                    expanded={expanded}
                  />
                ))
            : node.items
                .slice(0, limit)
                .map((item, index) => (
                  <Node key={index} label={String(index)} node={item} depth={depth + 1} expanded={expanded} />
                ))}
          {size > limit && (
            <UnstyledButton
              ff="inherit"
              fz="inherit"
              c="var(--mantine-color-anchor)"
              ms={15}
              py="xs"
              onClick={() => setLimit(limit + PAGE * 5)}
            >
              {sharedMessages.request.moreItems(Math.min(PAGE * 5, size - limit), size - limit)}
            </UnstyledButton>
          )}
        </div>
      )}
    </div>
  );
}

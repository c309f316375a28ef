import { Box, UnstyledButton } from '@mantine/core';
import { useMemo, useState } from 'react';
import { isAlike, layoutOf, limitOf, WHOLE, type JsonLayout } from '../../lib/json-layout.js';
import { below } from '../../lib/json-pointer.js';
import type { JsonNode } from '../../lib/json-tree.js';
import { sharedMessages } from '../../lib/messages.js';
import { UntrustedText } from '../untrusted-text.js';
import { Decoded } from './decoded.js';
import { LongValue, useFolding } from './long-value.js';
import classes from './request.module.css';
import { ValueNote } from './value-note.js';

/** "More" adds this many members. */
const PAGE = 500;

interface TreeProps {
  root: JsonNode;
  expanded: boolean;
  /** The id of the body, if the page follows what was on the screen. */
  partId?: string;
}

/** JSON as a tree. All of a small body is visible without a press. */
export function JsonTree({ root, expanded, partId }: TreeProps) {
  // An object of its own for each body.
  const layout = useMemo(() => ({ ...(expanded ? WHOLE : layoutOf(root)) }), [root, expanded]);
  return (
    <Box px="md" py="sm" ff="monospace" fz="sm" lh={1.6} translate="no">
      <Node node={root} depth={0} partId={partId} place={partId} layout={layout} expanded={expanded} />
    </Box>
  );
}

interface NodeProps {
  node: JsonNode;
  label?: string;
  repeated?: boolean;
  depth: number;
  partId: string | undefined;
  place: string | undefined;
  layout: JsonLayout;
  expanded: boolean;
}

function Node({ label, repeated, ...props }: NodeProps) {
  const { node } = props;
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
  if (node.kind === 'object' || node.kind === 'array') return <Branch {...props} node={node} name={name} />;
  return <Leaf {...props} node={node} name={name} />;
}

interface LeafProps extends Omit<NodeProps, 'label' | 'repeated'> {
  node: Extract<JsonNode, { value: string }>;
  name: React.ReactNode;
}

function Leaf({ node, name, partId, place, layout, expanded }: LeafProps) {
  const folding = useFolding(node.kind === 'string' ? node.value : '', expanded);
  return (
    <div key={String(folding.isFolded)} className={classes.leaf} data-part={partId} data-shown={folding.shown}>
      {name}
      <span className={classes[node.kind]}>
        {node.kind === 'string' ? (
          <>
            “<LongValue text={node.value} folding={folding} />”
          </>
        ) : (
          node.value
        )}
      </span>
      <ValueNote place={place} />
      {node.kind === 'string' && <Decoded text={node.value} among={layout} partId={partId} expanded={expanded} />}
    </div>
  );
}

interface BranchProps extends Omit<NodeProps, 'label' | 'repeated'> {
  node: Extract<JsonNode, { kind: 'object' | 'array' }>;
  name: React.ReactNode;
}

function Branch({ node, name, depth, partId, place, layout, expanded }: BranchProps) {
  const [open, setOpen] = useState(depth < layout.depth);
  const [limit, setLimit] = useState(limitOf(node, layout));
  const members =
    node.kind === 'object'
      ? node.entries.map(({ key, repeated, value }) => ({ label: key, repeated, node: value }))
      : node.items.map((item, index) => ({ label: String(index), repeated: false, node: item }));
  if (members.length === 0) {
    return (
      <div className={classes.leaf} data-part={partId}>
        {name}
        <span className={classes.key}>{node.kind === 'object' ? '{}' : '[]'}</span>
      </div>
    );
  }
  const { keys, items } = sharedMessages.request;
  return (
    <div>
      <UnstyledButton
        className={classes.fold}
        aria-expanded={open}
        data-folded={(partId !== undefined && !open) || undefined}
        onClick={() => setOpen(!open)}
      >
        {name}
        <span className={classes.key}>{(node.kind === 'object' ? keys : items)(members.length)}</span>
      </UnstyledButton>
      {open && (
        <div className={classes.members}>
          {members.slice(0, limit).map((member, index) => (
            <Node
              key={index}
              {...member}
              depth={depth + 1}
              partId={partId && `${partId}.${index}`}
              place={place && below(place, member.label)}
              layout={layout}
              expanded={expanded}
            />
          ))}
          {members.length > limit && (
            <More node={node} limit={limit} isFollowed={partId !== undefined} show={() => setLimit(limit + PAGE)} />
          )}
        </div>
      )}
    </div>
  );
}

interface MoreProps {
  node: BranchProps['node'];
  limit: number;
  isFollowed: boolean;
  show: () => void;
}

/** How many members are not shown, and whether they look like those that are. */
function More({ node, limit, isFollowed, show }: MoreProps) {
  const alike = useMemo(() => node.kind === 'array' && isAlike(node.items, limit), [node, limit]);
  const size = node.kind === 'array' ? node.items.length : node.entries.length;
  return (
    <UnstyledButton
      ff="inherit"
      fz="inherit"
      c="var(--mantine-color-anchor)"
      ms={15}
      py="xs"
      data-folded={isFollowed || undefined}
      onClick={show}
    >
      {sharedMessages.request.moreMembers(size - limit, alike)}
    </UnstyledButton>
  );
}

import type { ActionPart } from '#contracts';
import { Table, Text } from '@mantine/core';
import { bytes as formatBytes } from '../../lib/format.js';
import { messages } from '../../lib/messages.js';
import { UntrustedText } from '../untrusted-text.js';

/** The fields and files of a form, as the upstream will receive them. */
export function FormParts({ parts }: { parts: readonly ActionPart[] }) {
  return (
    <Table.ScrollContainer minWidth={0}>
      <Table fz="sm" verticalSpacing={4} horizontalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">{messages.request.name}</Table.Th>
            <Table.Th scope="col">{messages.request.value}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {parts.map((part, index) => (
            <Table.Tr key={index}>
              <Table.Th scope="row" fw={500}>
                <UntrustedText text={part.name} />
              </Table.Th>
              <Table.Td>
                <PartValue part={part} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}

function PartValue({ part: { filename, contentType, size, text } }: { part: ActionPart }) {
  if (text !== undefined) return <UntrustedText text={text} />;
  return (
    <>
      {filename !== undefined && <UntrustedText text={filename} />}
      <Text size="xs" c="dimmed">
        <UntrustedText text={contentType} inline /> · {formatBytes(size)}
      </Text>
    </>
  );
}

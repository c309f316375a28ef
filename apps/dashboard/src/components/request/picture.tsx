import { Anchor, Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { bytesMessages } from './bytes-messages.js';

interface Props {
  /** A data URL of an image: a browser reads it only as an image. */
  source: string;
  isFollowed: boolean;
}

/** Black and white are both visible on it, where an image lets the ground through. */
const CHEQUERS = 'repeating-conic-gradient(#fff 0 25%, #bbb 0 50%) 0 0 / 16px 16px';
const FITTING = { maxInlineSize: '100%', maxBlockSize: 'min(60vh, 520px)' };

type State = 'loading' | 'shown' | 'broken';

/** An image of an agent or an upstream. It is on the page, and counts as seen, only when all of it could be read. */
export function Picture({ source, isFollowed }: Props) {
  const state = useDecoded(source);
  const [isFull, setFull] = useState(false);
  if (state === 'loading') return null;
  return (
    <Stack gap={0} px="md" pb="xs" align="flex-start">
      {state === 'broken' ? (
        <Text size="sm">{bytesMessages.broken}</Text>
      ) : (
        <>
          <img
            src={source}
            alt={bytesMessages.alt}
            style={isFull ? { background: CHEQUERS } : { ...FITTING, background: CHEQUERS }}
            {...(isFollowed && { 'data-part': 't' })}
          />
          <Anchor component="button" type="button" size="sm" py="xs" onClick={() => setFull(!isFull)}>
            {isFull ? bytesMessages.fit : bytesMessages.fullSize}
          </Anchor>
          <Text size="sm" c="dimmed">
            {bytesMessages.moreInside}
          </Text>
        </>
      )}
    </Stack>
  );
}

function useDecoded(source: string): State {
  const [decoded, setDecoded] = useState<{ source: string; state: State } | null>(null);
  useEffect(() => {
    const image = new Image();
    image.src = source;
    const decode = async () => {
      let state: State = 'shown';
      try {
        await image.decode();
      } catch {
        state = 'broken';
      }
      setDecoded({ source, state });
    };
    void decode();
  }, [source]);
  return decoded?.source === source ? decoded.state : 'loading';
}

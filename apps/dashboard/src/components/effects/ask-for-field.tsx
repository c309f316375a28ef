import { ASKED_EFFECTS, RECOMMENDED_EFFECTS, type AskedEffect } from '#contracts/effects';
import { Button, Checkbox, SimpleGrid, Text } from '@mantine/core';
import { askForMessages } from './ask-for-messages.js';
import { askedInOrder } from './told.js';

interface Props {
  value: readonly AskedEffect[];
  onChange: (value: AskedEffect[]) => void;
  /** The place has this title already. */
  isTitled?: boolean;
}

/** The choice of what people are asked about: each word with a sentence and an example. */
export function AskForField({ value, onChange, isTitled = false }: Props) {
  const isRecommended = askedInOrder(value).join() === askedInOrder(RECOMMENDED_EFFECTS).join();
  return (
    <Checkbox.Group
      label={isTitled ? undefined : askForMessages.title}
      aria-label={isTitled ? askForMessages.title : undefined}
      description={askForMessages.hint}
      value={[...value]}
      onChange={(words) => onChange(askedInOrder(words))}
    >
      <SimpleGrid minColWidth="min(260px, 100%)" autoFlow="auto-fit" spacing="md" verticalSpacing="sm" mt="sm">
        {ASKED_EFFECTS.map((word) => (
          <Checkbox
            key={word}
            value={word}
            label={<b>{askForMessages.words[word].title}</b>}
            description={
              <>
                {askForMessages.words[word].text}
                <Text span inherit display="block" className="mono anywhere" translate="no">
                  {askForMessages.words[word].example}
                </Text>
              </>
            }
          />
        ))}
      </SimpleGrid>
      {!isRecommended && (
        <Button variant="subtle" size="xs" mt="xs" ms={-12} onClick={() => onChange([...RECOMMENDED_EFFECTS])}>
          {askForMessages.recommended}
        </Button>
      )}
    </Checkbox.Group>
  );
}

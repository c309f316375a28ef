import { Divider, SegmentedControl, Stack, Switch, Text, useMantineColorScheme } from '@mantine/core';
import { Card, Section } from '../../components/page.js';
import { setPreference, usePreferences } from '../../lib/preferences.js';
import { messages } from './messages.js';

const text = messages.preferences;

/** The preferences that this browser stores. */
export function Preferences() {
  const { shortcuts, thumbSide } = usePreferences();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Section title={text.title}>
      <Text c="dimmed" mb="md">
        {text.lead}
      </Text>
      <Card>
        <Stack>
          <div>
            <Label>{text.theme}</Label>
            <SegmentedControl
              aria-label={text.theme}
              value={colorScheme}
              data={(['auto', 'light', 'dark'] as const).map((value) => ({
                value,
                label: text.themes[value],
              }))}
              onChange={setColorScheme}
            />
          </div>
          <Divider color="var(--agw-line)" />
          <Switch
            label={text.shortcuts}
            description={text.shortcutsHint}
            checked={shortcuts}
            onChange={(event) => setPreference('shortcuts', event.currentTarget.checked)}
          />
          <Divider color="var(--agw-line)" />
          <div>
            <Label>{text.thumb}</Label>
            <SegmentedControl
              aria-label={text.thumb}
              value={thumbSide}
              data={(['start', 'end'] as const).map((value) => ({ value, label: text.thumbSides[value] }))}
              onChange={(value) => setPreference('thumbSide', value)}
            />
            <Text c="dimmed" size="sm">
              {text.thumbHint}
            </Text>
          </div>
        </Stack>
      </Card>
    </Section>
  );
}

function Label({ children }: { children: string }) {
  return (
    <Text fz={14} fw={500} mb={6}>
      {children}
    </Text>
  );
}

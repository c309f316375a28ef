import { Switch, useMantineColorScheme } from '@mantine/core';
import { Choice } from '../../components/choice.js';
import { Card, Section } from '../../components/page.js';
import { messages as shared } from '../../lib/messages.js';
import { setPreference, usePreferences } from '../../lib/preferences.js';
import { messages } from './messages.js';
import classes from './settings.module.css';

const text = messages.preferences;

/** The preferences that this browser stores. */
export function Preferences() {
  const { shortcuts, thumbSide } = usePreferences();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Section title={text.title}>
      <p className={classes.lead}>{text.lead}</p>
      <Card>
        <div className={classes.form}>
          <div>
            <div className={classes.label}>{text.theme}</div>
            <Choice
              label={text.theme}
              value={colorScheme}
              options={(['auto', 'light', 'dark'] as const).map((value) => ({ value, label: shared.theme[value] }))}
              onChange={setColorScheme}
            />
          </div>
          <hr className={classes.rule} />
          <Switch
            label={text.shortcuts}
            description={text.shortcutsHint}
            checked={shortcuts}
            onChange={(event) => setPreference('shortcuts', event.currentTarget.checked)}
          />
          <hr className={classes.rule} />
          <div>
            <div className={classes.label}>{text.thumb}</div>
            <Choice
              label={text.thumb}
              value={thumbSide}
              options={(['start', 'end'] as const).map((value) => ({ value, label: text.thumbSides[value] }))}
              onChange={(value) => setPreference('thumbSide', value)}
            />
            <div className={classes.dim}>{text.thumbHint}</div>
          </div>
        </div>
      </Card>
    </Section>
  );
}

import { isUtf8 } from 'node:buffer';
import { SLACK_BUTTONS } from '../channels/media/slack-message.js';
import { errors } from '../platform/errors.js';

/** The person in Slack. Slack supplies all of these values. */
export interface SlackPerson {
  id: string;
  name: string;
  /** The Slack workspaces that the person and the request belong to. */
  teamIds: string[];
}

export type SlackChoice = 'approve' | 'deny';

/** The action of a person in Slack. */
export type SlackInteraction =
  | {
      kind: 'pressed';
      person: SlackPerson;
      choice: SlackChoice;
      actionId: string;
      /** Lets the app open a form for the person for a few seconds. */
      triggerId: string;
      channel: string;
    }
  | {
      kind: 'submitted';
      person: SlackPerson;
      choice: SlackChoice;
      actionId: string;
      digest?: string;
      note: string | null;
    }
  /** A button that is only a link, or something of another app. */
  | { kind: 'other' };

/** The id of the gateway's form. */
export const SLACK_FORM = 'agw_decide';
/** The id of its field. */
export const SLACK_NOTE = 'note';

const CHOICES: Record<string, SlackChoice | undefined> = {
  [SLACK_BUTTONS.approve]: 'approve',
  [SLACK_BUTTONS.deny]: 'deny',
};

const malformed = () => errors.invalid('payload: must be one of Slack’s interactions');

/** Reads the signed body of a request of Slack: a form whose field `payload` is JSON. @throws ApiError 400 */
export function parseSlackInteraction(body: Buffer): SlackInteraction {
  if (!isUtf8(body)) throw malformed();
  const [text, ...more] = new URLSearchParams(body.toString()).getAll('payload');
  if (text === undefined || more.length > 0) throw malformed();
  const payload = readFields(parsed(text));
  switch (payload.type) {
    case 'block_actions':
      return pressed(payload);
    case 'view_submission':
      return submitted(payload);
    default:
      return { kind: 'other' };
  }
}

function pressed(payload: Fields): SlackInteraction {
  const [first] = Array.isArray(payload.actions) ? (payload.actions as unknown[]) : [];
  const { action_id: button, value } = readFields(first);
  const choice = CHOICES[readShortText(button)];
  if (choice === undefined) return { kind: 'other' };
  return {
    kind: 'pressed',
    person: readPerson(payload),
    choice,
    actionId: readShortText(value),
    triggerId: readShortText(payload.trigger_id),
    channel: readShortText(readFields(payload.channel).id),
  };
}

function submitted(payload: Fields): SlackInteraction {
  const view = readFields(payload.view);
  if (view.callback_id !== SLACK_FORM) return { kind: 'other' };
  const about = readFields(parsed(readShortText(view.private_metadata)));
  if (about.choice !== 'approve' && about.choice !== 'deny') throw malformed();
  const { value } = readFields(readFields(readFields(readFields(view.state).values)[SLACK_NOTE])[SLACK_NOTE]);
  return {
    kind: 'submitted',
    person: readPerson(payload),
    choice: about.choice,
    actionId: readShortText(about.actionId),
    ...(typeof about.digest === 'string' && { digest: about.digest }),
    note: typeof value === 'string' && value.trim() !== '' ? value.toWellFormed().replaceAll('\0', '').trim() : null,
  };
}

const NAME_MAX = 100;

function readPerson({ user, team }: Fields): SlackPerson {
  const { id, username, name, team_id: own } = readFields(user);
  const userId = readShortText(id);
  const shown = [username, name].find((each) => typeof each === 'string' && each.trim() !== '') as string | undefined;
  const teams = [own, (team as Fields | null | undefined)?.id].filter((each) => each !== undefined && each !== null);
  return {
    id: userId,
    name: (shown ?? userId).toWellFormed().replaceAll('\0', '').slice(0, NAME_MAX),
    teamIds: teams.map(String),
  };
}

type Fields = Readonly<Record<string, unknown>>;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw malformed();
  }
}

function readFields(value: unknown): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw malformed();
  return value as Fields;
}

const TEXT_MAX = 3000;

/** Reads ids and other short texts. PostgreSQL can't compare texts that contain NUL. */
function readShortText(value: unknown): string {
  if (typeof value !== 'string' || value === '' || value.length > TEXT_MAX || /[\0\p{Cs}]/u.test(value))
    throw malformed();
  return value;
}

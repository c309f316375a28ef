import { SLACK_CHANNEL, slackSignature, TEAM, type SlackView } from './slack.js';

export interface SlackUser {
  id: string;
  username?: string;
  team_id?: string;
}

export const ANA: SlackUser = { id: 'U0ANA', username: 'ana', team_id: TEAM };

let serial = 0;
/** Slack creates a trigger for each interaction, so no two requests are equal. */
const trigger = (): string => `1234.5678.${++serial}`;

/** The payload that Slack sends when somebody presses a button. */
export const pressed = (choice: 'approve' | 'deny', actionId: string, user: SlackUser = ANA, teamId = TEAM) => ({
  type: 'block_actions',
  user,
  team: { id: teamId, domain: 'acme' },
  api_app_id: 'A0123456789',
  trigger_id: trigger(),
  channel: { id: SLACK_CHANNEL, name: 'on-call' },
  container: { type: 'message', message_ts: '1700000000.000001', channel_id: SLACK_CHANNEL },
  response_url: 'https://hooks.slack.com/actions/never-called',
  actions: [{ type: 'button', action_id: `agw_${choice}`, value: actionId }],
});

/** The payload that Slack sends when somebody submits a form. */
export const submitted = ({ view }: SlackView, note: string | null = null, user: SlackUser = ANA, teamId = TEAM) => ({
  type: 'view_submission',
  trigger_id: trigger(),
  user,
  team: { id: teamId, domain: 'acme' },
  api_app_id: 'A0123456789',
  view: { ...view, id: 'V1', state: { values: { note: { note: { type: 'plain_text_input', value: note } } } } },
});

export const encodeForm = (payload: unknown): string =>
  new URLSearchParams({ payload: typeof payload === 'string' ? payload : JSON.stringify(payload) }).toString();

export interface HookAnswer {
  status: number;
  text: string;
  headers: Headers;
}

/** Calls the gateway as Slack does. */
export async function callHook(
  app: { url: string; clock: { nowMs(): number } },
  channelId: number | string,
  body: string,
  { secret, nowMs = app.clock.nowMs(), headers = {} }: { secret?: string; nowMs?: number; headers?: object } = {},
): Promise<HookAnswer> {
  const response = await fetch(`${app.url}/hooks/slack/${channelId}`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/x-www-form-urlencoded',
      ...slackSignature(body, nowMs, secret),
      ...headers,
    },
    body,
  });
  return { status: response.status, text: await response.text(), headers: response.headers };
}

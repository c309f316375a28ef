import { Injectable } from '@nestjs/common';
import { NOTE_MAX } from '#contracts/limits';
import type { ActionEntity } from '#database';
import { effectiveDigest } from '../approvals/action-digest.js';
import { escaped, slackFacts, slackText } from '../channels/media/slack-message.js';
import { toNotice } from '../channels/media/notice.js';
import { HttpConfig } from '../platform/config.js';
import { SLACK_FORM, SLACK_NOTE, type SlackChoice } from './slack-payload.js';

const WORDS = {
  approve: { title: 'Approve this request?', submit: 'Approve', note: 'Note' },
  deny: { title: 'Deny this request?', submit: 'Deny', note: 'Note for the agent' },
};

/** The forms and messages that a person sees in Slack after pressing a button. */
@Injectable()
export class SlackForms {
  constructor(private readonly http: HttpConfig) {}

  /** Asks again, with the facts of the message. Contains the digest of the action that the person sees. */
  question(action: ActionEntity, choice: SlackChoice): object {
    const { title, submit, note } = WORDS[choice];
    const digest = effectiveDigest(action);
    const about = { choice, actionId: action.id, ...(digest !== null && { digest }) };
    return {
      type: 'modal',
      callback_id: SLACK_FORM,
      private_metadata: JSON.stringify(about),
      title: slackText(title),
      submit: slackText(submit),
      close: slackText('Cancel'),
      blocks: [
        ...slackFacts(this.toRequestNotice(action)),
        {
          type: 'input',
          block_id: SLACK_NOTE,
          optional: true,
          label: slackText(note),
          element: { type: 'plain_text_input', action_id: SLACK_NOTE, multiline: true, max_length: NOTE_MAX },
        },
      ],
    };
  }

  /** Replaces the form. */
  outcome(title: string, text: string, workspaceId: number, actionId: string): object {
    return {
      type: 'modal',
      title: slackText(title),
      close: slackText('Close'),
      blocks: [{ type: 'section', text: slackText(text) }, ...this.linkTo(workspaceId, actionId)],
    };
  }

  /**
   * A message that only one person sees.
   * @param text contains only the gateway's own words
   */
  aside(text: string, link: [label: string, url: string] | null): object {
    const linked = link === null ? [] : [markdown(link)];
    return { text, blocks: [{ type: 'section', text: slackText(text) }, ...linked] };
  }

  /** null without PUBLIC_URL. */
  approvalUrl(workspaceId: number, actionId: string): string | null {
    return this.toRequestNotice({ id: actionId, workspaceId } as ActionEntity).link;
  }

  private linkTo(workspaceId: number, actionId: string): object[] {
    const url = this.approvalUrl(workspaceId, actionId);
    return url === null ? [] : [markdown(['Open the dashboard', url])];
  }

  private toRequestNotice({ id, workspaceId, createdAt, ...action }: ActionEntity): ReturnType<typeof toNotice> {
    const about = {
      actionId: id,
      summary: action.summary,
      riskScore: action.riskScore,
      agent: action.agentName,
      service: action.serviceName,
      expiresAt: action.expiresAt,
    };
    const stored = { id, type: 'approval.requested', workspaceId, occurredAt: createdAt, about, digest: null } as const;
    return toNotice(stored, this.http.publicUrl);
  }
}

const markdown = ([label, url]: [label: string, url: string]): object => ({
  type: 'section',
  text: { type: 'mrkdwn', text: `<${escaped(url)}|${label}>` },
});

import { Injectable } from '@nestjs/common';
import { isAtLeast, NOTE_MAX } from '#contracts';
import { ApprovalQueue } from '../approvals/approval-queue.js';
import { cautiousRisk, hasEffects } from '../approvals/held-assessment.js';
import { Decisions } from '../approvals/decisions.js';
import { SlackApi } from '../channels/media/slack-api.js';
import type { ActingMember } from '../membership/member.js';
import { ApiError, errors } from '../platform/errors.js';
import { Log } from '../platform/logging.js';
import type { SlackChannel } from './slack-channels.js';
import { SlackForms } from './slack-forms.js';
import { SlackLinks } from './slack-links.js';
import type { SlackInteraction, SlackPerson } from './slack-payload.js';
import { SlackUsers } from './slack-users.js';

type Pressed = Extract<SlackInteraction, { kind: 'pressed' }>;
type Submitted = Extract<SlackInteraction, { kind: 'submitted' }>;

const OTHER_TEAM = 'Only members of the Slack workspace of this app can decide here.';
const LINK_FIRST =
  'Your Slack account is not linked. Link it, then press the button again. The link below works once, and expires after 15 minutes.';
const NOT_OPENED = 'Slack did not open the form in time. Press the button again.';

/**
 * Decisions of people in Slack. A button opens a form, and the form decides like the dashboard: the same service checks
 * the role, the named approvers, the digest and the state. See docs/notifications.md#slack-decisions.
 */
@Injectable()
export class SlackDecisions {
  constructor(
    private readonly users: SlackUsers,
    private readonly links: SlackLinks,
    private readonly forms: SlackForms,
    private readonly queue: ApprovalQueue,
    private readonly decisions: Decisions,
    private readonly api: SlackApi,
    private readonly log: Log,
  ) {}

  /** @returns the instruction to Slack for an open form */
  async answer(channel: SlackChannel, interaction: SlackInteraction, requestId: string): Promise<object> {
    if (interaction.kind === 'submitted') return this.submit(channel, interaction, requestId);
    if (interaction.kind === 'pressed') await this.press(channel, interaction);
    return {};
  }

  private async press(channel: SlackChannel, pressed: Pressed): Promise<void> {
    const { person, actionId, choice, triggerId } = pressed;
    if (!isOfTeam(person, channel)) return this.tell(channel, pressed, OTHER_TEAM);
    const member = await this.users.findMember(channel, person.id);
    if (member === null) {
      const url = await this.links.request(channel, person);
      return this.tell(channel, pressed, LINK_FIRST, ['Link my account', url]);
    }
    try {
      const action = await this.assertOpen(channel, member, actionId);
      const args = { trigger_id: triggerId, view: this.forms.question(action, choice) };
      const { attempt } = await this.api.call('views.open', channel.bot.botToken, args);
      if (attempt.error === null) return;
      this.log.warn({ channel: channel.id, error: attempt.error }, 'Slack did not open the form');
      await this.tell(channel, pressed, NOT_OPENED);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const url = this.forms.approvalUrl(channel.workspaceId, actionId);
      await this.tell(channel, pressed, formatError(error), url === null ? undefined : ['Open the dashboard', url]);
    }
  }

  /**
   * Reports early why the decision would be refused. The decision checks it again.
   * @throws ApiError
   */
  private async assertOpen(channel: SlackChannel, { role }: ActingMember, actionId: string) {
    if (!isAtLeast(role, 'approver')) throw errors.roleTooLow(role);
    const action = await this.queue.ofWorkspace(channel.workspaceId, actionId);
    if (action.effectiveStatus !== 'PENDING') throw errors.alreadyDecided(action.effectiveStatus);
    const limits = await this.users.limits(channel, action.id);
    if (limits === null || limits.belowRisk === null || cautiousRisk(action) >= limits.belowRisk)
      throw errors.decideInDashboard();
    if (hasEffects(action, limits.confirmEffects)) throw errors.decideInDashboard();
    return action;
  }

  private async submit(channel: SlackChannel, submitted: Submitted, requestId: string): Promise<object> {
    const { person, actionId } = submitted;
    const show = (title: string, text: string) => ({
      response_action: 'update',
      view: this.forms.outcome(title, text, channel.workspaceId, actionId),
    });
    if (!isOfTeam(person, channel)) return show('Not decided', OTHER_TEAM);
    const member = await this.users.findMember(channel, person.id);
    try {
      if (member === null) throw errors.slackNotLinked();
      const missing = await this.decide(channel, member, submitted, requestId);
      return missing === 0 ? { response_action: 'clear' } : show('Approval added', stillNeeded(missing));
    } catch (error) {
      if (!(error instanceof ApiError) || error.statusCode >= 500) throw error;
      return show('Not decided', formatError(error));
    }
  }

  /** @returns how many more approvals the action needs */
  private async decide(
    channel: SlackChannel,
    member: ActingMember,
    { person, choice, actionId, digest, note }: Submitted,
    requestId: string,
  ): Promise<number> {
    if (note !== null && Array.from(note).length > NOTE_MAX)
      throw errors.invalid(`note: must have at most ${NOTE_MAX} characters`);
    const via = this.users.via(channel, person.id);
    if (choice === 'deny') {
      await this.decisions.deny(member, actionId, note, requestId, via);
      return 0;
    }
    const action = await this.decisions.approve(member, actionId, { note, digest, via }, requestId);
    return action.status === 'PENDING' ? action.approvalsNeeded - action.approvals.length : 0;
  }

  /** Sends a message to the person who pressed the button only. */
  private async tell(
    { id, bot }: SlackChannel,
    { person, channel }: Pressed,
    text: string,
    link?: [label: string, url: string],
  ): Promise<void> {
    const message = { channel, user: person.id, ...this.forms.aside(text, link ?? null) };
    const { attempt } = await this.api.call('chat.postEphemeral', bot.botToken, message);
    if (attempt.error !== null)
      this.log.warn({ channel: id, error: attempt.error }, 'Slack did not say who pressed the button');
  }
}

/** Fails closed: every Slack workspace that the request names must be the app's. */
const isOfTeam = ({ teamIds }: SlackPerson, { bot }: SlackChannel): boolean =>
  teamIds.length > 0 && teamIds.every((id) => id === bot.teamId);

const stillNeeded = (missing: number): string =>
  `Your approval was added. The request needs ${missing === 1 ? 'one more' : `${missing} more`}.`;

/** People can't confirm their identity in Slack. */
const formatError = ({ code, message }: ApiError): string =>
  code === 'token_not_allowed' || code === 'confirmation_required'
    ? 'This request needs you to confirm your identity: decide in the dashboard.'
    : `${message}.`;

-- Notifications: who is notified of what. Each channel gets at most one delivery per subject and type.

-- Whether a person with this role may be notified of such an event (docs/reference/notifications.md). A role of null
-- means that the person is not a member.
CREATE OR REPLACE FUNCTION may_hear(role text, kind text) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
SELECT CASE
  WHEN role IS NULL OR role = 'auditor' THEN false
  WHEN kind = 'approvers.missing' THEN role = 'owner'
  WHEN kind IN ('connection.expired', 'credential.due', 'risk.failing') THEN role IN ('admin', 'owner')
  ELSE true
END
$$;

-- The risk that decides who is notified, and when. Until the model has assessed a request, nobody knows that it is low.
CREATE OR REPLACE FUNCTION risk_to_tell(said jsonb) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$
SELECT CASE WHEN said->>'assessment' = 'pending' THEN 1 ELSE (said->>'riskScore')::float8 END
$$;

-- Whether a notification is about a request that does one of the named effects.
CREATE OR REPLACE FUNCTION tells_of_effects(said jsonb, named text[]) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
SELECT said ? 'actionId' AND has_effects(said->'effects', said->>'assessment', named)
$$;

-- Queues a notification for each channel that wants it. A person's channel gets it only if the role of this person may
-- hear of it. With `named`, only these persons get it. With `only_after`, a channel gets it only if it got one of these
-- types, or is getting it now. Webhooks always get it. A channel that got one of them gets it whatever the risk is now. The
-- lock keeps a channel from being deleted meanwhile. A channel that was deleted before is skipped.
CREATE OR REPLACE FUNCTION tell_channels(
  workspace integer, kind text, thing text, said jsonb, at timestamptz, worth_until timestamptz, named integer[] DEFAULT NULL, only_after text[] DEFAULT NULL
) RETURNS void LANGUAGE sql AS $$
INSERT INTO channel_deliveries (id, channel_id, type, subject, about, risk, people, occurred_at, until, state, next_attempt_at)
SELECT gen_random_uuid(), c.id, kind, thing, said, risk_to_tell(said), named, date_trunc('milliseconds', at), worth_until,
  CASE c.type WHEN 'webhook' THEN 'pending' ELSE 'waiting' END, now()
FROM channels c LEFT JOIN workspace_members m ON m.workspace_id = c.workspace_id AND m.user_id = c.user_id
WHERE c.workspace_id = workspace AND c.is_active AND kind = ANY (c.events)
  AND (coalesce(risk_to_tell(said) >= c.min_risk, true) OR tells_of_effects(said, c.effects) OR EXISTS (
    SELECT FROM channel_deliveries d WHERE d.subject = thing AND d.channel_id = c.id AND d.type = ANY (only_after)))
  AND (c.service_ids = '{}' OR coalesce((said->>'serviceId')::integer = ANY (c.service_ids), true))
  AND (c.user_id IS NULL OR (named IS NULL OR c.user_id = ANY (named)) AND may_hear(m.role, kind))
  AND (only_after IS NULL OR c.type = 'webhook' OR EXISTS (
    SELECT FROM channel_deliveries d WHERE d.subject = thing AND d.channel_id = c.id AND d.type = ANY (only_after)
      AND (d.state = 'delivered' OR d.claim_id IS NOT NULL)))
FOR KEY SHARE OF c
ON CONFLICT (subject, channel_id, type) DO NOTHING
$$;

-- Queues a notification for the channels of a person, in whichever workspaces they are. Mail goes to one address, so it
-- goes once.
CREATE OR REPLACE FUNCTION tell_person(
  person integer, kind text, thing text, said jsonb, at timestamptz
) RETURNS void LANGUAGE sql AS $$
INSERT INTO channel_deliveries (id, channel_id, type, subject, about, occurred_at, state, next_attempt_at)
SELECT gen_random_uuid(), c.id, kind, thing, said, date_trunc('milliseconds', at), 'waiting', now()
FROM channels c JOIN (
  SELECT DISTINCT ON (CASE c.type WHEN 'email' THEN 0 ELSE c.id END) c.id
  FROM channels c JOIN workspace_members m ON m.workspace_id = c.workspace_id AND m.user_id = c.user_id
  WHERE c.user_id = person AND c.is_active AND kind = ANY (c.events) AND may_hear(m.role, kind)
  ORDER BY CASE c.type WHEN 'email' THEN 0 ELSE c.id END, c.id
) own ON own.id = c.id
FOR KEY SHARE OF c
ON CONFLICT (subject, channel_id, type) DO NOTHING
$$;

CREATE OR REPLACE FUNCTION tell_requested() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM tell_channels(NEW.workspace_id, 'approval.requested', NEW.id::text, jsonb_build_object(
    'actionId', NEW.id, 'summary', NEW.summary, 'riskScore', NEW.risk_score, 'assessment', NEW.assessment_state, 'effects', effect_words(NEW.effects),
    'agentId', NEW.agent_id, 'agent', NEW.agent_name, 'serviceId', NEW.service_id, 'service', NEW.service_name, 'expiresAt', NEW.expires_at), NEW.created_at, NEW.expires_at,
    NEW.approver_ids);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER actions_channels_requested AFTER INSERT ON actions
  FOR EACH ROW WHEN (NEW.status = 'PENDING')
  EXECUTE FUNCTION tell_requested();

-- What is told of a request from now on has the score of the model, also the digests and reminders.
CREATE OR REPLACE FUNCTION tell_assessed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE channel_deliveries SET risk = NEW.risk_score,
    about = about || jsonb_build_object('riskScore', NEW.risk_score, 'assessment', NEW.assessment_state)
  WHERE subject = NEW.id::text AND type IN ('approval.requested', 'approval.reminder', 'approval.escalated', 'approvers.missing');
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER actions_channels_assessed AFTER UPDATE OF assessment_state ON actions
  FOR EACH ROW WHEN (OLD.assessment_state = 'pending' AND NEW.assessment_state <> 'pending')
  EXECUTE FUNCTION tell_assessed();

-- Channels that were notified of the request, and all webhooks, are notified of its end. Requests and reminders that still
-- wait are withdrawn.
CREATE OR REPLACE FUNCTION tell_decided() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  asked text[] := ARRAY['approval.requested', 'approval.reminder', 'approval.escalated', 'approvers.missing'];
  -- Nobody asks the model about a request that was decided.
  assessed text := CASE NEW.assessment_state WHEN 'pending' THEN 'off' ELSE NEW.assessment_state END;
BEGIN
  PERFORM tell_channels(NEW.workspace_id, 'approval.decided', NEW.id::text, jsonb_build_object(
    'actionId', NEW.id, 'summary', NEW.summary, 'riskScore', NEW.risk_score, 'assessment', assessed, 'effects', effect_words(NEW.effects),
    'agentId', NEW.agent_id, 'agent', NEW.agent_name, 'serviceId', NEW.service_id, 'service', NEW.service_name, 'status', NEW.status, 'decidedBy', NEW.resolved_by_name,
    'askedAt', NEW.created_at), coalesce(NEW.resolved_at, now()), NULL, NEW.approver_ids, asked);
  UPDATE channel_deliveries d SET until = least(d.until, now()),
    state = CASE WHEN d.state = 'waiting' OR d.state = 'bundled' AND EXISTS (SELECT FROM channel_deliveries g WHERE g.id = d.digest_id AND g.state = 'waiting') THEN 'withdrawn' ELSE d.state END,
    next_attempt_at = CASE WHEN d.state = 'waiting' THEN NULL ELSE d.next_attempt_at END
  WHERE d.subject = NEW.id::text AND d.type = ANY (asked);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER actions_channels_decided AFTER UPDATE OF status ON actions
  FOR EACH ROW WHEN (OLD.status = 'PENDING' AND NEW.status <> 'PENDING')
  EXECUTE FUNCTION tell_decided();

-- A request that waits again, because its approval was taken back, is told like a new one. Each channel gets one delivery
-- per subject and type, so the earlier deliveries get a subject of their own, and what was not sent yet is withdrawn. Bots
-- replace their message instead. The channels are locked first, like everywhere.
CREATE OR REPLACE FUNCTION tell_undone() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE asked text[] := ARRAY['approval.requested', 'approval.reminder', 'approval.escalated'];
BEGIN
  PERFORM FROM channels WHERE workspace_id = NEW.workspace_id ORDER BY id FOR KEY SHARE;
  UPDATE channel_deliveries d SET until = NEW.expires_at
  FROM channels c WHERE c.id = d.channel_id AND c.is_bot AND d.subject = NEW.id::text AND d.type = ANY (asked)
    AND (d.receipt IS NOT NULL OR d.claim_id IS NOT NULL);
  UPDATE channel_deliveries d SET until = least(d.until, now()), subject = format('%s undone %s', d.subject, d.id),
    state = CASE WHEN d.state = 'waiting' OR d.state = 'bundled' AND EXISTS (SELECT FROM channel_deliveries g WHERE g.id = d.digest_id AND g.state = 'waiting') THEN 'withdrawn' ELSE d.state END,
    next_attempt_at = CASE WHEN d.state = 'waiting' THEN NULL ELSE d.next_attempt_at END
  FROM channels c WHERE c.id = d.channel_id AND d.subject = NEW.id::text AND d.type = ANY (asked || ARRAY['approval.decided'])
    AND NOT (c.is_bot AND d.type = ANY (asked) AND (d.receipt IS NOT NULL OR d.claim_id IS NOT NULL));
  PERFORM tell_channels(NEW.workspace_id, 'approval.requested', NEW.id::text, jsonb_build_object(
    'actionId', NEW.id, 'summary', NEW.summary, 'riskScore', NEW.risk_score, 'assessment', NEW.assessment_state, 'effects', effect_words(NEW.effects),
    'agentId', NEW.agent_id, 'agent', NEW.agent_name, 'serviceId', NEW.service_id, 'service', NEW.service_name, 'expiresAt', NEW.expires_at), clock_timestamp(), NEW.expires_at,
    NEW.approver_ids);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER actions_channels_undone AFTER UPDATE OF status ON actions
  FOR EACH ROW WHEN (OLD.status = 'APPROVED' AND NEW.status = 'PENDING')
  EXECUTE FUNCTION tell_undone();

-- Messages of bots show the last state of a request. There is one such delivery per action and channel. An attempt in
-- progress keeps its lease.
CREATE OR REPLACE FUNCTION replace_messages() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO channel_deliveries (id, channel_id, type, subject, about, risk, occurred_at, state, next_attempt_at)
  SELECT gen_random_uuid(), c.id, 'approval.updated', NEW.id::text, jsonb_build_object(
    'actionId', NEW.id, 'summary', NEW.summary, 'riskScore', NEW.risk_score, 'effects', effect_words(NEW.effects),
    'assessment', CASE WHEN NEW.status = 'PENDING' OR NEW.assessment_state <> 'pending' THEN NEW.assessment_state ELSE 'off' END,
    'agentId', NEW.agent_id, 'agent', NEW.agent_name, 'serviceId', NEW.service_id, 'service', NEW.service_name, 'status', NEW.status, 'before', OLD.status,
    'resolvedBy', NEW.resolved_by_name, 'askedAt', NEW.created_at, 'resolvedAt', NEW.resolved_at, 'revisedAs', NEW.revised_as,
    'expiresAt', CASE WHEN NEW.status = 'PENDING' THEN NEW.expires_at END),
    NEW.risk_score, date_trunc('milliseconds', clock_timestamp()), 'pending', now()
  FROM channels c
  WHERE c.workspace_id = NEW.workspace_id AND c.is_bot AND c.is_active AND EXISTS (
    SELECT FROM channel_deliveries d WHERE d.subject = NEW.id::text AND d.channel_id = c.id AND d.type <> 'approval.updated'
      AND (d.receipt IS NOT NULL OR d.claim_id IS NOT NULL))
  FOR KEY SHARE OF c
  ON CONFLICT (subject, channel_id, type) DO UPDATE SET
    about = EXCLUDED.about, occurred_at = EXCLUDED.occurred_at, state = 'pending', attempts = 0,
    next_attempt_at = CASE WHEN channel_deliveries.claim_id IS NULL THEN EXCLUDED.next_attempt_at
      ELSE channel_deliveries.next_attempt_at END;
  -- A row that was there already does not wake the senders.
  IF FOUND THEN PERFORM pg_notify('agw_events', '{"type":"channel.updated","id":0,"due":true}'); END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER actions_channels_updated AFTER UPDATE OF status, assessment_state ON actions
  FOR EACH ROW WHEN (OLD.status <> NEW.status OR OLD.assessment_state = 'pending' AND NEW.assessment_state <> 'pending')
  EXECUTE FUNCTION replace_messages();

CREATE OR REPLACE FUNCTION tell_connection() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM tell_channels(s.workspace_id, 'connection.expired', format('connection %s %s', s.id, NEW.token_number),
    jsonb_build_object('serviceId', s.id, 'service', s.name, 'reason', NEW.error), now(), NULL)
  FROM services s WHERE s.id = NEW.service_id;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER connections_told AFTER UPDATE OF needs_reconnect ON connections
  FOR EACH ROW WHEN (NEW.needs_reconnect AND NOT OLD.needs_reconnect)
  EXECUTE FUNCTION tell_connection();

CREATE OR REPLACE FUNCTION tell_pause() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.paused_at IS NOT NULL THEN
    PERFORM tell_channels(NEW.id, 'workspace.paused', format('pause %s %s', NEW.id, NEW.paused_at),
      jsonb_build_object('workspace', NEW.name, 'reason', NEW.paused_reason, 'by', NEW.paused_by_name), now(), NULL);
  ELSE
    PERFORM tell_channels(NEW.id, 'workspace.resumed', format('pause %s %s', NEW.id, OLD.paused_at),
      jsonb_build_object('workspace', NEW.name), now(), NULL);
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER workspaces_told AFTER UPDATE OF paused_at ON workspaces
  FOR EACH ROW WHEN ((OLD.paused_at IS NULL) <> (NEW.paused_at IS NULL))
  EXECUTE FUNCTION tell_pause();

-- The model does not answer: every workspace that wants to know is notified.
CREATE OR REPLACE FUNCTION tell_outage() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM tell_channels(w.id, 'risk.failing', format('outage %s', NEW.began_at), jsonb_build_object('reason', NEW.reason), now(), NULL)
  FROM (SELECT DISTINCT workspace_id AS id FROM channels WHERE is_active AND 'risk.failing' = ANY (events)) w;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER model_outages_told AFTER INSERT OR UPDATE OF began_at ON model_outages
  FOR EACH ROW EXECUTE FUNCTION tell_outage();

-- Nobody is notified of the first place of a person. A known device in a known network is not a new place, even when the
-- pair is new.
CREATE OR REPLACE FUNCTION tell_place() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  others integer;
  same_device integer;
  same_network integer;
BEGIN
  SELECT count(*), count(*) FILTER (WHERE device = NEW.device), count(*) FILTER (WHERE network = NEW.network)
  INTO others, same_device, same_network
  FROM known_places WHERE user_id = NEW.user_id AND (device, network) <> (NEW.device, NEW.network);
  IF others > 0 AND (same_device = 0 OR same_network = 0) THEN
    PERFORM tell_person(NEW.user_id, 'login.new', format('place %s %s %s %s', NEW.user_id, NEW.device, NEW.network, NEW.first_seen_at),
      jsonb_build_object('place', concat_ws(', ', NEW.device, NEW.address), 'signedInAt', NEW.first_seen_at), now());
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER known_places_told AFTER INSERT ON known_places
  FOR EACH ROW EXECUTE FUNCTION tell_place();

-- The token of an invitation that was accepted or deleted no longer works.
CREATE OR REPLACE FUNCTION withdraw_invitation_mail() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE invitation_mails SET state = 'withdrawn', encrypted_token = NULL, next_attempt_at = NULL, claim_id = NULL
  WHERE invitation_id = OLD.id AND state = 'pending';
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER invitations_withdraw_mail AFTER UPDATE OF accepted_at OR DELETE ON invitations
  FOR EACH ROW EXECUTE FUNCTION withdraw_invitation_mail();

-- Wakes the senders. Readers of live events don't need it, so it names no workspace.
CREATE OR REPLACE FUNCTION emit_channels_due() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM added) THEN
    PERFORM pg_notify('agw_events', '{"type":"channel.updated","id":0,"due":true}');
  END IF;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER channel_deliveries_due AFTER INSERT ON channel_deliveries REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION emit_channels_due();
CREATE OR REPLACE TRIGGER invitation_mails_due AFTER INSERT ON invitation_mails REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION emit_channels_due();

CREATE OR REPLACE FUNCTION emit_channel_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('agw_events', json_build_object('type', 'channel.updated',
    'workspaceId', coalesce(NEW.workspace_id, OLD.workspace_id), 'id', coalesce(NEW.id, OLD.id))::text);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER channels_event AFTER INSERT OR UPDATE OR DELETE ON channels
  FOR EACH ROW EXECUTE FUNCTION emit_channel_event();

CREATE OR REPLACE FUNCTION emit_channel_delivery_event() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE workspace integer;
BEGIN
  SELECT workspace_id INTO workspace FROM channels WHERE id = NEW.channel_id;
  PERFORM pg_notify('agw_events', json_build_object('type', 'channel.updated', 'workspaceId', workspace, 'id', NEW.channel_id)::text);
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER channel_deliveries_event AFTER UPDATE OF state, last_error ON channel_deliveries
  FOR EACH ROW WHEN (NEW.last_attempt_at IS NOT NULL AND NEW.claim_id IS NULL)
  EXECUTE FUNCTION emit_channel_delivery_event();

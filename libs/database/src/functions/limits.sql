-- Limits: what the rules with the effect `limit` have counted.

-- Counts requests that are about to be sent. The statement that writes their records calls it, so that a request is counted
-- exactly if its record is written. `given` has the ids of these records, and `needs` one object for each limit of each
-- request, in the order of the requests.
--
-- First it locks each counter, in one order for all statements, so that no two of them wait for each other. Then it reads the
-- versions of agents and services again, because they may have changed while it waited. A request is counted if it fits
-- into all its limits that it must keep (`must`). A smaller one may still fit after one that does not.
--
-- It returns a row for each limit of each request, or one row with `counted` NULL for a request that is stale. `used` is the
-- amount with this request, if it is counted. A request that has a record already is left out.
CREATE OR REPLACE FUNCTION count_against_limits(given uuid[], needs json)
  RETURNS TABLE (record_id uuid, counted boolean, rule integer, used numeric, fits boolean, resets_in integer) LANGUAGE plpgsql
  SET plan_cache_mode = force_generic_plan
  SET enable_seqscan = off AS $$
#variable_conflict use_column
DECLARE
  began CONSTANT timestamptz := clock_timestamp();
  counter record;
  request record;
  rules integer[] := '{}';
  agents integer[] := '{}';
  starts timestamptz[] := '{}';
  before numeric[] := '{}';
  added numeric[] := '{}';
  place integer;
BEGIN
  FOR counter IN
    SELECT DISTINCT n.rule, n.agent, date_bin(make_interval(secs => n.seconds), began, 'epoch') AS since
    FROM json_to_recordset(needs) AS n(record_id uuid, rule integer, agent integer, seconds integer)
    WHERE n.record_id = ANY (given) ORDER BY 1, 2, 3
  LOOP
    PERFORM FROM limit_counters c
    WHERE c.rule_id = counter.rule AND c.agent_id = counter.agent AND c.window_start = counter.since FOR UPDATE;
    IF NOT FOUND THEN
      INSERT INTO limit_counters (rule_id, agent_id, window_start) VALUES (counter.rule, counter.agent, counter.since)
      ON CONFLICT (rule_id, agent_id, window_start) DO UPDATE SET amount = limit_counters.amount;
    END IF;
    rules := rules || counter.rule;
    agents := agents || counter.agent;
    starts := starts || counter.since;
    added := added || 0::numeric;
    -- A rule that had shorter windows before has several counters in this one.
    before := before || (SELECT sum(c.amount) FROM limit_counters c
      WHERE c.rule_id = counter.rule AND c.agent_id = counter.agent AND c.window_start >= counter.since);
  END LOOP;

  FOR request IN
    SELECT n.record_id, array_agg(n.place ORDER BY n.nr) AS places, array_agg(n.rule ORDER BY n.nr) AS rules,
      array_agg(n.most ORDER BY n.nr) AS most, array_agg(n.amount ORDER BY n.nr) AS amounts,
      array_agg(n.must ORDER BY n.nr) AS must, array_agg(n.ends ORDER BY n.nr) AS ends,
      bool_and(coalesce(n.agent_version = (SELECT a.version FROM agents a WHERE a.id = n.agent), false)
        AND coalesce(n.service_version = (SELECT s.version FROM services s WHERE s.id = n.service), false)) AS is_current
    FROM (
      SELECT g.*, date_bin(make_interval(secs => g.seconds), began, 'epoch') + make_interval(secs => g.seconds) AS ends,
        dense_rank() OVER (ORDER BY g.rule, g.agent, date_bin(make_interval(secs => g.seconds), began, 'epoch')) AS place
      FROM ROWS FROM (json_to_recordset(needs) AS (record_id uuid, agent integer, agent_version bigint, service integer,
        service_version bigint, rule integer, seconds integer, most numeric, amount numeric, must boolean))
        WITH ORDINALITY AS g(record_id, agent, agent_version, service, service_version, rule, seconds, most, amount, must, nr)
      WHERE g.record_id = ANY (given)
    ) n
    WHERE NOT EXISTS (SELECT FROM audit_records a WHERE a.id = n.record_id)
    GROUP BY n.record_id ORDER BY min(n.nr)
  LOOP
    record_id := request.record_id;
    IF NOT request.is_current THEN
      counted := NULL;
      RETURN NEXT;
      CONTINUE;
    END IF;
    counted := true;
    FOR i IN 1 .. cardinality(request.places) LOOP
      place := request.places[i];
      -- An amount that is not known fits nowhere. An approved request with one may be sent all the same.
      counted := counted AND (NOT request.must[i]
        OR coalesce(before[place] + added[place] + request.amounts[i] <= request.most[i], false));
    END LOOP;
    FOR i IN 1 .. cardinality(request.places) LOOP
      place := request.places[i];
      fits := coalesce(before[place] + added[place] + request.amounts[i] <= request.most[i], false);
      IF counted THEN
        -- Nobody knows how much this is, so nothing is left.
        added[place] := added[place]
          + coalesce(request.amounts[i], greatest(request.most[i] - before[place] - added[place], 0));
      END IF;
      rule := request.rules[i];
      used := before[place] + added[place];
      resets_in := greatest(1, ceil(extract(epoch FROM request.ends[i] - clock_timestamp())));
      RETURN NEXT;
    END LOOP;
  END LOOP;

  UPDATE limit_counters c SET amount = c.amount + n.added
  FROM unnest(rules, agents, starts, added) AS n(rule, agent, since, added)
  WHERE n.added > 0 AND c.rule_id = n.rule AND c.agent_id = n.agent AND c.window_start = n.since;
END $$;

-- In the order in which requests lock them.
CREATE OR REPLACE FUNCTION delete_limit_counters() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM limit_counters WHERE rule_id = OLD.id ORDER BY agent_id, window_start FOR UPDATE;
  DELETE FROM limit_counters WHERE rule_id = OLD.id;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER risk_rules_counters AFTER DELETE ON risk_rules
  FOR EACH ROW EXECUTE FUNCTION delete_limit_counters();

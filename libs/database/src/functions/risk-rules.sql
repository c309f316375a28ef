-- Risk rules: what each was after each change.

-- A setting of the transaction says who makes the change (`apps/api/src/rules/change-setting.ts`). A use of a rule is no change of
-- it. Of each rule the last hundred versions are kept.
CREATE OR REPLACE FUNCTION keep_rule_version() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  author jsonb := nullif(current_setting('agent_gateway.changed_by', true), '')::jsonb;
  newest integer;
BEGIN
  SELECT coalesce(max(version), 0) + 1 INTO newest FROM risk_rule_versions WHERE rule_id = NEW.id;
  INSERT INTO risk_rule_versions (rule_id, version, at, by_id, by_name, rule)
    VALUES (NEW.id, newest, date_trunc('milliseconds', clock_timestamp()), (author ->> 'id')::int, author ->> 'name', to_jsonb(NEW));
  DELETE FROM risk_rule_versions WHERE rule_id = NEW.id AND version <= newest - 100;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER risk_rules_added_version AFTER INSERT ON risk_rules
  FOR EACH ROW EXECUTE FUNCTION keep_rule_version();
CREATE OR REPLACE TRIGGER risk_rules_changed_version AFTER UPDATE ON risk_rules
  FOR EACH ROW WHEN ((to_jsonb(OLD) - '{uses,updated_at}'::text[]) IS DISTINCT FROM (to_jsonb(NEW) - '{uses,updated_at}'::text[]))
  EXECUTE FUNCTION keep_rule_version();

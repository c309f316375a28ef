/** SQL expression: the active rules of row `s` of `services`, as JSON (`ServiceRule`). */
export const ACTIVE_RULES_SQL = `(SELECT coalesce(json_agg(json_build_object(
      'id', r.id, 'name', r.name, 'effect', r.effect, 'mode', r.mode, 'methods', r.methods, 'pathPattern', r.path_pattern, 'when', r."when",
      'instruction', r.instruction, 'agentIds', r.agent_ids,
      'exceptions', r.exceptions, 'exceptionTo', r.exception_to,
      'approvals', r.approvals, 'approverIds', r.approver_ids, 'limit', r."limit",
      'expiresAt', floor(extract(epoch FROM r.expires_at) * 1000), 'maxUses', r.max_uses, 'createdAt', extract(epoch FROM r.created_at) * 1000) ORDER BY r.id), '[]')
    FROM risk_rules r WHERE r.service_id = s.id AND r.is_active AND (r.max_uses IS NULL OR r.uses < r.max_uses))`;

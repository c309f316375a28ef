/** SQL expression: names and encrypted values of the credentials of row `s` of `services`, as JSON. */
export const CREDENTIALS_SQL = `(SELECT coalesce(json_agg(json_build_array(c.name, c.encrypted_value) ORDER BY c.id), '[]')
    FROM credentials c WHERE c.service_id = s.id)`;

/** The same of the credentials that a rotation has replaced. */
export const PREVIOUS_CREDENTIALS_SQL = `(SELECT coalesce(json_agg(json_build_array(v.name, v.encrypted_value) ORDER BY v.id), '[]')
    FROM previous_credentials v WHERE v.service_id = s.id)`;

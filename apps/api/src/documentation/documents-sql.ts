/** SQL expression: the ids of the documents of row `s` of `services`, as JSON. */
export const DOCUMENT_IDS_SQL =
  "(SELECT coalesce(json_agg(d.id ORDER BY d.id), '[]') FROM service_documents d WHERE d.service_id = s.id)";

/** SQL expression: a text that changes whenever one of these documents changes. */
export const DOCUMENTS_VERSION_SQL = `(SELECT coalesce(string_agg(d.id || ':' || d.xmin, ',' ORDER BY d.id), '')
    FROM service_documents d WHERE d.service_id = s.id)`;
